/** The newest cells of a column: doubles, NaN for none, or whole numbers of four bytes, ABSENT_WHOLE for none. */
export type Cells = Float64Array | Int32Array;

/** In place of NaN among whole numbers. */
export const ABSENT_WHOLE = -(2 ** 31);

/** Whole numbers as doubles. @returns `out` */
export function spread(cells: Int32Array, out: Float64Array): Float64Array {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT_WHOLE;
    out[i] = cell === ABSENT_WHOLE ? NaN : cell;
  }
  return out;
}

/** Whether whole numbers can hold some doubles: every `stride`-th, from one on. */
export function fitsWhole(cells: ArrayLike<number>, from: number, stride: number, count: number): boolean {
  for (let i = 0, at = from; i < count; i++, at += stride) {
    const cell = cells[at] ?? NaN;
    const whole = cell | 0;
    if ((whole !== cell && !Number.isNaN(cell)) || whole === ABSENT_WHOLE || (whole === 0 && 1 / cell < 0))
      return false;
  }
  return true;
}

/** Writes these of some doubles, which `out` can hold. */
export function setCells(
  out: Cells,
  to: number,
  cells: Float64Array,
  from: number,
  stride: number,
  count: number,
): void {
  const absent = out instanceof Int32Array ? ABSENT_WHOLE : NaN;
  for (let i = 0, at = from; i < count; i++, at += stride) {
    const cell = cells[at] ?? NaN;
    out[to + i] = Number.isNaN(cell) ? absent : cell;
  }
}
