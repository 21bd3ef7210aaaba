import { commonScale } from "./decimals.js";
import { offsetAt, slabAt, type Slab, type Slabs } from "./slabs.js";

/**
 * Cells of a column that hold no sample. ABSENT: the series was not in that scrape (or the scrape failed).
 * GAP: it was, but with NaN or an infinite value. Real values are finite, so neither can be mistaken for one.
 */
export const ABSENT = NaN;
export const GAP = Infinity;

/** Rows that are sealed together. */
export const CHUNK = 512;

/**
 * The ways in which a chunk of 512 cells is sealed; it takes the smallest:
 * - one value;
 * - whole numbers in as few bits as they need above the least, the two highest codes standing for ABSENT and GAP where
 *   there are any;
 * - the steps between whole numbers, in as few bits as they need above the least step;
 * - values that repeat: one bit per cell that says whether it is new, and the new values;
 * - doubles as they are.
 * Numbers with a few decimals are sealed as the whole numbers that a power of ten makes of them.
 */
const CONSTANT = 0;
const LEVELS = 0;
const HOLED = 64;
const STEPS = 128;
const RUNS = 192;
const DOUBLES = 193;
/** Added for each decimal place. */
const DECIMALS = 256;

/** A column's chunk as numbers: its kind with the bits per cell, the value it counts from, and where its cells lie. */
export const CHUNK_FIELDS = 3;

/** Bits of a code that lies in four bytes wherever in its first byte it begins; or all of four. */
const MAX_BITS = 25;
const WORD = 32;
/** Steps are read from the chunk's first cell on, so they must be worth it. */
const WORTHWHILE_BITS = 2;
const BITMAP = CHUNK / 64;
/** Doubles that hold the least step. */
const LEAST = 1;

/** Whether all cells of a sealed chunk are one value, which takes no memory of slabs. */
export function isConstant(kind: number): boolean {
  return kind === CONSTANT;
}

/** What sealing found; read at once. */
export const sealed = { kind: CONSTANT, value: ABSENT, place: 0, doubles: 0 };

/** Seals cells into memory of `slabs`; `sealed` then says how. */
export function seal(cells: Float64Array, slabs: Slabs): void {
  const { length } = cells;
  const most = doublesFor(cells);
  if (most === SAME) {
    sealed.kind = CONSTANT;
    sealed.value = cells[0] ?? ABSENT;
    sealed.place = sealed.doubles = 0;
    return;
  }
  if (sealWhole(cells, slabs, most)) return;
  const scale = commonScale(cells, length);
  if (scale > 1) {
    for (let i = 0; i < length; i++) UNITS[i] = Math.round((cells[i] ?? ABSENT) * scale);
    if (sealWhole(UNITS.subarray(0, length), slabs, most)) {
      sealed.kind += DECIMALS * Math.round(Math.log10(scale));
      return;
    }
  }
  sealDoubles(cells, slabs, most);
}

/** What was found of cells that are whole numbers; read at once. */
const found = { holes: 0, least: 0, most: 0, leastStep: 0, mostStep: 0 };

/**
 * Functions of one loop each, which V8 leaves at their ends: one with several, left in its midst once it was compiled
 * for the first loop, ran the others in the interpreter.
 * @returns whether they are whole numbers, as `found` then says
 */
function surveyWhole(cells: Float64Array): boolean {
  let holes = 0;
  let least = Infinity;
  let most = -Infinity;
  let leastStep = Infinity;
  let mostStep = -Infinity;
  let before = NaN;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT;
    if (Math.floor(cell) !== cell || cell === GAP) {
      if (!Number.isNaN(cell) && cell !== GAP) return false;
      holes++;
      continue;
    }
    if (cell === 0 && 1 / cell < 0) return false;
    if (cell < least) least = cell;
    if (cell > most) most = cell;
    // Before the first one there is none.
    const step = cell - before;
    before = cell;
    if (step < leastStep) leastStep = step;
    if (step > mostStep) mostStep = step;
  }
  found.holes = holes;
  found.least = least;
  found.most = most;
  found.leastStep = leastStep;
  found.mostStep = mostStep;
  return true;
}

/** @returns whether they are whole numbers, and take fewer than so many doubles */
function sealWhole(cells: Float64Array, slabs: Slabs, doubles: number): boolean {
  if (!surveyWhole(cells)) return false;
  const { length } = cells;
  const { holes, least, most, leastStep, mostStep } = found;
  if (least < Number.MIN_SAFE_INTEGER || most > Number.MAX_SAFE_INTEGER) return false;
  const range = most - least;
  const levels = bitsFor(holes === 0 ? range : range + 2);
  // Sums of steps must be exact.
  const exact = holes === 0 && most - least < EXACT && Math.abs(least) < EXACT && Math.abs(leastStep) < EXACT;
  const steps = exact ? bitsFor(mostStep - leastStep) : Infinity;
  if (steps <= MAX_BITS && steps + WORTHWHILE_BITS <= levels) {
    const room = LEAST + Math.ceil((steps * length) / 64);
    if (room >= doubles) return false;
    take(STEPS + steps, cells[0] ?? ABSENT, room, slabs);
    const slab = slabs.slab(slabAt(sealed.place));
    const at = offsetAt(sealed.place);
    slab.doubles[at] = leastStep;
    stepCodes(cells, leastStep);
    pack(slab, 8 * (at + LEAST), steps, length);
    return true;
  }
  const bits = levels <= MAX_BITS ? levels : WORD;
  const room = Math.ceil((bits * length) / 64);
  if (levels > WORD || room >= doubles) return false;
  take((holes === 0 ? LEVELS : HOLED) + bits, least, room, slabs);
  levelCodes(cells, least, 2 ** bits - 1);
  pack(slabs.slab(slabAt(sealed.place)), 8 * offsetAt(sealed.place), bits, length);
  return true;
}

