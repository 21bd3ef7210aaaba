import type { ColumnMetaData, PageHeader } from "hyparquet/src/types.js";
import { readPlain } from "hyparquet/src/plain.js";

/** The code of rows without a value. */
export const ABSENT = 0;

export type PageValues = ReturnType<typeof readPlain>;

/** One data page: its bytes, and which of its rows have a value. */
export class DataPage {
  /** Rows that have one. */
  values = 0;
  private bytes = new Uint8Array(0);
  private view = new DataView(this.bytes.buffer);
  private length = 0;
  private count = 0;
  /** 1 for rows that have one, unless all have. */
  private levels = new Int32Array(0);
  /** Codes of the rows that have one. */
  private dense = new Int32Array(0);

  /** A copy of these bytes, behind which may be read. */
  load(bytes: Uint8Array): void {
    if (this.bytes.length < bytes.length + READ_BEYOND) {
      this.bytes = new Uint8Array(2 * bytes.length + READ_BEYOND);
      this.view = new DataView(this.bytes.buffer);
    }
    this.bytes.set(bytes);
    this.length = bytes.length;
  }

  /**
   * Reads the levels.
   * @param required whether there are none
   * @param whole whether they say that all rows have a value
   * @returns where the values begin
   */
  open(
    bytes: Uint8Array,
    header: PageHeader,
    required: boolean,
    whole: boolean,
    decompressed: (bytes: Uint8Array, size: number) => Uint8Array,
  ): number {
    const { data_page_header: first, data_page_header_v2: second } = header;
    if (second === undefined) {
      this.load(decompressed(bytes, header.uncompressed_page_size));
      this.count = this.values = first?.num_values ?? 0;
      if (required) return 0;
      const end = 4 + (this.length < 4 ? 0 : this.view.getUint32(0, true));
      if (!whole) this.readLevels(4, Math.min(end, this.length));
      return end;
    }
    const { repetition_levels_byte_length: skipped, definition_levels_byte_length: length } = second;
    this.count = this.values = second.num_values;
    const at = skipped + length;
    if (length > 0) {
      this.load(bytes.subarray(skipped, at));
      this.readLevels(0, length);
    }
    const rest = bytes.subarray(at);
    this.load(second.is_compressed === false ? rest : decompressed(rest, header.uncompressed_page_size - at));
    return 0;
  }

  /** Takes the levels as another reader found them. */
  levelled(levels: readonly number[] | undefined, count: number): void {
    this.count = this.values = count;
    if (levels === undefined || levels.length === 0) return;
    this.reserve();
    this.values = 0;
    for (let i = 0; i < count; i++) this.values += this.levels[i] = levels[i] ?? 0;
  }

  /** Plain values from `at` on. They may lie in the page's own memory. */
  plain(at: number, type: ColumnMetaData["type"], count: number): PageValues {
    return readPlain({ view: new DataView(this.bytes.buffer, 0, this.length), offset: at }, type, count, undefined);
  }

  /** Reads places in the dictionary from `at` on, as codes of the rows from `row` on. */
  codes(at: number, out: Int32Array, row: number): void {
    if (this.values === 0) {
      out.fill(ABSENT, row, row + this.count);
      return;
    }
    const width = this.view.getUint8(at);
    if (width > 32) throw new Error(`its codes have ${width} bits`);
    const whole = this.values === this.count;
    readHybrid(
      this.view,
      at + 1,
      this.length,
      width,
      this.values,
      whole ? out : this.dense,
      whole ? row : 0,
      ABSENT + 1,
    );
    if (whole) return;
    const { levels, dense } = this;
    for (let i = 0, next = 0; i < this.count; i++) out[row + i] = levels[i] === 1 ? (dense[next++] ?? ABSENT) : ABSENT;
  }

  /** Gives the rows from `row` on that have a value codes that ascend from `first` on. */
  present(out: Int32Array, row: number, first: number): void {
    const { levels, count } = this;
    const whole = this.values === count;
    for (let i = row; i < row + count; i++) out[i] = whole || levels[i - row] === 1 ? first++ : ABSENT;
  }

