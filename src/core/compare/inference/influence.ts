import { PERCENTILES } from "../../model/index.js";
import type { Counted } from "./few-events.js";
import type { MeasuredPercentile } from "../measured.js";
import type { HistogramSlices } from "../slices/slices.js";

/**
 * What each slice contributes to the error of a quantity: its value + the mean of these is, to first order, what other
 * slices of the same process would have given (the infinitesimal jackknife; Efron 1982).
 */
export interface Influence {
  /** NaN for a slice without samples. */
  readonly values: Float64Array;
  /** The quantity over all slices, without what lies outside them; absent where it is not known by itself. */
  readonly inside?: number;
  /** Lowest and highest slice, in the quantity's unit; NaN where a slice has no value of its own. */
  readonly min: number;
  readonly max: number;
  /**
   * Slices that as much weight spread evenly would fill (Kish 1965), and no more than there are observations: what the
   * spread of a few observations in many slices is worth.
   */
  readonly worth: number;
  /** Of a rate. */
  readonly counted?: Counted;
}

/** Of a mean of slices. Undefined without any. */
export function meanInfluence(slices: Float64Array): Influence | undefined {
  let sum = 0;
  let n = 0;
  let min = Infinity;
  let max = -Infinity;
  for (const value of slices) {
    if (Number.isNaN(value)) continue;
    sum += value;
    n++;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return n === 0 ? undefined : { values: slices.map((x) => x - sum / n), inside: sum / n, min, max, worth: n };
}

/**
 * Of the sum of one thing by the sum of another (observed values by observations, hits by queries). Undefined without
 * any of the other.
 */
export function ratioInfluence(numerators: Float64Array, denominators: Float64Array): Influence | undefined {
  let above = 0;
  let below = 0;
  let n = 0;
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
    if (a / b < min) min = a / b;
    if (a / b > max) max = a / b;
  }
  if (!(below > 0)) return undefined;
  const value = above / below;
  const each = below / n;
  const worth = worthOfWeights(denominators);
  const unfitted = unfittedBy(worth, n);
  return {
    values: denominators.map((b, s) => (unfitted * ((numerators[s] ?? NaN) - value * b)) / each),
    inside: value,
    min,
    max,
    worth,
  };
}

/** @param weights observations of each slice; NaN is left out */
function worthOfWeights(weights: Float64Array): number {
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    if (Number.isNaN(weight)) continue;
    sum += weight;
    squares += weight * weight;
  }
  return squares > 0 ? Math.min(sum, (sum * sum) / squares) : 0;
}

/**
 * What influences are too small by, because the value was fitted to them: of two slices with observations, as a
 * standard deviation is by the root of one half; nothing where all slices weigh the same, for their mean is taken out
 * anyway.
 */
function unfittedBy(worth: number, slices: number): number {
  return worth > 1 ? 1 / Math.sqrt(Math.min(1, 1 - 1 / worth + 1 / slices)) : 1;
}

/**
 * Of the percentiles of one histogram: the share of observations at or below one that a slice has too few, times how
 * far a percentile moves for a share. How many of a bucket's observations lie below the percentile is not seen: as many
 * as in all slices, but for what a slice's sum says that they are longer or shorter.
 */
export function quantileInfluences(
  slices: HistogramSlices,
  percentiles: readonly MeasuredPercentile[],
  asked: readonly number[],
): readonly Influence[] {
  const totals = Float64Array.from(slices.counts, sumOf);
  const all = sumOf(totals);
  const n = slices.observed.reduce((count, x) => count + Number(!Number.isNaN(x)), 0);
  const means = bucketMeans(slices, totals);
  const expected = new Float64Array(slices.sums.length);
  slices.counts.forEach((counts, b) => addAll(expected, counts, means[b] ?? 0));
  const worth = worthOfWeights(slices.observed);
  const unfitted = unfittedBy(worth, n);
  const mass = sumOf(means.map((mean, b) => Math.abs(mean) * (totals[b] ?? 0)));
  return asked.map((p) => {
    const q = p / 100;
    const { value = NaN, slope = NaN } = percentiles[PERCENTILES.findIndex((one) => one === p)] ?? {};
    let below = 0;
    let k = 0;
    while (k < totals.length - 1 && below + (totals[k] ?? 0) < q * all) below += totals[k++] ?? 0;
    const total = totals[k] ?? 0;
    const part = total > 0 ? (q * all - below) / total : 1;
    const under = new Float64Array(slices.observed.length);
    addAll(under, slices.counts[k] ?? under, part);
    for (let b = 0; b < k; b++) addAll(under, slices.counts[b] ?? under, 1);
    // Its bucket's part in what a slice's sum has too much.
    const moved = mass > 0 ? (Math.abs(means[k] ?? 0) * n) / mass : 0;
    return {
      // Observations that it has too few at or below the percentile, and what its sum has too much.
      values: slices.observed.map((observed, s) => {
        const missing = q * observed - (under[s] ?? 0);
        const shift = (slices.sums[s] ?? 0) - (expected[s] ?? 0);
        return unfitted * ((missing * slope * n) / all + (Number.isNaN(shift) ? 0 : moved * shift));
      }),
      min: NaN,
      max: value,
      worth,
    };
  });
}

function addAll(out: Float64Array, values: Float64Array, factor: number): void {
  for (let s = 0; s < out.length; s++) out[s] = (out[s] ?? 0) + factor * (values[s] ?? 0);
}

function boundAt(uppers: Float64Array, b: number): number {
  const upper = uppers[b] ?? 0;
  return Number.isFinite(upper) ? upper : 2 * (uppers[b - 1] ?? 0);
}

/** The middles of the buckets, all stretched so that they make up the sum. */
function bucketMeans({ uppers, sums }: HistogramSlices, totals: Float64Array): Float64Array {
  const middles = uppers.map(
    (_, b) => (boundAt(uppers, b) + (b === 0 ? Math.min(0, boundAt(uppers, 0)) : boundAt(uppers, b - 1))) / 2,
  );
  const factor = sumOf(sums) / sumOf(middles.map((middle, b) => middle * (totals[b] ?? 0)));
  return Number.isFinite(factor) && factor > 0 ? middles.map((middle) => middle * factor) : middles;
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += Number.isNaN(value) ? 0 : value;
  return sum;
}
