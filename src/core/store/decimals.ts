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