  private readLevels(at: number, end: number): void {
    this.reserve();
    readHybrid(this.view, at, end, 1, this.count, this.levels, 0, 0);
    this.values = 0;
    for (let i = 0; i < this.count; i++) this.values += this.levels[i] ?? 0;
  }

  private reserve(): void {
    if (this.levels.length >= this.count) return;
    this.levels = new Int32Array(this.count);
    this.dense = new Int32Array(this.count);
  }
}

/**
 * Parquet's hybrid of runs and bit-packed groups (parquet-format, Encodings.md, "RLE/bit-packing hybrid"), which holds
 * definition levels and dictionary codes, decoded. Own code because it was a quarter of all opening with hyparquet's: a
 * packed code of 12 bits takes that 14 ns and this 3, one of a run 9 and 2.
 */

/** Values in a bit-packed group. */
const GROUP = 8;

/** Bytes behind the codes that `readHybrid` may read, whatever they hold. */
export const READ_BEYOND = 8;

/**
 * Decodes `count` codes, each with `shift` added, into `out` from `to` on.
 * @param view goes on for READ_BEYOND bytes after `end`
 * @param at where the codes begin, and `end` where they end at the latest
 * @param width bits a code, at most 32
 * @throws Error when they end before
 */
export function readHybrid(
  view: DataView,
  at: number,
  end: number,
  width: number,
  count: number,
  out: Int32Array,
  to: number,
  shift: number,
): void {
  const last = to + count;
  if (width === 0) {
    out.fill(shift, to, last);
    return;
  }
  while (to < last) {
    let header = at < end ? view.getUint8(at++) : 0x80;
    if (header > 127) ({ value: header, next: at } = readVarint(view, at, end, header & 127, 7));
    const values = header >>> 1;
    if ((header & 1) === 0) {
      const bytes = (width + 7) >> 3;
      if (at + bytes > end) throw new Error("its codes end too soon");
      const code = (view.getInt32(at, true) & maskOf(8 * bytes)) + shift;
      at += bytes;
      const stop = Math.min(last, to + values);
      // A call takes longer than a few cells.
      if (stop - to > LONG) out.fill(code, to, stop);
      else for (let i = to; i < stop; i++) out[i] = code;
      to = stop;
    } else {
      const stop = Math.min(last, to + values * GROUP);
      // Some writers leave out what is left of the last group.
      if (at + Math.ceil(((stop - to) * width) / 8) > end) throw new Error("its codes end too soon");
      unpack(view, at, width, out, to, stop, shift);
      at += values * width;
      to = stop;
    }
  }
}

const LONG = 64;

/** The rest of a number of which the lowest bits are known. */
function readVarint(view: DataView, at: number, end: number, value: number, bits: number) {
  for (let byte = 0x80; byte > 127; bits += 7) {
    if (at >= end || bits > 28) throw new Error("its codes end too soon");
    byte = view.getUint8(at++);
    value |= (byte & 127) << bits;
  }
  return { value, next: at };
}

function maskOf(bits: number): number {
  return bits >= 32 ? -1 : (1 << bits) - 1;
}

/** Four bytes at a time: reading each code by itself took twice as long. */
function unpack(
  view: DataView,
  at: number,
  width: number,
  out: Int32Array,
  to: number,
  end: number,
  shift: number,
): void {
  const mask = maskOf(width);
  let waiting = 0;
  let left = 0;
  while (to < end) {
    for (; left >= width && to < end; left -= width) {
      out[to++] = (waiting & mask) + shift;
      waiting >>>= width;
    }
    if (to === end) return;
    const next = view.getInt32(at, true);
    at += 4;
    out[to++] = ((waiting | (next << left)) & mask) + shift;
    // A shift by 32 is none.
    waiting = width - left === 32 ? 0 : next >>> (width - left);
    left += 32 - width;
  }
}
