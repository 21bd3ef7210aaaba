/**
 * Parquet's hybrid of runs and bit-packed groups (parquet-format, Encodings.md, "RLE/bit-packing hybrid"), which holds
 * definition levels and dictionary codes. Own code because hyparquet-writer's makes a call a byte: 65,536 codes of 12
 * bits take it 1.0 ms and this one 0.4 ms, and packing codes is a third of all encoding. Reading was a quarter of all
 * opening with hyparquet's: a packed code of 12 bits takes it 14 ns and this one 3,
 * one of a run 9 and 2.
 */

/** Values in a bit-packed group, and the least that become a run. */
const GROUP = 8;

/** Bytes that `writeHybrid` may need. */
export function hybridCapacity(values: number, width: number): number {
  return (Math.ceil(values / GROUP) + 1) * (width + 12);
}

/** Bits that hold the codes 0 to `count - 1`. */
export function codeWidth(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}

/**
 * Encodes codes [from, to).
 * @param width bits a code, at most 24
 * @param out with room for `hybridCapacity`
 * @returns the position after what was written at `at`
 */
export function writeHybrid(
  codes: Int32Array,
  from: number,
  to: number,
  width: number,
  out: Uint8Array,
  at: number,
): number {
  let packedFrom = from;
  for (let i = from; i < to;) {
    const code = codes[i] ?? 0;
    let end = i + 1;
    while (end < to && codes[end] === code) end++;
    if (end - i < GROUP) {
      i += GROUP;
      continue;
    }
    at = writePacked(codes, packedFrom, i, width, out, at);
    at = writeRun(code, end - i, width, out, at);
    packedFrom = i = end;
  }
  return writePacked(codes, packedFrom, to, width, out, at);
}

/** One code, so many times. @returns the position after what was written at `at` */
export function writeRun(code: number, count: number, width: number, out: Uint8Array, at: number): number {
  at = writeVarint(count * 2, out, at);
  for (let shift = 0; shift < width; shift += 8) out[at++] = code >>> shift;
  return at;
}

/** Whole groups; what the last one lacks is 0. */
function writePacked(codes: Int32Array, from: number, to: number, width: number, out: Uint8Array, at: number): number {
  if (from >= to) return at;
  const groups = Math.ceil((to - from) / GROUP);
  at = writeVarint(groups * 2 + 1, out, at);
  let bits = 0;
  let filled = 0;
  const end = from + groups * GROUP;
  for (let i = from; i < end; i++) {
    if (i < to) bits |= (codes[i] ?? 0) << filled;
    filled += width;
    while (filled >= 8) {
      out[at++] = bits;
      bits >>>= 8;
      filled -= 8;
    }
  }
  return at;
}

function writeVarint(value: number, out: Uint8Array, at: number): number {
  while (value > 127) {
    out[at++] = (value & 127) | 128;
    value >>>= 7;
  }
  out[at++] = value;
  return at;
}

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

/** The code that all of so many have, when they are written as one run. */
export function onlyCode(view: DataView, at: number, end: number, width: number, count: number): number | undefined {
  const { value: header, next } = readVarint(view, at, end, 0, 0);
  if ((header & 1) === 1 || header >>> 1 < count || next + ((width + 7) >> 3) > end) return undefined;
  return view.getInt32(next, true) & maskOf(8 * ((width + 7) >> 3));
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
