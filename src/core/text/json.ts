import { grouped } from "./plural.js";

/** What JSON can hold, with integers beyond 2^53 as bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** An object of another program, whose fields may be missing or of another type. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object: neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a parsed value is a list, of anything. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** An object of it; an empty one where it is something else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A text of it; an empty one where it is something else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number of it; NaN where it is something else. */
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}

/** The texts in a list of it; none where it is something else. */
export function textsOf(value: unknown): string[] {
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Text up to this length is parsed as it is: at worst it takes some twenty times as much memory. */
const UNCOUNTED = 8 * 1024 ** 2;
/** Values of one text at most: each takes up to 60 bytes, and a scrape of 500,000 series has half as many. */
const MAX_VALUES = 10_000_000;

const COMMA = ",".charCodeAt(0);
const OPEN_BRACE = "{".charCodeAt(0);
const OPEN_BRACKET = "[".charCodeAt(0);

/**
 * `JSON.parse` of a text from elsewhere. 80 MB of empty objects would take 1.5 GB at once, and nothing could stop it:
 * a text of so many values is refused before that.
 * @throws SyntaxError, which never quotes the text; RangeError for too many values
 */
export function parseJson(text: string): unknown {
  if (text.length > UNCOUNTED) refuseMany(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SyntaxError(wordsOf(error));
  }
}

/** V8 quotes the text around what it does not understand, and that may be of a file that nobody meant to be shown. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const place = /at position (\d+)/.exec(message)?.[1];
  if (/^Unexpected end/.test(message)) return "it is not valid JSON: it ends in the middle of a value";
  return `it is not valid JSON${place === undefined ? "" : ` at character ${Number(place) + 1}`}`;
}

function refuseMany(text: string): void {
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c !== COMMA && c !== OPEN_BRACE && c !== OPEN_BRACKET) continue;
    if (++values > MAX_VALUES) throw new RangeError(`it has more than ${grouped(MAX_VALUES)} JSON values in one piece`);
  }
}
