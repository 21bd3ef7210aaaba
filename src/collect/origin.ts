import { BlockList, isIP } from "node:net";
import { parseServerUrl, zonedAddress } from "./url.js";

/*
 * The rule for origins: a server (scheme, host, port) is contacted because the user named it, or approved it when
 * something else did: settings of a workspace, a file, an agent. What is approved is the text below, so that another
 * server, another header or another variable is another question.
 */

/** A server that somebody other than the user names, and what is sent there. */
export interface Contact {
  /** As it is written. */
  readonly url: string;
  /** Headers, with the values as they are written: `${env:NAME}` is a variable of the environment. */
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM file of a client's certificate. */
  readonly certificate?: string;
  /** It gets what a capture reads. */
  readonly isWrittenTo?: boolean;
}

/** Scheme, host and port: `http://localhost:8000`. @throws InvalidUrlError */
export function originOf(url: string): string {
  return new URL(parseServerUrl(url).url).origin;
}

/**
 * A contact as the user is asked for it: the server by its parsed origin, then what is sent, headers by their names.
 * Nobody can take a user's name in the URL for a host.
 * @throws InvalidUrlError
 */
export function contactText({ url, headers = {}, certificate, isWrittenTo = false }: Contact): string {
  const { authorization } = parseServerUrl(url);
  const user = authorization === undefined ? "" : Buffer.from(authorization.slice(6), "base64").toString("utf8");
  const sent = [
    ...(isWrittenTo ? ["all that a capture reads"] : []),
    ...(authorization === undefined ? [] : [`the user name “${user.replace(/:.*$/s, "")}”`]),
    ...Object.entries(headers).map(([name, value]) => {
      const variables = [...value.matchAll(/\$\{env:(\w[\w.-]*)[^}]*\}/g)].map(([, variable = ""]) => variable);
      const of = variables.length === 0 ? "" : ` with your environment's ${variables.join(" and ")}`;
      return `header ${name}${of}`;
    }),
    ...(certificate === undefined ? [] : [`the certificate ${certificate}`]),
  ];
  return sent.length === 0 ? originOf(url) : `${originOf(url)}, which gets ${sent.join(", ")}`;
}

/** Addresses of this link, where clouds keep the credentials of machines, and their services' own ones. */
const RESERVED = new BlockList();
RESERVED.addSubnet("169.254.0.0", 16);
RESERVED.addSubnet("fe80::", 10, "ipv6");
for (const address of ["100.100.100.200", "168.63.129.16", "192.0.0.192"]) RESERVED.addAddress(address);
for (const address of ["fd00:ec2::254", "fd20:ce::254"]) RESERVED.addAddress(address, "ipv6");

/** Whether an origin is given by such an address. */
export function isReservedOrigin(origin: string): boolean {
  const { hostname } = new URL(origin);
  return isReserved(zonedAddress(hostname) ?? hostname.replace(/^\[|\]$/g, ""));
}

/** Whether an address is link-local or serves metadata of a cloud: only who names it by itself contacts it. */
export function isReserved(address: string): boolean {
  const kind = isIP(address);
  // An IPv4 address written as IPv6 is checked as what it is.
  return kind !== 0 && RESERVED.check(address.replace(/%.*$/, ""), kind === 6 ? "ipv6" : "ipv4");
}
