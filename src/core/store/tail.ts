import { ABSENT, GAP } from "./chunk.js";

/** Most decimal places that are looked for. */
const MAX_PLACES = 6;
const MAX_SCALE = 10 ** MAX_PLACES;
/** Whole numbers of at most 15 digits: divided by a power of ten, each gives the double that its decimals stand for. */
const MAX_UNITS = 1e15;

/**
 * The least power of ten, `from` or a higher one, that makes a whole number of a value, so that
 * `Math.round(value * scale) / scale` is the value again. @returns 0 when none does
 */
function decimalScale(value: number, from: number): number {
  if (Object.is(value, -0)) return 0;
  for (let scale = from; scale <= MAX_SCALE; scale *= 10) {
    const units = Math.round(value * scale);
    if (!(Math.abs(units) <= MAX_UNITS)) return 0;
    if (units / scale === value) return scale;
  }
  return 0;
}

/** The least power of ten that makes whole numbers of the finite ones among the first `count` cells; 0: none does. */
export function commonScale(cells: Float64Array, count: number): number {
  let scale = 1;
  for (let i = 0; scale > 0 && i < count; i++) {
    const cell = cells[i] ?? NaN;
    // The others are cells without a sample.
    if (!Number.isNaN(cell) && cell !== Infinity) scale = decimalScale(cell, scale);
  }
  return scale;
}

/** Memory of a column's newest cells: codes, or doubles. */
export type Tail = Uint16Array | Uint32Array | Float64Array;
type Codes = Uint16Array | Uint32Array;
type TailKind = "16 bits" | "32 bits" | "doubles";

export const NO_CODES = new Uint16Array(0);
const GAP_16 = 0xfffe;
const GAP_32 = 0xfffffffe;

/** The code of a gap; the next one is that of ABSENT. */
export function gapOf(codes: Codes): number {
  return codes instanceof Uint16Array ? GAP_16 : GAP_32;
}

/** How a tail's cells are kept. */
export function kindOf(tail: Tail): TailKind {
  return tail instanceof Uint16Array ? "16 bits" : tail instanceof Uint32Array ? "32 bits" : "doubles";
}

/** An empty tail. @param capacity in cells */
export function tailOf(kind: TailKind, capacity: number): Tail {
  switch (kind) {
    case "16 bits":
      return new Uint16Array(capacity);
    case "32 bits":
      return new Uint32Array(capacity);
    case "doubles":
      return new Float64Array(capacity);
  }
}

/**
 * The smallest memory that holds the first `count` cells, and as many again beyond them, as whole numbers above `base`
 * that `scale` divides.
 */
export function fittingTail(
  cells: Float64Array,
  count: number,
): { readonly kind: TailKind; readonly base: number; readonly scale: number } {
  const scale = commonScale(cells, count);
  if (scale === 0) return DOUBLES;
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < count; i++) {
    const cell = cells[i] ?? ABSENT;
    if (Number.isNaN(cell) || cell === GAP) continue;
    const units = Math.round(cell * scale);
    if (units < least) least = units;
    if (units > most) most = units;
  }
  if (most < least) return { kind: "16 bits", base: 0, scale };
  const range = most - least;
  const gap = 2 * range < GAP_16 ? GAP_16 : GAP_32;
  if (2 * range >= gap) return DOUBLES;
  // Most of the room is above: more rises than falls.
  return { kind: gap === GAP_16 ? "16 bits" : "32 bits", base: least - Math.floor((gap - range) / 4), scale };
}

const DOUBLES = { kind: "doubles", base: 0, scale: 1 } as const;