function stepCodes(cells: Float64Array, least: number): void {
  let before = cells[0] ?? ABSENT;
  CODES[0] = 0;
  for (let i = 1; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT;
    CODES[i] = cell - before - least;
    before = cell;
  }
}

function levelCodes(cells: Float64Array, least: number, absent: number): void {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT;
    CODES[i] = Number.isNaN(cell) ? absent : cell === GAP ? absent - 1 : cell - least;
  }
}

const EXACT = 2 ** 51;
/** Of up to four bytes, whatever their sign. */
const CODES = new Int32Array(CHUNK);
const UNITS = new Float64Array(CHUNK);

/** Bits for whole numbers from 0 to `most`, which is above 0 or of no numbers at all. */
function bitsFor(most: number): number {
  if (most < 0) return 2;
  return most < 2 ** WORD ? Math.max(1, WORD - Math.clz32(most)) : Infinity;
}

function take(kind: number, value: number, doubles: number, slabs: Slabs): void {
  sealed.kind = kind;
  sealed.value = value;
  sealed.place = slabs.take(doubles);
  sealed.doubles = doubles;
}

/** What cells take as they are, or as runs; SAME when they are all one value. */
function doublesFor(cells: Float64Array): number {
  let values = 1;
  let before = cells[0] ?? ABSENT;
  for (let i = 1; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT;
    if (!isSame(cell, before)) values++;
    before = cell;
  }
  return values === 1 ? SAME : Math.min(cells.length, BITMAP + values);
}

/** As `Object.is`, which is a call. */
function isSame(a: number, b: number): boolean {
  return a === b ? a !== 0 || 1 / a === 1 / b : Number.isNaN(a) && Number.isNaN(b);
}

const SAME = 0;

function sealDoubles(cells: Float64Array, slabs: Slabs, room: number): void {
  const { length } = cells;
  if (room === length) {
    take(DOUBLES, 0, length, slabs);
    slabs.slab(slabAt(sealed.place)).doubles.set(cells, offsetAt(sealed.place));
    return;
  }
  take(RUNS, 0, room, slabs);
  const { doubles, bytes } = slabs.slab(slabAt(sealed.place));
  const bitmap = offsetAt(sealed.place);
  for (let i = 0, at = bitmap + BITMAP; i < length; i++) {
    if (i > 0 && Object.is(cells[i], cells[i - 1])) continue;
    doubles[at++] = cells[i] ?? ABSENT;
    const byte = 8 * bitmap + (i >> 3);
    bytes[byte] = (bytes[byte] ?? 0) | (1 << (i & 7));
  }
}

/** Writes the first codes one after the other, four bytes at a time: room is taken in doubles. */
function pack({ view }: Slab, at: number, bits: number, count: number): void {
  let waiting = 0;
  let filled = 0;
  for (let i = 0; i < count; i++) {
    const code = CODES[i] ?? 0;
    waiting |= code << filled;
    filled += bits;
    if (filled < WORD) continue;
    view.setInt32(at, waiting, true);
    at += 4;
    filled -= WORD;
    // A shift by all of them is none.
    waiting = filled === 0 ? 0 : code >>> (bits - filled);
  }
  if (filled > 0) view.setInt32(at, waiting, true);
}

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
  } else if (kind < RUNS) {
    // Of the first cell the code is 0, and there is no step before it.
    const least = slab.doubles[at] ?? 0;
    let cell = value - least;
    if (first > 0) {
      unpack(slab, 8 * (at + LEAST), kind - STEPS, 0, first, SKIPPED, 0, least);
      for (let i = 0; i < first; i++) cell += SKIPPED[i] ?? 0;
    }
    unpack(slab, 8 * (at + LEAST), kind - STEPS, first, count, out, to, least);
    for (let i = to; i < to + count; i++) out[i] = cell += out[i] ?? 0;
  } else if (kind === RUNS) {
    const { doubles, bytes } = slab;
    let next = at + BITMAP - 1;
    for (let i = 0; i < first + count; i++) {
      if ((((bytes[8 * at + (i >> 3)] ?? 0) >> (i & 7)) & 1) === 1) next++;
      if (i >= first) out[to + i - first] = doubles[next] ?? ABSENT;
    }
  } else out.set(slab.doubles.subarray(at + first, at + first + count), to);
}

const SKIPPED = new Float64Array(CHUNK);

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
