import type { HistogramSlices } from "./slices.js";

/**
 * A quantity of one run with what each slice contributes to its error: `value` + mean of `influence` is, to first
 * order, what other slices of the same process would have given (the infinitesimal jackknife; Efron 1982).
 */
export interface Estimated {
  readonly value: number;
  /** NaN for a slice without samples; the rest have the mean 0. */
  readonly influence: Float64Array;
  /** Slices with samples. */
  readonly slices: number;
  /**
   * Slices in which anything happened: a rate that is 0 but in three slices is known no better than three values allow.
   */
  readonly active: number;
  /** Lowest and highest slice. */
  readonly min: number;
  readonly max: number;
}

/** Mean of slice means. Undefined without any. */
export function meanOf(values: Float64Array): Estimated | undefined {
  let sum = 0;
  let n = 0;
  let active = 0;
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value;
    n++;
    if (value !== 0) active++;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (n === 0) return undefined;
  const value = sum / n;
  return { value, influence: values.map((x) => x - value), slices: n, active, min, max };
}

/**
 * Sum of one thing by the sum of another (observed values by observations, hits by queries). Undefined without any of
 * the other.
 */
export function ratioOf(numerators: Float64Array, denominators: Float64Array): Estimated | undefined {
  let above = 0;
  let below = 0;
  let n = 0;
  let active = 0;
  let min = Infinity;
  let max = -Infinity;
  for (let s = 0; s < denominators.length; s++) {
    const a = numerators[s] ?? NaN;
    const b = denominators[s] ?? NaN;
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    above += a;
    below += b;
    n++;
    if (b <= 0) continue;
    active++;
    if (a / b < min) min = a / b;
    if (a / b > max) max = a / b;
  }
  if (!(below > 0)) return undefined;
  const value = above / below;
  const each = below / n;
  return {
    value,
    influence: denominators.map((b, s) => ((numerators[s] ?? NaN) - value * b) / each),
    slices: n,
    active,
    min,
    max,
  };
}

/** Average of a histogram. */
export function averageOf({ sums, observed }: Pick<HistogramSlices, "sums" | "observed">): Estimated | undefined {
  return ratioOf(sums, observed);
}
