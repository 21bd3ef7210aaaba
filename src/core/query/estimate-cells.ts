import type { QuantileEstimate } from "../model/index.js";
import type { RowCells } from "./types/index.js";

export const SLICE_QUANTILES = [0.5, 0.9, 0.99] as const;
export const SLICE_QUANTILE_KEYS = SLICE_QUANTILES.map((q) => `p${q * 100}`);

/** A row of a histogram's counts. @param estimates of SLICE_QUANTILES; none when there is nothing to tell them by */
export function histogramCells(numbers: RowCells["values"], estimates: readonly QuantileEstimate[]): RowCells {
  const values = Object.fromEntries(estimates.map(({ value }, i) => [SLICE_QUANTILE_KEYS[i] ?? "", value]));
  return { values: { ...numbers, ...values }, estimates: estimatesByKey(SLICE_QUANTILE_KEYS, estimates) };
}

/** Estimates by the keys of their columns, without those of which no bucket is known. */
export function estimatesByKey(
  keys: readonly string[],
  estimates: readonly QuantileEstimate[],
): Record<string, QuantileEstimate> {
  const known = ({ lower, upper }: QuantileEstimate) => !Number.isNaN(lower) && !Number.isNaN(upper);
  return Object.fromEntries(estimates.flatMap((one, i) => (known(one) ? [[keys[i] ?? "", one] as const] : [])));
}

/** The last bound, of a cell whose quantile lies above it: how far, no bucket says. Undefined of any other cell. */
export function lastBoundBelow(estimate: QuantileEstimate | undefined): number | undefined {
  return estimate?.upper === Infinity && Number.isFinite(estimate.lower) ? estimate.lower : undefined;
}
