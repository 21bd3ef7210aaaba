import { REDACTED } from "../core/text/index.js";
import type { Target } from "./types.js";

/** How one endpoint is reached; all but the URL is secret. */
export type Access = Pick<Target, "url" | "headers" | "search" | "tls" | "avoidsReserved">;

/** Too short a text would also be found where it is none. */
const SHORTEST_SECRET = 4;

/** The texts that must not stand in a message: values of headers, and of parameters that the recorded URL lacks. */
export function secretsIn({ url, headers, search }: Access): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [
    value,
    ...value.split(/\s+/).slice(1),
    ...passwordOf(value),
  ]);
  const recorded = new URL(url).search.split("&");
  const parameters = (search ?? "").split("&").flatMap((part, i) => {
    const { [i]: shown = "" } = recorded;
    if (part === shown || !shown.endsWith(REDACTED)) return [];
    const secret = part.slice(shown.length - REDACTED.length);
    return [secret, ...secret.split(";")].flatMap((one) => [one, decodedValue(one)]);
  });
  return [...new Set([...values, ...parameters])].filter((text) => text.length >= SHORTEST_SECRET);
}

function decodedValue(value: string): string {
  return new URLSearchParams(`value=${value}`).get("value") ?? "";
}

/** The password within basic credentials, which a server decodes; the user where there is none, as with tokens. */
function passwordOf(header: string): readonly string[] {
  const encoded = /^\s*basic\s+(\S+)\s*$/i.exec(header)?.[1];
  if (encoded === undefined) return [];
  const [, user = "", password = ""] = /^([^:]*):?(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
  const secret = password === "" ? user : password;
  return [secret, encodeURIComponent(secret)];
}
