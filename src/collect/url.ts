import { scrubUrl } from "../core/text/index.js";
import { networkInterfaces } from "node:os";

/** An endpoint's URL that cannot be used; the message is a sentence for the prompt or field it was typed in. */
export class InvalidUrlError extends Error {
  override readonly name = "InvalidUrlError";
}

interface EndpointAddress {
  /** Normalised, without credentials and the values of secret query parameters. */
  readonly url: string;
  /** The query as it is sent, where `url` has lost a secret. */
  readonly search?: string;
  /** Authorization header made of the URL's user and password. */
  readonly authorization?: string;
}

/**
 * Reads an endpoint's URL as a person writes it: no scheme means http, trailing slashes go, no path means `/metrics`.
 * Credentials and the values of secret query parameters are taken out of the URL. A number behind `#` tells endpoints
 * apart that differ only in such a value; other fragments go.
 * @param secrets names of secret query parameters; absent: `SECRET_PARAMETERS`
 * @throws InvalidUrlError
 */
export function parseEndpointUrl(text: string, secrets?: readonly string[]): EndpointAddress {
  return addressOf(parse(text), "/metrics", secrets);
}

/**
 * As `parseEndpointUrl`, of a server that is asked for several things: no path is added.
 * @throws InvalidUrlError
 */
export function parseServerUrl(text: string, secrets?: readonly string[]): EndpointAddress {
  return addressOf(parse(text), "/", secrets);
}

function addressOf(url: URL, defaultPath: string, secrets: readonly string[] | undefined): EndpointAddress {
  const user = decode(url.username);
  const password = decode(url.password);
  url.username = "";
  url.password = "";
  if (!/^#[1-9]\d*$/.test(url.hash)) url.hash = "";
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path === "" ? defaultPath : path;
  const recorded = scrubUrl(url.href, secrets);
  return {
    url: recorded,
    ...(recorded === url.href ? {} : { search: url.search }),
    ...(user === "" && password === ""
      ? {}
      : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` }),
  };
}

/**
 * The URL as it is recorded, but for the settling of a path that does not end in `/metrics`. @throws InvalidUrlError
 */
export function normalizeUrl(text: string): string {
  return parseEndpointUrl(text).url;
}

/** What is wrong with a URL as typed, as one sentence; undefined when it can be used. */
export function validateUrl(text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidUrlError) return error.message;
    throw error;
  }
}

/**
 * A URL as typed, without the user, password and secret query parameters in it: what may be shown, logged or stored.
 */
export function redactUrl(text: string, secrets?: readonly string[]): string {
  // Where a URL is read, tabs and line ends within it go: a name that is broken by one is that name.
  const typed = text.replace(/[\t\r\n]/g, "");
  const [, scheme = "", rest = ""] = /^\s*([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(typed) ?? [];
  // Of what is no URL, nobody knows where a password would end: all before the last @ goes.
  const isUrl = URL.canParse((scheme === "" ? "http://" : scheme) + rest);
  return scrubUrl(scheme + rest.replace(isUrl ? /^[^/?#]*@/ : /^.*@/s, ""), secrets);
}

/**
 * The URLs an endpoint may mean, the likelier first: a path that does not end in `/metrics` (`/v1`) may be
 * where the metrics are, or what they are under, or that of requests to the server. `url` is normalised.
 */
export function candidateUrls(url: string): readonly string[] {
  const parsed = new URL(url);
  if (parsed.pathname.endsWith("/metrics")) return [url];
  parsed.pathname += "/metrics";
  return [parsed.href, url, serverMetricsUrl(url) ?? []].flat();
}

/** The `/metrics` of the server whose API has this URL (`/v1/chat/completions`); undefined for one of no API. */
export function serverMetricsUrl(url: string): string | undefined {
  const parsed = new URL(url);
  const [, base] = /^(.*?)\/v\d+(?:\/(?!metrics$).*)?$/.exec(parsed.pathname) ?? [];
  if (base === undefined) return undefined;
  parsed.pathname = `${base}/metrics`;
  return parsed.href;
}

/** Where TensorRT-LLM keeps its exposition when `/metrics` is JSON; undefined when `url` is not such a `/metrics`. */
export function prometheusFallbackUrl(url: string): string | undefined {
  const parsed = new URL(url);
  if (!parsed.pathname.endsWith("/metrics") || parsed.pathname.endsWith("/prometheus/metrics")) return undefined;
  parsed.pathname = parsed.pathname.replace(/\/metrics$/, "/prometheus/metrics");
  return parsed.href;
}

/** On this machine, where compressing would only cost the server. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || hostname.startsWith("127.")
  );
}

function parse(text: string): URL {
  const trimmed = text.trim();
  if (trimmed === "") throw new InvalidUrlError("Type the URL of a metrics endpoint, such as localhost:8000.");
  if (/\s/.test(trimmed))
    throw new InvalidUrlError("A URL has no spaces in it. Several endpoints are added one by one.");
  if (/^\d+$/.test(trimmed))
    throw new InvalidUrlError(`A port alone is not a URL: type localhost:${trimmed} for a server on this machine.`);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "http" && scheme !== "https")
    throw new InvalidUrlError(`Metrics are fetched over http or https, not ${scheme}.`);
  if (scheme === undefined && /^https?:/i.test(trimmed))
    throw new InvalidUrlError("The scheme needs two slashes: http://host:port.");
  const full = withNamedZone(scheme === undefined ? `http://${trimmed}` : trimmed);
  const authority = /^[^:]+:\/\/([^/?#]*)/.exec(full)?.[1] ?? "";
  if (authority === "") throw new InvalidUrlError("The host is missing: type host:port, such as localhost:8000.");
  const port = /:([^:\]]*)$/.exec(authority.slice(authority.lastIndexOf("@") + 1))?.[1];
  if (port !== undefined && !(/^\d*$/.test(port) && Number(port) <= 65535 && (port === "" || Number(port) > 0))) {
    if (full.includes("@"))
      throw new InvalidUrlError("A /, ? or # in a user or password has to be percent-encoded (%2F, %3F, %23).");
    throw new InvalidUrlError(`"${port}" is not a port: a port is a number from 1 to 65535.`);
  }
  if (!URL.canParse(full))
    throw new InvalidUrlError(`"${redactUrl(trimmed)}" is not a URL: type host:port, such as localhost:8000.`);
  return new URL(full);
}

/** A user or password with a stray % is taken as it stands. */
function decode(component: string): string {
  try {
    return decodeURIComponent(component);
  } catch {
    return component;
  }
}

/*
 * No URL holds the zone of an IPv6 address, the network that a link-local one is on (fe80::1%eth0). It becomes the name
 * that Windows has for it, fe80--1seth0.ipv6-literal.net, which is looked up here and nowhere else.
 */

const LITERAL = /^([\da-f-]+)s([\w.-]+)\.ipv6-literal\.net$/i;

/** A URL with such a name where its host is an address with a zone, `[fe80::1%25eth0]` or `[fe80::1%eth0]`. */
function withNamedZone(url: string): string {
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
