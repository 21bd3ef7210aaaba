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
