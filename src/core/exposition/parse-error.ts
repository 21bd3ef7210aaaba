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

/** A word is quoted up to here. */
const EXCERPT = /[^\0-\x20]{1,24}/uy;

/** The error for what stands at `offset` of an exposition. */
export function parseErrorAt(text: string, offset: number, expected: string, found?: string): ParseError {
  const lines = text.slice(0, offset).split("\n");
  const column = [...(lines.at(-1) ?? "")].length + 1;
  return new ParseError(lines.length, column, expected, found ?? describe(text, offset));
}

function describe(text: string, offset: number): string {
  const first = text[offset];
  if (first === undefined) return "the end of the text";
  if (first === "\n" || text.startsWith("\r\n", offset)) return "the end of the line";
  if (first === " ") return "a space";
  if (first === "\t") return "a tab";
  if (first < " " || first === "\x7f") return `the byte 0x${first.charCodeAt(0).toString(16).padStart(2, "0")}`;
  EXCERPT.lastIndex = offset;
  return `"${EXCERPT.exec(text)?.[0] ?? first}"`;
}
