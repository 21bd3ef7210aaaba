import {
  ABSENT,
  BITMAP,
  CHUNK,
  CONSTANT,
  DECIMALS,
  DOUBLES,
  GAP,
  HOLED,
  LEAST,
  LEVELS,
  RUNS,
  STEPS,
  WORD,
} from "./chunk.js";
import { commonScale } from "./tail.js";
import { offsetAt, slabAt, type Slab, type Slabs } from "./memory.js";

/** Bits of a code that lies in four bytes wherever in its first byte it begins; or all of four. */
const MAX_BITS = 25;
/** Steps are read from the chunk's first cell on, so they must be worth it. */
const WORTHWHILE_BITS = 2;

/** What sealing found; read at once. */
export const sealed = { kind: CONSTANT, value: ABSENT, place: 0, doubles: 0 };

/** Seals cells into memory of `slabs`; `sealed` then says how. */
export function seal(cells: Float64Array, slabs: Slabs): void {
  const { length } = cells;
  const most = doublesFor(cells);
  if (most === SAME) {
    takeNone(cells[0] ?? ABSENT);
    return;
  }
  if (sealExact(cells, slabs, most)) return;
  const scale = commonScale(cells, length);
  if (scale > 1) {
    for (let i = 0; i < length; i++) UNITS[i] = Math.round((cells[i] ?? ABSENT) * scale);
    if (sealExact(UNITS.subarray(0, length), slabs, most)) {
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
function sealExact(cells: Float64Array, slabs: Slabs, doubles: number): boolean {
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
    if (!takeSteps(steps, cells[0] ?? ABSENT, leastStep, length, doubles, slabs)) return false;
    stepCodes(cells, leastStep);
    packSteps(steps, length, slabs);
    return true;
  }
  if (!takeLevels(levels, least, holes, length, doubles, slabs)) return false;
  levelCodes(cells, least, 2 ** (sealed.kind % HOLED) - 1);
  packLevels(length, slabs);
  return true;
}

/** @returns whether there is room for steps in fewer than so many doubles, which is then taken */
function takeSteps(bits: number, first: number, least: number, length: number, doubles: number, slabs: Slabs): boolean {
  const room = LEAST + Math.ceil((bits * length) / 64);
  if (room >= doubles) return false;
  take(STEPS + bits, first, room, slabs);
  slabs.slab(slabAt(sealed.place)).doubles[offsetAt(sealed.place)] = least;
  return true;
}

function packSteps(bits: number, length: number, slabs: Slabs): void {
  pack(slabs.slab(slabAt(sealed.place)), 8 * (offsetAt(sealed.place) + LEAST), bits, length);
}

/** As `takeSteps`, for levels. */
function takeLevels(
  needed: number,
  least: number,
  holes: number,
  length: number,
  doubles: number,
  slabs: Slabs,
): boolean {
  const bits = needed <= MAX_BITS ? needed : WORD;
  const room = Math.ceil((bits * length) / 64);
  if (needed > WORD || room >= doubles) return false;
  take((holes === 0 ? LEVELS : HOLED) + bits, least, room, slabs);
  return true;
}

function packLevels(length: number, slabs: Slabs): void {
  pack(slabs.slab(slabAt(sealed.place)), 8 * offsetAt(sealed.place), sealed.kind % HOLED, length);
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

function takeNone(value: number): void {
  sealed.kind = CONSTANT;
  sealed.value = value;
  sealed.place = sealed.doubles = 0;
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
