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

/** 32 bits that depend on every byte. Two stretches side by side: a multiplication waits for the one before. */
export function hashBytes(view: DataView, start: number, end: number): number {
  let hash = end - start;
  let other = ~hash;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1);
    other = Math.imul(other ^ view.getInt32(at + 4, true), 0x85ebca6b);
    hash ^= hash >>> 15;
    other ^= other >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16) ^ Math.imul(other, 0xc2b2ae35), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
