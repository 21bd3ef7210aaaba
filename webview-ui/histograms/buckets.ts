import { formatValue } from "../../src/core/catalog/display.js";

/** "≤ 100 ms", "100 ms – 250 ms", "> 10 s": what lies in bucket `row`, whose upper bounds ascend. */
export function bucketText(uppers: ArrayLike<number>, row: number, unit: string | undefined): string {
  const upper = uppers[row] ?? NaN;
  const lower = row === 0 ? undefined : uppers[row - 1];
  if (upper === Infinity) return lower === undefined ? "any value" : `> ${formatValue(lower, unit)}`;
  return lower === undefined
    ? `≤ ${formatValue(upper, unit)}`
    : `${formatValue(lower, unit)} – ${formatValue(upper, unit)}`;
}

export interface BoundLabel {
  /** Buckets below the bound: its place on an axis on which all buckets are equally long. */
  readonly at: number;
  readonly text: string;
}

/**
 * Labels of the finite bounds, each `every`th so that no more than `most` are said; the last one, beyond which nothing
 * is known, always.
 */
export function boundLabels(uppers: ArrayLike<number>, unit: string | undefined, most: number): BoundLabel[] {
  const finite: BoundLabel[] = [];
  for (let row = 0; row < uppers.length; row++) {
    const upper = uppers[row] ?? NaN;
    if (Number.isFinite(upper)) finite.push({ at: row + 1, text: formatValue(upper, unit) });
  }
  const every = Math.max(1, Math.ceil(finite.length / Math.max(1, most)));
  return finite.filter((_, i) => (finite.length - 1 - i) % every === 0);
}

/** Place of a value on an axis on which all buckets are equally long; within a bucket by its share of the way. */
export function placeOf(value: number, uppers: ArrayLike<number>): number {
  let row = 0;
  while (row < uppers.length - 1 && value > (uppers[row] ?? Infinity)) row++;
  const upper = uppers[row] ?? Infinity;
  const lower = row === 0 ? Math.min(0, upper) : (uppers[row - 1] ?? 0);
  // Of the last bucket only the beginning is known, of a bucket without length only the end.
  if (upper === Infinity) return row;
  return upper > lower ? row + Math.min(1, Math.max(0, (value - lower) / (upper - lower))) : row + 1;
}
