/** Fields of a line, side by side in one array. */
export const STRIDE = 4;
export const START = 0;
/** Bytes up to the value; the whole line when it has none. */
export const KEY_LENGTH = 1;
/** Bytes with the newline. */
export const LENGTH = 2;
/** What the bytes up to the value are known as. */
export const ENTRY = 3;

/** A usual line. Room for shorter ones is made when they come. */
const LINE_BYTES = 96;
const MAX_EXPECTED = 1 << 20;
const FEW = 64;

/** So many lines a text of so many bytes is expected to have, and no text more than a megabyte of them. */
export function expectedLines(bytes: number): number {
  return Math.ceil(Math.min(bytes, MAX_EXPECTED) / LINE_BYTES);
}

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

  /** Makes room for the lines of so many bytes before the first comes: what grows is copied. */
  expect(bytes: number): void {
    const lines = expectedLines(bytes);
    if (this.length > 0 || lines <= this.values.length) return;
    this.fields = new Int32Array(lines * STRIDE);
    this.values = new Float64Array(lines);
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
