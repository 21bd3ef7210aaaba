import { numbersIn, type Scratch } from "../../store/memory.js";
import type { Steps } from "../steps.js";
import { ENDS_OF_90 } from "../student.js";
import { designEffect, sampleRows, type ActiveBuckets, type Rows } from "./rows.js";
import { Density } from "./density.js";
import { Draws, OrderedBucket, placeOf, type SampledQuantile } from "./draws.js";
import { Level } from "./level.js";
import { bucketMoments, Units } from "./units.js";
import { SeededRandom } from "../../math/index.js";
import { quantileRank } from "./rank.js";
import { redraw, Ties } from "./redraw.js";

/** Units that are drawn one by one; of more, every second, third, … interval. */
const MAX_UNITS = 4000;
/** Fewer intervals are left out of none, whatever they hold. */
const MIN_SAMPLED_ROWS = 60;
/** Design effect from which observations are taken to come together. */
const TOGETHER = 3;
/** Fewer intervals tell too little of a level. */
const MIN_ROWS = 8;
/** Where the scale goes over from linear to logarithmic, in first bounds. */
const UNIT = 0.003;
/**
 * Sweeps that only lead to where the others are, and how many are kept: each is like the one before, so that twenty
 * show less than their spread. Few units get more, until the work is that of 400.
 */
const BURNED = 10;
const KEPT = 20;
const MOST_KEPT = 60;
const FEW_UNITS = 400;
/** Sweeps after which the density may become rougher. */
const SMOOTHING = [3, 4, 5, 6, 7, 8];
/**
 * Of the draws' variance: observations that come together tell less, so that the interval is longer by the root of the
 * design effect. What the density misses is counted beside it.
 */
const MAX_EFFECT = 4;
const SWEEPS_A_STEP = 8;
/** What the model misses, in widths of the bucket. */
const MODEL_REACH = 0.015;
const MODEL_REACH_FROM_ZERO = 0.022;
const MAX_GROWTH = 6;
/** Time between scrapes from which sums tell less, and how much less at most. */
const DENSE_NS = 4e8;
const MAX_SPARSE = 2.5;

/**
 * What the model misses, by a bucket's bounds, beside what the draws show: in widths of the bucket, more in the first,
 * whose values may lie in heaps at 0 and far from it. It grows with the root of the units that share a sum and of the
 * time between scrapes: the more of both, the less is told of each and of how the load moved.
 */
function modelReach(sharing: number, span: number): (lower: number, upper: number) => number {
  const growth =
    Math.min(MAX_GROWTH, Math.sqrt(sharing)) * Math.max(1, Math.min(MAX_SPARSE, Math.sqrt(span / DENSE_NS)));
  return (lower, upper) =>
    upper === Infinity ? 0 : growth * (lower === 0 ? MODEL_REACH_FROM_ZERO : MODEL_REACH) * (upper - lower);
}

function meanOf(cells: Float64Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += cells[i] ?? 0;
  return sum / length;
}

/**
 * Quantiles by Gibbs sampling of what the buckets and sums leave open (Tanner and Wong 1987): in turn pairs of one
 * interval (their sum stays), the level that those of an interval share, and the smooth density around it. A quantile
 * is the middle of what the sweeps give; their spread is its interval.
 *
 * @param unit the first bound: sizes far below it are alike
 * @param scratch for what lies between; nobody else may begin it until the last step
 * @returns undefined where no interval with a known sum has observations in the quantile's bucket
 */
