import { plainText } from "../core/text/index.js";

/** Of what is too much for one call. */
export const NARROWER_QUESTION = "Ask for less: one metric, one series or one statistic.";
/** Bytes of UTF-8 that an answer has at the most. */
export const ANSWER_BYTES = 4096;
/** Kept free for what follows a list: how many there are, and where the next ones begin. */
const RESERVE = 160;

/** Plain data; what is undefined is left out, NaN is null. */
export type AnswerFields = Readonly<Record<string, unknown>>;

/** Of a text, where an answer would be too long with all of it. */
const TEXT_BYTES = [400, 120, 40, 12];

/** What all of an answer stands under but `next`, which alone is ours to say. */
export const DATA = "data";

/**
 * As JSON on one line, with long names and texts cut where it would be too long. Characters of endpoints and files that
 * control or are not seen are written out, which leaves it the same JSON.
 */
export function answerText({ next, ...data }: AnswerFields): string {
  const textOf = (value: unknown) => plainText(JSON.stringify({ [DATA]: value, next }));
  const whole = textOf(data);
  if (Buffer.byteLength(whole) <= ANSWER_BYTES) return whole;
  return textOf(shortened(data, ANSWER_BYTES - bytesOf({ [DATA]: {}, next })));
}

/** Bytes that a value takes in an answer, as JSON in UTF-8. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(plainText(JSON.stringify(value) ?? ""));
}

/**
 * Adds a list to an answer, as much of it as there is room for: `key`, `total_KEY`, and `next_offset` when some are
 * left.
 * @param offset of the first one
 */
export function withList(
  base: AnswerFields,
  key: string,
  items: readonly unknown[],
  { offset = 0, room = ANSWER_BYTES }: { readonly offset?: number | undefined; readonly room?: number } = {},
): AnswerFields {
  let left = room - RESERVE - bytesOf(base);
  const shown: unknown[] = [];
  for (const item of items.slice(offset)) {
    const size = bytesOf(item) + 1;
    if (size > left) break;
    shown.push(item);
    left -= size;
  }
  // One that is longer than an answer must not stop whoever reads page by page.
  if (shown.length === 0 && offset < items.length) {
    const shorter = shortened(items[offset], left);
    shown.push(bytesOf(shorter) <= left ? shorter : "left out: longer than an answer");
  }
  const next = offset + shown.length;
  return {
    ...base,
    [key]: shown,
    [`total_${key}`]: items.length,
    ...(next < items.length ? { next_offset: next } : {}),
  };
}

/** The first bytes of a text, at a boundary between characters. */
export function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  let length = Math.min(text.length, Math.max(0, bytes - 3));
  while (length > 0 && Buffer.byteLength(text.slice(0, length)) > bytes - 3) length--;
  return `${text.slice(0, length)}…`;
}

/** The same data with texts cut until it fits, or as short as they get. */
function shortened(value: unknown, room: number): unknown {
  let shorter = value;
  for (const length of TEXT_BYTES) {
    shorter = withShortTexts(value, length);
    if (bytesOf(shorter) <= room) break;
  }
  return shorter;
}

function withShortTexts(value: unknown, length: number): unknown {
  if (typeof value === "string") return cut(value, length);
  if (Array.isArray(value)) return value.map((item: unknown) => withShortTexts(item, length));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [cut(key, length), withShortTexts(item, length)]),
  );
}
