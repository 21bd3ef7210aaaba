/** An exposition that cannot be read; the scrape it came with is rejected as a whole. */
export class ParseError extends Error {
  override readonly name = "ParseError";

  constructor(
    /** 1-based. */
    readonly line: number,
    /** 1-based, in characters. */
    readonly column: number,
    readonly expected: string,
    readonly found: string,
  ) {
    super(`line ${line}, column ${column}: expected ${expected}, found ${found}`);
  }
}

const LONGEST_EXCERPT = 24;

/** The error for what stands at `offset` of `bytes`, which hold an exposition up to `end`. */
export function parseErrorAt(
  bytes: Uint8Array,
  end: number,
  offset: number,
  expected: string,
  found?: string,
): ParseError {
  const before = bytes.subarray(0, offset);
  const lineStart = before.lastIndexOf(0x0a) + 1;
  let line = 1;
  for (let at = before.indexOf(0x0a); at >= 0; at = before.indexOf(0x0a, at + 1)) line++;
  const column = [...new TextDecoder().decode(bytes.subarray(lineStart, offset))].length + 1;
  return new ParseError(line, column, expected, found ?? describe(bytes, end, offset));
}

function describe(bytes: Uint8Array, end: number, offset: number): string {
  const first = bytes[offset];
  if (first === undefined || offset >= end) return "the end of the text";
  if (first === 0x0a || (first === 0x0d && bytes[offset + 1] === 0x0a)) return "the end of the line";
  if (first === 0x20) return "a space";
  if (first === 0x09) return "a tab";
  if (first < 0x20 || first === 0x7f) return `the byte 0x${first.toString(16).padStart(2, "0")}`;
  let stop = offset;
  while (stop < end && stop - offset < LONGEST_EXCERPT && (bytes[stop] ?? 0) > 0x20) stop++;
  // A cut through a character of several bytes shows as U+FFFD: take the whole of it.
  while (stop < end && ((bytes[stop] ?? 0) & 0xc0) === 0x80) stop++;
  return `"${new TextDecoder().decode(bytes.subarray(offset, stop))}"`;
}
