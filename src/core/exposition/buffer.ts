import { sameBytes } from "../bytes/bytes.js";

const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const HASH = 0x23;
export const COMMA = 0x2c;
export const EQUALS = 0x3d;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

const LABEL_START = 1;
const LABEL_CHARACTER = 2;
const METRIC_START = 4;
const METRIC_CHARACTER = 8;

const CLASSES = new Uint8Array(256);
for (let c = 0; c < 128; c++) {
  const character = String.fromCharCode(c);
  if (/[a-zA-Z_]/.test(character)) CLASSES[c] = LABEL_START | LABEL_CHARACTER | METRIC_START | METRIC_CHARACTER;
  else if (character === ":") CLASSES[c] = METRIC_START | METRIC_CHARACTER;
  else if (/[0-9]/.test(character)) CLASSES[c] = LABEL_CHARACTER | METRIC_CHARACTER;
}

const has = (c: number, mask: number) => ((CLASSES[c] ?? 0) & mask) !== 0;

/** Whether a byte may begin a metric's name: `[a-zA-Z_:]`. */
export const isMetricStart = (c: number) => has(c, METRIC_START);
/** Whether a byte may stand in a metric's name: `[a-zA-Z0-9_:]`. */
export const isMetricCharacter = (c: number) => has(c, METRIC_CHARACTER);
/** Whether a byte may begin a label's name: `[a-zA-Z_]`. */
export const isLabelStart = (c: number) => has(c, LABEL_START);
/** Whether a byte may stand in a label's name: `[a-zA-Z0-9_]`. */
export const isLabelCharacter = (c: number) => has(c, LABEL_CHARACTER);
/** Whether a byte is a space or a tab. */
export const isBlank = (c: number) => c === SPACE || c === TAB;

/** Bytes that may be read past the end. */
const PADDING = 32;

/** A copy of one exposition that ends in a newline and may be read 16 bytes a step. */
export class ExpositionBuffer {
  bytes = new Uint8Array(0);
  view = new DataView(this.bytes.buffer);
  /** After the last newline. */
  end = 0;
  /** The text as given did not end in a newline. */
  unterminated = false;

  /** Whether so many bytes fit, without leaving much more room empty. */
  suits(bytes: number): boolean {
    return this.bytes.length >= bytes + PADDING && this.bytes.length <= 2 * (bytes + PADDING);
  }

  /** Whether this is the text that it was loaded with. */
  holds(text: Uint8Array): boolean {
    const body = hasByteOrderMark(text) ? text.subarray(3) : text;
    const { length } = body;
    if (length !== this.end - (this.unterminated ? 1 : 0)) return false;
    return sameBytes(this.view, 0, new DataView(body.buffer, body.byteOffset, length), 0, length);
  }

  load(text: Uint8Array): void {
    const body = hasByteOrderMark(text) ? text.subarray(3) : text;
    if (this.bytes.length < body.length + PADDING) {
      this.bytes = new Uint8Array(Math.ceil(body.length * 1.125) + 2 * PADDING);
      this.view = new DataView(this.bytes.buffer);
    }
    this.bytes.set(body);
    this.end = body.length;
    this.unterminated = body.length > 0 && this.bytes[body.length - 1] !== NEWLINE;
    if (this.unterminated) this.bytes[this.end++] = NEWLINE;
    this.bytes.fill(0, this.end, this.end + PADDING - 1);
  }
}

/** UTF-8 has no byte order; some editors and proxies put the mark all the same. */
export function hasByteOrderMark(text: Uint8Array): boolean {
  return text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf;
}
