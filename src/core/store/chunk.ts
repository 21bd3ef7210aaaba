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
export const CONSTANT = 0;
export const LEVELS = 0;
export const HOLED = 64;
export const STEPS = 128;
export const RUNS = 192;
export const DOUBLES = 193;
/** Added for each decimal place. */
export const DECIMALS = 256;

/** A column's chunk as numbers: its kind with the bits per cell, the value it counts from, and where its cells lie. */
export const CHUNK_FIELDS = 3;

export const WORD = 32;
export const BITMAP = CHUNK / 64;
/** Doubles that hold the least step. */
export const LEAST = 1;

/** Whether all cells of a sealed chunk are one value, which takes no memory of slabs. */
export function isConstant(kind: number): boolean {
  return kind === CONSTANT;
}
