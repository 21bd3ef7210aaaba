import { sum } from "../../src/core/math/averages.js";
import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { DistributionData } from "../../src/protocol/index.js";
import { plural } from "../../src/core/text/plural.js";

/** "≤ 100 ms", "100 ms – 250 ms", "> 10 s": what lies in bucket `row`, whose upper bounds ascend. */
export function bucketText(uppers: ArrayLike<number>, row: number, unit: string | undefined): string {
  const upper = uppers[row] ?? NaN;
  const lower = row === 0 ? undefined : uppers[row - 1];
  if (upper === Infinity) return lower === undefined ? t("any value") : `> ${formatValue(lower, unit)}`;
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

/** The buckets from the first to the last that holds something, `end` not among them; of none that does all. */
export function filledBuckets(counts: ArrayLike<number>): { readonly first: number; readonly end: number } {
  const filled = Array.from(counts, (count) => count > 0);
  const first = filled.indexOf(true);
  return first < 0 ? { first: 0, end: filled.length } : { first, end: filled.lastIndexOf(true) + 1 };
}

/** Height of a bar as a share of the greatest; by its logarithm, one observation still has a height. */
export function barHeight(value: number, greatest: number, logarithmic: boolean): number {
  if (!(value > 0)) return 0;
  return logarithmic ? Math.log1p(value) / Math.log1p(greatest) : value / greatest;
}

/** "p50", "p99", "p99.9". */
export function quantileName(q: number): string {
  return `p${Number((q * 100).toFixed(3))}`;
}

/** Bucket, count and share, line by line. */
export function bucketLines({ uppers, counts, unit }: DistributionData, row: number): string[] {
  const total = sum(counts);
  const count = counts[row] ?? 0;
  const below = sum(counts.subarray(0, row + 1));
  const share = (part: number) => formatValue(total === 0 ? NaN : part / total, "ratio");
  return [
    bucketText(uppers, row, unit),
    `${plural(count, t("observation"), t("observations"))}, ${share(count)}`,
    t`${share(below)} up to here`,
  ];
}
