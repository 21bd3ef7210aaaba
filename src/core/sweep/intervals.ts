import { mean } from "../math/index.js";
import { criticalT } from "../stats/index.js";
import type { Estimated } from "./types.js";

/** Batches that a run is cut into: few, so that they hardly depend on each other. */
export const BATCHES = 10;
const MIN_BATCHES = 4;
const CONFIDENCE = 0.95;
/** Standard normal at 97.5 %. */
const Z = 1.959964;

/** 95 % interval of a mean by batch means; absent for fewer than four batches. */
export function withBatches(value: number, batches: readonly number[]): Estimated {
  const n = batches.length;
  if (n < MIN_BATCHES) return { value };
  return { value, interval: around(value, errorOf(batches), n - 1) };
}

/** Several runs of one load as one value: their mean, and the interval that their spread tells. */
export function together(repeats: readonly Estimated[]): Estimated {
  const [only] = repeats;
  if (only !== undefined && repeats.length === 1) return only;
  const values = repeats.map(({ value }) => value);
  const value = mean(values);
  return { value, interval: around(value, errorOf(values), values.length - 1) };
}

/**
 * 95 % interval of a percentile by order statistics, without any assumption of its distribution but independence.
 * @param sorted ascending
 * @param q 0 to 1
 */
export function withOrderStatistics(value: number, sorted: ArrayLike<number>, q: number): Estimated {
  const n = sorted.length;
  const spread = Z * Math.sqrt(n * q * (1 - q));
  const low = Math.floor(n * q - spread) - 1;
  const high = Math.ceil(n * q + spread);
  const [lower, upper] = [sorted[low], sorted[high]];
  return lower === undefined || upper === undefined ? { value } : { value, interval: [lower, upper] };
}

/** Throughputs and latencies are never negative, however few batches tell. */
function around(value: number, error: number, df: number): readonly [number, number] {
  const half = criticalT(CONFIDENCE, df) * error;
  return [Math.max(0, value - half), value + half];
}

/** Standard error of the mean. */
function errorOf(values: readonly number[]): number {
  const n = values.length;
  const center = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (n - 1) / n);
}
