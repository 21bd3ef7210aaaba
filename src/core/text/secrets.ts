import { isList, type Json, type JsonObject, parseJson } from "./json.js";
import { bareShellWord } from "./shell-word.js";

/** Query parameters of these names (whole, in any case) carry secrets, unless `useSecretParameters` sets others. */
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

let current = SECRET_PARAMETERS;

/** Sets the names for this thread, as the settings or the environment have them. */
export function useSecretParameters(names: readonly string[]): void {
  current = names;
}

/** The names that count. */
export function secretParameters(): readonly string[] {
  return current;
}

/** Stands where a secret was. */
export const REDACTED = "REDACTED";

/** A URL without the values of its secret query parameters, which is how it is recorded and shown. */
export function scrubUrl(url: string, names = current): string {
  return url.replace(/\?[^#]*/, (query) =>
    query
      .split("&")
      .map((part) => scrubParameter(part, names))
      .join("&"),
  );
}

/**
 * Some servers take a `;` as the end of a parameter, others as part of its value, and a value may be a URL with a query
 * of its own: from the first secret name on, all goes.
 */
function scrubParameter(part: string, names: readonly string[]): string {
  for (const { 0: before, 1: name = "", index } of part.matchAll(/(?:^|[?;])([^=?;]*)=(?=.)/gs))
    if (isSecret(name, names)) return `${part.slice(0, index)}${before}${REDACTED}`;
  return part;
}

/** A message with the URLs in it scrubbed. */
export function scrubText(text: string): string {
  return text.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, (url) => scrubUrl(withoutCredentials(url)));
}

/** A URL without its user name and password. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}

/**
 * A run's configuration as it is recorded and shown: URLs without their secrets, values of headers and entries named
 * like a secret parameter, or ending so (`hf_token`), replaced. Anything else, such as `max_tokens` or `tokenizer`,
 * stays.
 */
export function scrubConfiguration(configuration: JsonObject, names = current): JsonObject {
  return Object.fromEntries(
    Object.entries(configuration).map(([name, value]) => {
      if (value === undefined) return [name, undefined];
      if (HEADERS.test(name)) return [name, redactedHeaders(value)];
      return [name, isSecretEntry(name, names) ? redactedTexts(value, names) : scrubValue(value, names)];
    }),
  );
}

/** Entries of a configuration that hold headers, such as `headers` and `extra_headers`. */
const HEADERS = /^(?:(?:http|extra|request|default|custom)[_-]?headers?|headers?|(?:proxy[_-])?authorization)$/i;

/** What services give out as keys looks like this wherever it stands. */
const KEYS =
  /\b(?:hf_|nvapi-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ya29\.|sk-)[\w-]{16,}|\beyJ[\w-]{10,}\.[\w.-]+|(?<=\bBearer )[^\s"']{4,}/g;

/** Text of a configuration, which may be a URL or a whole command line. */
function scrubWords(text: string, names: readonly string[]): string {
  return text
    .replace(KEYS, REDACTED)
    .replace(/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi, (url) => scrubUrl(withoutCredentials(url), names))
    .replace(/\b((?:proxy-)?authorization["']?\s*:\s*["']?)[^"'\r\n]+/gi, `$1${REDACTED}`)
    .replace(/((?:^|\s)(?:-H|--headers?)(?:=|\s+)["']?[\w-]+\s*:\s*)[^"'\r\n]+/g, `$1${REDACTED}`)
    .replace(/((?:^|\s)--?([\w-]+)(?:=|\s+))("[^"]*"|'[^']*'|[^\s-]\S*)/g, (whole, before: string, name: string) =>
      isSecretEntry(name, names) ? `${before}${REDACTED}` : whole,
    )
    .replace(
      /((?:^|[\s"';])([A-Za-z_]\w{0,60})=)("[^"]*"|'[^']*'|[^\s"';]+)/g,
      (whole, before: string, name: string) => (isSecretEntry(name, names) ? `${before}${REDACTED}` : whole),
    );
}

/**
 * The command line of a process as it is recorded: on one line, quoted where a shell needs it, without the values of
 * secret options, headers, variables and credentials.
 */
export function commandText(args: readonly string[], names = current): string {
  return args
    .map((arg, i) => {
      const before = args[i - 1] ?? "";
      const [, option] = /^--?([\w-]+)$/.exec(before) ?? [];
      if (option !== undefined && isSecretEntry(option, names)) return REDACTED;
      if (/^(?:-H|--[\w-]*headers?)$/i.test(before)) return headersText(arg, names);
      if (/^(?:-u|--(?:proxy-)?user)$/.test(before)) return arg.replace(/:.*$/s, `:${REDACTED}`);
      const [, named, name = "", value = ""] = /^((?:--?)?([\w-]+)[=:])(?!\/\/)(.+)$/s.exec(arg) ?? [];
      if (named === undefined) return structured(arg, names) ?? scrubWords(arg, names);
      if (isSecretEntry(name, names)) return named + REDACTED;
      return /headers?$/i.test(name)
        ? named + headersText(value, names)
        : named + (structured(value, names) ?? scrubWords(value, names));
    })
    .map(bareShellWord)
    .join(" ");
}

/** Headers of an option: JSON, or `Name: value`. */
function headersText(text: string, names: readonly string[]): string {
  return structured(text, names, true) ?? text.replace(/^(\s*[\w-]+\s*[:=])?.*$/s, `$1${REDACTED}`);
}

/** An argument that is JSON, scrubbed; undefined for any other. */
function structured(text: string, names: readonly string[], isHeaders = false): string | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value = parseJson(text);
    if (!isParsed(value)) return undefined;
    return JSON.stringify(isHeaders ? redactedHeaders(value) : scrubValue(value, names));
  } catch {
    return undefined;
  }
}

/** Of an entry that holds a secret, or several in a list. */
function redactedTexts(value: Json, names: readonly string[]): Json {
  if (typeof value === "string") return value === "" ? value : REDACTED;
  if (typeof value === "object" && value !== null && isList(value))
    return value.map((item) => redactedTexts(item, names));
  return scrubValue(value, names);
}

/** What `parseJson` gives is JSON. */
function isParsed(value: unknown): value is Json {
  return value !== undefined;
}

function scrubValue(value: Json, names: readonly string[]): Json {
  if (typeof value === "string") return scrubWords(value, names);
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

function isPair(value: Json): value is readonly [Json, Json] {
  return isList(value) && value.length === 2;
}

/** Of options, variables and entries the last words count: `hf_token`, `--openai-api-key`, `AWS_SECRET_ACCESS_KEY`. */
function isSecretEntry(name: string, names: readonly string[]): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
  return (
    isSecret(words, names) ||
    [...names, "passwd", "passphrase", "credentials"].some((secret) => words.endsWith(`_${secret.toLowerCase()}`))
  );
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
