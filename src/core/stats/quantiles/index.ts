import { poolBuckets } from "./distribution.js";
import { linearQuantile } from "./linear.js";
import { valueAt, type Pool } from "./pool.js";
import { rankBuckets } from "./rank.js";
import { activeBuckets, bucketTotals, hasNegativeValues, lowerBound, usableRows, type ActiveBuckets } from "./rows.js";
import { complete, type Steps } from "../steps.js";
import type { IntervalSequence, QuantileEstimate } from "./types.js";

export { linearQuantile } from "./linear.js";
export type { IntervalSequence, QuantileEstimate } from "./types.js";

/**
 * Populated buckets that the estimates go into: their cost grows with the cube of these. With more, each bucket holds
 * so little of the distribution that the linear estimate stands in, in linear time.
 */
export const MOST_BUCKETS = 64;

/** Estimates quantiles from all that was seen between the scrapes. */
export function estimateQuantiles(sequence: IntervalSequence, qs: readonly number[]): QuantileEstimate[] {
  return complete(estimateSteps(sequence, qs));
}

/** As `estimateQuantiles`, for so many intervals that others may not wait for it. */
export function* estimateSteps(sequence: IntervalSequence, qs: readonly number[]): Steps<QuantileEstimate[]> {
  const totals = bucketTotals(sequence);
  const negative = hasNegativeValues(sequence);
  const active = activeBuckets(sequence.uppers, totals, negative);
  yield;
  if (active.index.length > MOST_BUCKETS)
    return qs.map((q) => linearEstimate(sequence.uppers, totals, negative, q, active.index.length));
  const rows = yield* usableRows(sequence, active);
  const pools = active.index.length === 0 ? [] : yield* poolBuckets(sequence.uppers, active, rows);
  return qs.map((q) => estimate(sequence.uppers, totals, active, pools, negative, q));
}

/** Estimates quantiles from final buckets alone: one interval. */
export function estimateFromBuckets(
  uppers: Float64Array,
  totals: Float64Array,
  sum: number | undefined,
  qs: readonly number[],
): QuantileEstimate[] {
  return estimateQuantiles(
    {
      uppers,
      times: new Float64Array(1),
      counts: Array.from(totals, (n) => Float64Array.of(n)),
      sums: Float64Array.of(sum ?? NaN),
    },
    qs,
  );
}

function linearEstimate(
  uppers: Float64Array,
  totals: Float64Array,
  negative: boolean,
  q: number,
  populated: number,
): QuantileEstimate {
  const linear = linearQuantile(uppers, totals, q);
  const buckets = rankBuckets(totals, q);
  const lower = buckets === undefined ? NaN : lowerBound(uppers, buckets.low, negative);
  const upper = buckets === undefined ? NaN : (uppers[buckets.high] ?? Infinity);
  return {
    value: Math.max(lower, Math.min(upper, linear)),
    lower,
    upper,
    linear,
    extrapolated: buckets?.high === uppers.length - 1,
    note: `linear: ${populated} populated buckets are more than the ${MOST_BUCKETS} that finer estimates are made of`,
  };
}

function estimate(
  uppers: Float64Array,
  totals: Float64Array,
  active: ActiveBuckets,
  pools: readonly Pool[],
  negative: boolean,
  q: number,
): QuantileEstimate {
  const linear = linearQuantile(uppers, totals, q);
  const buckets = rankBuckets(totals, q);
  if (buckets === undefined) return { value: NaN, lower: NaN, upper: NaN, linear, extrapolated: false };
  const lower = lowerBound(uppers, buckets.low, negative);
  const upper = uppers[buckets.high] ?? Infinity;
  let n = 0;
  for (const total of active.total) n += total;
  const rank = Math.max(0, Math.min(1, q)) * (n - 1);
  const at = Math.floor(rank + 1e-9 * (1 + rank));
  const share = Math.max(0, rank - at);
  const low = orderStatistic(active, pools, at);
  const value = share < 1e-9 ? low : low + share * (orderStatistic(active, pools, at + 1) - low);
  return {
    value: Math.max(lower, Math.min(upper, value)),
    lower,
    upper,
    linear,
    extrapolated: buckets.high === uppers.length - 1,
  };
}

function orderStatistic(active: ActiveBuckets, pools: readonly Pool[], position: number): number {
  let below = 0;
  for (let a = 0; a < pools.length; a++) {
    const total = active.total[a] ?? 0;
    const pool = pools[a];
    if (pool !== undefined && (position < below + total || a === pools.length - 1)) {
      const value = valueAt(pool, Math.min(total - 0.5, position - below + 0.5));
      return Math.max(active.lower[a] ?? -Infinity, Math.min(active.upper[a] ?? Infinity, value));
    }
    below += total;
  }
  return NaN;
}
