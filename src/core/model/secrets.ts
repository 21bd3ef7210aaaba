import type { Json, JsonObject } from "./json.js";

/** Query parameters of these names (the whole name, in any case) carry secrets, unless a setting lists others. */
export const SECRET_PARAMETERS: readonly string[] = [
  "token",
  "access_token",
  "key",
  "api_key",
  "sig",
  "signature",
  "password",
  "secret",
];

/** Stands where a secret was. */
export const REDACTED = "REDACTED";

/** A URL without the values of its secret query parameters, which is how it is recorded and shown. */
export function scrubUrl(url: string, names: readonly string[] = SECRET_PARAMETERS): string {
  return url.replace(/\?[^#]*/, (query) =>
    query.replace(/([?&;])([^=&;]*)=([^&;]+)/g, (whole, before: string, name: string) =>
      isSecret(name, names) ? `${before}${name}=${REDACTED}` : whole,
    ),
  );
}

/**
 * A run's configuration as it is recorded and shown: URLs without their secrets, values of headers and entries named
 * like a secret parameter replaced. Anything else, such as `max_tokens` or `tokenizer`, stays.
 */
export function scrubConfiguration(
  configuration: JsonObject,
  names: readonly string[] = SECRET_PARAMETERS,
): JsonObject {
  return Object.fromEntries(
    Object.entries(configuration).map(([name, value]) => {
      if (value === undefined) return [name, undefined];
      if (/^(headers?|authorization)$/i.test(name)) return [name, redactedHeaders(value)];
      if (typeof value === "string" && value !== "" && isSecret(name, names)) return [name, REDACTED];
      return [name, scrubValue(value, names)];
    }),
  );
}

function scrubValue(value: Json, names: readonly string[]): Json {
  if (typeof value === "string") return /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? scrubUrl(value, names) : value;
  if (typeof value !== "object" || value === null) return value;
  return isList(value) ? value.map((item) => scrubValue(item, names)) : scrubConfiguration(value, names);
}

/** Names stay: `{"Authorization": "…"}`, `[["Authorization", "…"]]`, `"Authorization: …"`. */
function redactedHeaders(value: Json): Json {
  if (typeof value === "string")
    return value.replace(
      /^(\s*[\w-]+\s*:)?.+$/s,
      (_, name?: string) => `${name ?? ""}${name === undefined ? "" : " "}${REDACTED}`,
    );
  if (typeof value !== "object" || value === null) return value;
  if (!isList(value)) return Object.fromEntries(Object.keys(value).map((name) => [name, REDACTED]));
  return value.map((item) => (isPair(item) ? [item[0], REDACTED] : redactedHeaders(item)));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isPair(value: Json): value is readonly [Json, Json] {
  return isList(value) && value.length === 2;
}

function isSecret(name: string, names: readonly string[]): boolean {
  const plain = decoded(name).toLowerCase();
  return names.some((secret) => secret.toLowerCase() === plain);
}

/** Of a stray %, what is written. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
