import { networkInterfaces } from "node:os";

/*
 * No URL holds the zone of an IPv6 address, the network that a link-local one is on (fe80::1%eth0). It becomes the name
 * that Windows has for it, fe80--1seth0.ipv6-literal.net, which is looked up here and nowhere else.
 */

const LITERAL = /^([\da-f-]+)s([\w.-]+)\.ipv6-literal\.net$/i;

/** A URL with such a name where its host is an address with a zone, `[fe80::1%25eth0]` or `[fe80::1%eth0]`. */
export function withNamedZone(url: string): string {
  return url.replace(
    /^([^/?#]*\/\/(?:[^/?#@]*@)?)\[([\da-f:]+)%(?:25)?([\w.-]+)\]/i,
    (_, before: string, address: string, zone: string) =>
      `${before}${address.replaceAll(":", "-")}s${zone}.ipv6-literal.net`,
  );
}

/** The address with its zone that such a name stands for; undefined for other names. */
export function zonedAddress(hostname: string): string | undefined {
  const [, address, zone] = LITERAL.exec(hostname) ?? [];
  if (address === undefined || zone === undefined) return undefined;
  // URLs have no capitals in names, interfaces may.
  const known = Object.keys(networkInterfaces()).find((name) => name.toLowerCase() === zone.toLowerCase());
  return `${address.replaceAll("-", ":")}%${known ?? zone}`;
}
