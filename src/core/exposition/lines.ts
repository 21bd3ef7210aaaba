import { differs16, sameBytes } from "../bytes/bytes.js";

/** Fields of a line, side by side in one array. */
export const STRIDE = 4;
export const START = 0;
/** Bytes up to the value; the whole line when it has none. */
export const KEY_LENGTH = 1;
/** Bytes with the newline. */
export const LENGTH = 2;
/** What the bytes up to the value are known as. */
export const ENTRY = 3;

const FEW = 64;

/** The lines of one scrape, where they stand in its buffer, and their values. */
export class ScrapeLines {
  fields = new Int32Array(0);
  values = new Float64Array(0);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  /** Whether so many lines fit, without leaving much more room empty. */
  suits(lines: number): boolean {
    return lines > 0 && this.values.length >= lines && this.values.length <= 2 * lines + FEW;
  }

  push(start: number, keyLength: number, length: number, entry: number, value: number): void {
    const line = this.length++;
    if (line === this.values.length) this.grow();
    const field = line * STRIDE;
    this.fields[field] = start;
    this.fields[field + KEY_LENGTH] = keyLength;
    this.fields[field + LENGTH] = length;
    this.fields[field + ENTRY] = entry;
    this.values[line] = value;
  }

  start(line: number): number {
    return this.fields[line * STRIDE + START] ?? 0;
  }

  /** -1 when there is no such line. */
  entry(line: number): number {
    return line >= 0 && line < this.length ? (this.fields[line * STRIDE + ENTRY] ?? -1) : -1;
  }

  private grow(): void {
    const fields = new Int32Array(Math.max(FEW * STRIDE, 2 * this.fields.length));
    fields.set(this.fields);
    this.fields = fields;
    const values = new Float64Array(Math.max(FEW, 2 * this.values.length));
    values.set(this.values);
    this.values = values;
  }
}

const DIFFERENT = 0;
export const SAME_SERIES = 1;
export const SAME_LINE = 2;

/**
 * How a line of the last scrape compares with what stands at `j`: of `keyLength` bytes up to the value and `length` in
 * all. A shorter text differs at its newline at the latest, so nothing beyond its padding is read.
 */
export function compareLines(
  a: DataView,
  i: number,
  b: DataView,
  j: number,
  keyLength: number,
  length: number,
): number {
  if (keyLength < 16) {
    if (!sameBytes(a, i, b, j, keyLength)) return DIFFERENT;
  } else {
    const last = keyLength - 16;
    for (let at = 0; at < last; at += 16) if (differs16(a, i + at, b, j + at)) return DIFFERENT;
    if (differs16(a, i + last, b, j + last)) return DIFFERENT;
    // The last 16 bytes of the line cover its value.
    if (length - keyLength <= 16) return differs16(a, i + length - 16, b, j + length - 16) ? SAME_SERIES : SAME_LINE;
  }
  return sameBytes(a, i + keyLength, b, j + keyLength, length - keyLength) ? SAME_LINE : SAME_SERIES;
}
