import { ABSENT, BITMAP, CHUNK, CONSTANT, DECIMALS, GAP, HOLED, LEAST, RUNS, STEPS, WORD } from "./chunk.js";
import type { Slab } from "./memory.js";

/** Decodes cells [first, first + count) of a chunk into `out` from `to` on. */
export function unseal(
  kind: number,
  value: number,
  slab: Slab | undefined,
  at: number,
  first: number,
  count: number,
  out: Float64Array,
  to: number,
): void {
  if (kind > DECIMALS) {
    unseal(kind % DECIMALS, value, slab, at, first, count, out, to);
    const scale = 10 ** Math.floor(kind / DECIMALS);
    for (let i = to; i < to + count; i++) out[i] = (out[i] ?? ABSENT) / scale;
  } else if (slab === undefined || kind === CONSTANT) out.fill(value, to, to + count);
  else if (kind < HOLED) unpack(slab, 8 * at, kind, first, count, out, to, value);
  else if (kind < STEPS) {
    const bits = kind - HOLED;
    unpack(slab, 8 * at, bits, first, count, out, to, 0);
    const gap = 2 ** bits - 2;
    for (let i = to; i < to + count; i++) {
      const code = out[i] ?? 0;
      out[i] = code < gap ? value + code : code === gap ? GAP : ABSENT;
    }
  } else if (kind < RUNS) unsealSteps(slab, at, kind - STEPS, value, first, count, out, to);
  else if (kind === RUNS) {
    const { doubles, bytes } = slab;
    let next = at + BITMAP - 1;
    for (let i = 0; i < first + count; i++) {
      if ((((bytes[8 * at + (i >> 3)] ?? 0) >> (i & 7)) & 1) === 1) next++;
      if (i >= first) out[to + i - first] = doubles[next] ?? ABSENT;
    }
  } else out.set(slab.doubles.subarray(at + first, at + first + count), to);
}

const SKIPPED = new Float64Array(CHUNK);

function unsealSteps(
  slab: Slab,
  at: number,
  bits: number,
  value: number,
  first: number,
  count: number,
  out: Float64Array,
  to: number,
): void {
  const least = slab.doubles[at] ?? 0;
  const codes = 8 * (at + LEAST);
  // Of the first cell the code is 0, and there is no step before it.
  let cell = value - least;
  if (first > 0) {
    unpack(slab, codes, bits, 0, first, SKIPPED, 0, least);
    for (let i = 0; i < first; i++) cell += SKIPPED[i] ?? 0;
  }
  unpack(slab, codes, bits, first, count, out, to, least);
  for (let i = to; i < to + count; i++) out[i] = cell += out[i] ?? 0;
}

function unpack(
  { view }: Slab,
  at: number,
  bits: number,
  first: number,
  count: number,
  out: Float64Array,
  to: number,
  base: number,
): void {
  if (bits === WORD) {
    for (let i = 0; i < count; i++) out[to + i] = base + view.getUint32(at + 4 * (first + i), true);
    return;
  }
  const mask = 2 ** bits - 1;
  // Reading four bytes must not lead beyond the slab: its end is read from four bytes before.
  const last = view.byteLength - 4;
  for (let i = 0, bit = first * bits; i < count; i++, bit += bits) {
    let byte = at + (bit >>> 3);
    let shift = bit & 7;
    if (byte > last) {
      shift += 8 * (byte - last);
      byte = last;
    }
    out[to + i] = base + ((view.getInt32(byte, true) >>> shift) & mask);
  }
}