export function* sampleQuantiles(
  active: ActiveBuckets,
  allRows: Rows,
  unit: number,
  qs: readonly number[],
  scratch?: Scratch,
): Steps<(SampledQuantile | undefined)[]> {
  const random = new SeededRandom(1);
  const buckets = active.index.length;
  const effect = designEffect(allRows, buckets);
  const whole = wholeNumbers(active, allRows);
  let together = effect < TOGETHER || whole ? 1 : effect;
  let observations = 0;
  for (let r = 0; r < allRows.length; r++) observations += allRows.size[r] ?? 0;
  const most = Math.max(MIN_SAMPLED_ROWS, Math.floor((allRows.length * MAX_UNITS * together) / observations));
  const rows = most < allRows.length ? sampleRows(allRows, most) : allRows;
  let left = 0;
  for (let r = 0; r < rows.length; r++) left += rows.size[r] ?? 0;
  if (left / together > 2 * MAX_UNITS) together = left / 2 / MAX_UNITS;
  const exact = whole && together === 1;
  const bounds = exact ? wholeBounds(active) : active;
  const units = new Units(
    bounds,
    rows,
    { unit: unit * UNIT, together, whole: exact },
    bucketMoments(bounds, allRows),
    scratch,
  );
  const { z, length, weight } = units;
  let least = Infinity;
  let largest = -Infinity;
  for (let j = 0; j < length; j++) {
    least = Math.min(least, z[j] ?? 0);
    largest = Math.max(largest, z[j] ?? 0);
  }
  // All intervals have one mean: values that differ would have to cancel out in each of them.
  if (largest - least <= 1e-6 * largest) {
    const mean = (r: number) => (rows.sum[r] ?? 0) / (rows.size[r] ?? 1);
    const means = Float64Array.from({ length: rows.length }, (_, r) => mean(r)).sort();
    const [low = NaN, value = NaN, high = NaN] = [0, rows.length >> 1, rows.length - 1].map((r) => means[r]);
    return qs.map(() => ({ value, low, high }));
  }
  const share = length / left;
  const density = new Density(scratch);
  const level = new Level(units, scratch);
  const y = numbersIn(scratch, length);
  for (let j = 0; j < length; j++) y[j] = Math.log(z[j] ?? 1);
  // Of those alone in their intervals it stays.
  const known = numbersIn(scratch, length);
  known.set(y);
  density.fit(y, weight, share);
  const ties = exact ? new Ties(units) : undefined;
  const n = active.total.reduce((sum, total) => sum + total, 0);
  const ordered = new Map<number, OrderedBucket>();
  const places = qs.map((q) => {
    const rank = quantileRank(n, q);
    const at = Math.floor(rank + 1e-9);
    const low = placeOf(active, at);
    const between = Math.max(0, rank - at);
    const high = between > 1e-9 ? placeOf(active, at + 1) : low;
    for (const { bucket } of [low, high])
      if (!ordered.has(bucket)) ordered.set(bucket, new OrderedBucket(units, bucket, scratch));
    return { low, high, draws: new Draws(between) };
  });
  const sweeps = BURNED + Math.max(KEPT, Math.min(MOST_KEPT, Math.floor((FEW_UNITS * KEPT) / length)));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    if (sweep % SWEEPS_A_STEP === SWEEPS_A_STEP - 1) yield;
    if (sweep > 0) {
      redraw(units, density, level.factor, random, ties);
      if (level.spread > 0) level.refine(density, deviation(y), random);
    } else if (allRows.length >= MIN_ROWS) level.begin(density, deviation(y), random);
    if (sweep >= BURNED) {
      for (const bucket of ordered.values()) bucket.read();
      for (const { low, high, draws } of places) {
        const value = ordered.get(low.bucket)?.valueAt(low.at) ?? NaN;
        draws.add(value, low === high ? value : (ordered.get(high.bucket)?.valueAt(high.at) ?? NaN));
      }
      if (sweep === sweeps - 1) break;
    }
    relate(y, units, known, level.logs);
    density.fit(y, weight, share);
    if (SMOOTHING.includes(sweep)) density.smooth(Math.min(1, Math.sqrt(rows.length / length)));
  }
  const reach = ENDS_OF_90 * Math.sqrt(Math.min(MAX_EFFECT, effect));
  const sharing = length / rows.length;
  const reachOfModel = modelReach(sharing, meanOf(rows.span, rows.length));
  return places.map(({ low, high, draws }) => {
    if (ordered.get(low.bucket)?.length === 0 || ordered.get(high.bucket)?.length === 0) return undefined;
    const a = low.bucket;
    return draws.result(reach, reachOfModel(active.lower[a] ?? 0, active.upper[a] ?? Infinity), exact, together > 1);
  });
}

/** Are all sums whole numbers, as the bounds are? Sums of anything else are so by chance only. */
function wholeNumbers(active: ActiveBuckets, rows: Rows): boolean {
  for (let r = 0; r < rows.length; r++) if (!Number.isInteger(rows.sum[r])) return false;
  return (
    rows.length >= MIN_ROWS &&
    (active.lower[0] ?? -1) >= 0 &&
    rows.count.every(Number.isInteger) &&
    active.upper.every((upper) => upper >= 1)
  );
}

/** The least and the largest whole number of each bucket. */
function wholeBounds(active: ActiveBuckets): ActiveBuckets {
  return {
    ...active,
    lower: active.lower.map((lower, a) => (active.index[a] === 0 ? lower : Math.floor(lower) + 1)),
    upper: active.upper.map(Math.floor),
  };
}

/** Logarithms of the values over their level. */
function relate(y: Float64Array, { z, first }: Units, known: Float64Array, logs: Float64Array): void {
  for (let r = 0; r + 1 < first.length; r++) {
    const log = logs[r] ?? 0;
    const from = first[r] ?? 0;
    const to = first[r + 1] ?? 0;
    if (to === from + 1) y[from] = (known[from] ?? 0) - log;
    else for (let j = from; j < to; j++) y[j] = Math.log(z[j] ?? 1) - log;
  }
}

function deviation(y: Float64Array): number {
  let mean = 0;
  let squares = 0;
  for (let j = 0; j < y.length; j++) mean += y[j] ?? 0;
  mean /= y.length;
  for (let j = 0; j < y.length; j++) squares += ((y[j] ?? 0) - mean) ** 2;
  return Math.sqrt(squares / y.length);
}
