import { estimateQuantiles, type IntervalSequence } from "../../src/core/stats/quantiles/index.js";
import { trueQuantile } from "./histogram-simulation.js";

export const SCORED = [0.5, 0.9, 0.95, 0.99] as const;

/** |estimate − truth| / |truth|; a missing estimate counts as wrong by 1. */
export function relativeError(estimate: number, truth: number): number {
  if (estimate === truth) return 0;
  const error = Math.abs(estimate - truth) / Math.abs(truth);
  return Number.isFinite(error) ? error : 1;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How far estimates of `SCORED` are from the quantiles of what was observed. */
export function errors(sequence: IntervalSequence, observations: Float64Array): number[] {
  return estimateQuantiles(sequence, SCORED).map(({ value }, i) =>
    relativeError(value, trueQuantile(observations, SCORED[i] ?? NaN)),
  );
}
