import { REDACTED } from "../core/model/index.js";
import type { Target } from "./types.js";

/** How one endpoint is reached; all but the URL is secret. */
export type Access = Pick<Target, "url" | "headers" | "search" | "tls">;

/** Too short a text would also be found where it is none. */
const SHORTEST_SECRET = 4;

/** The texts that must not stand in a message: values of headers, and of parameters that the recorded URL lacks. */
export function secretsIn({ url, headers, search }: Access): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/).slice(1)]);
  const recorded = new URL(url).search.split(/[&;]/);
  const written = (search ?? "").split(/[&;]/).filter((part, i) => part !== recorded[i]);
  const parameters = written.flatMap((part) => [
    part.replace(/^[^=]*=/, ""),
    ...new URLSearchParams(part.replace(/^\?/, "")).values(),
  ]);
  return [...new Set([...values, ...parameters])].filter((text) => text.length >= SHORTEST_SECRET);
}

/** A server that repeats what it was sent must not bring it into a message. */
export function withoutSecrets(text: string, hidden: readonly string[]): string {
  return hidden.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}
