import { epochNs, type EpochNs } from "../../model/index.js";
import { isList, parseJson, type Json } from "../../text/index.js";

const MARK = "\u0000integer:";

/**
 * `parseJson` that keeps integers beyond 2^53 exact, as bigints.
 * @throws as parseJson does
 */
export function parseExact(text: string): Json {
  // Strings are matched too, so that digits inside of them are left alone; so are those of a fraction.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"\\u0000integer:${token}"`,
  );
  const value = parseJson(marked) as Json;
  return marked === text ? value : unmark(value);
}

function unmark(value: Json): Json {
  if (typeof value === "string") return value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
  if (value === null || typeof value !== "object") return value;
  if (isList(value)) return value.map(unmark);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unmark(item ?? null)]));
}

/** The integer after `"key":`, exact, of a text whose `JSON.parse` gave `approximate` for it. */
export function exactInteger(text: string, key: string, approximate: number): bigint {
  if (Number.isSafeInteger(approximate)) return BigInt(approximate);
  for (const match of text.matchAll(new RegExp(`"${key}"\\s*:\\s*(\\d+)`, "g"))) {
    const digits = match[1] ?? "";
    if (Number(digits) === approximate) return BigInt(digits);
  }
  return BigInt(Math.round(approximate));
}

/** Nanoseconds since the epoch from a number or its digits as text; 0 for anything else. */
export function timeOf(value: unknown): EpochNs {
  if (typeof value === "bigint" || (typeof value === "string" && /^\d+$/.test(value))) return epochNs(BigInt(value));
  return epochNs(typeof value === "number" && Number.isFinite(value) ? BigInt(Math.round(value)) : 0n);
}

/** A time as ISO 8601 writes it, to the nanosecond; undefined for anything else. */
export function parseIso(value: unknown): { readonly time: EpochNs; readonly zoned: boolean } | undefined {
  const match =
    typeof value === "string"
      ? /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/.exec(value)
      : null;
  if (match === null) return undefined;
  const [, seconds = "", fraction = "", zone] = match;
  // A time of day without a zone is read as UTC.
  const ms = Date.parse(`${seconds.replace(" ", "T")}${zone ?? "Z"}`);
  if (Number.isNaN(ms)) return undefined;
  const within = BigInt(fraction.padEnd(9, "0").slice(0, 9));
  return { time: epochNs(BigInt(ms) * 1_000_000n + within), zoned: zone !== undefined };
}
