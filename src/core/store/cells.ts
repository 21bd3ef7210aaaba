/**
 * Cells of a part: doubles, NaN for none, or whole numbers of four bytes, ABSENT_WHOLE for none. Counts of buckets come
 * as such from a file, and are sealed as such.
 */
export type Cells = Float64Array | Int32Array;

/** In place of NaN among whole numbers. */
export const ABSENT_WHOLE = -(2 ** 31);

/** Cells as doubles: their own, or a copy of whole numbers. */
export function doublesOf(cells: Cells): Float64Array {
  return cells instanceof Float64Array ? cells : spread(cells, new Float64Array(cells.length));
}

/** Whole numbers as doubles. @returns `out` */
export function spread(cells: Int32Array, out: Float64Array): Float64Array {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT_WHOLE;
    out[i] = cell === ABSENT_WHOLE ? NaN : cell;
  }
  return out;
}

/** Whether some cells have no value. */
export function hasAbsent(cells: Cells): boolean {
  return cells instanceof Float64Array ? hasNaN(cells) : cells.includes(ABSENT_WHOLE);
}

/** `some(Number.isNaN)` takes ten times as long. */
function hasNaN(cells: Float64Array): boolean {
  for (let i = 0; i < cells.length; i++) if (Number.isNaN(cells[i])) return true;
  return false;
}
