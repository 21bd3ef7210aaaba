import { sameBytes } from "../bytes/bytes.js";
import { NEWLINE } from "./characters.js";

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
