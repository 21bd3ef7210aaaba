import type { Scratch } from "../../store/scratch.js";
import { poolBuckets } from "./distribution.js";
import { linearQuantile } from "./linear.js";
import { leastLoss, REGRET_OF_DRAWN, REGRET_OF_MOMENTS } from "./loss.js";
import { valueAt, type Pool } from "./pool.js";
import { quantileRank, rankBuckets } from "./rank.js";
import {
  activeBuckets,
  certainLowerBound,
  firstBound,
  hasNegativeValues,
  usableRows,
  type ActiveBuckets,
  type Rows,
} from "./rows.js";
import { MIN_ROWS, MAX_SAMPLED, sampleQuantiles } from "./sampled.js";
import type { SampledQuantile } from "./sampled-draws.js";
import { sparseOf } from "./sparse.js";
import { complete, type Steps } from "../steps.js";
import type { IntervalSequence, QuantileEstimate, SparseSequence } from "./types.js";

export { linearQuantile } from "./linear.js";
export { BLOCK_INTERVALS, sparseOf, SparseWriter } from "./sparse.js";
export type { IntervalSequence, QuantileEstimate, SparseSequence } from "./types.js";

/**
 * Populated buckets that the estimates go into: their cost grows with the cube of these. With more, each bucket holds
 * so little of the distribution that the linear estimate stands in, in linear time.
 */
export const MAX_BUCKETS = 64;
/**
 * Half of a 90 % interval in widths of the hard one, where estimates come from moments: measured on simulated servers
 * and independent series. It grows with the error of a mean as observations come in batches, and where values are
 * thin.
 */
const REACH = 0.068;
const MAX_REACH = 0.2;
/** Share of a bucket to each side of a rank that tells how dense its values are there. */
const SLOPE_SHARE = 0.1;
const MIN_SLOPE = 0.1;
const MAX_SLOPE = 4;
const REACH_WITHOUT_SUMS = 0.3;
/**
 * Time between scrapes from which moments tell less: sums over longer hide how the load moved. The reach grows with its
 * root, up to what is left where sums tell next to nothing of the shape (measured at scrapes up to 30 s apart).
 */
const DENSE_NS = 4e8;
const MAX_SPARSE = 2.5;
/** What is kept of the way by which an estimate lies above the linear one where values thin out: both weigh alike. */
const ABOVE_LINEAR = 0.5;

/** Estimates quantiles from all that was seen between the scrapes. */
export function estimateQuantiles(sequence: IntervalSequence, qs: readonly number[]): QuantileEstimate[] {
  return complete(estimateSteps(sparseOf(sequence), qs));
}

/**
 * As `estimateQuantiles`, for so many intervals that others may not wait for it.
 * @param sequence which is used up
 * @param scratch for what lies between; nobody else may begin it until the last step
 */
export function* estimateSteps(
  sequence: SparseSequence,
  qs: readonly number[],
  scratch?: Scratch,
): Steps<QuantileEstimate[]> {
  const { totals } = sequence.entries;
  const negative = hasNegativeValues(sequence);
  const active = activeBuckets(sequence.uppers, totals, negative);
  const described = qs.map((q) => hardEstimate(sequence, negative, q));
  yield;
  if (active.index.length > MAX_BUCKETS)
    return described.map((hard) => ({
      ...hard,
      note: `linear: ${active.index.length} populated buckets, and finer estimates take at most ${MAX_BUCKETS}`,
    }));
  const rows = yield* usableRows(sequence, active, scratch);
  if (active.index.length === 0) return described;
  if (canBeSampled(active, rows)) {
    const sampled = yield* sampleQuantiles(active, rows, firstBound(sequence.uppers), qs, scratch);
    const estimates = described.map((hard, i) => withEstimate(hard, sampled[i] ?? { value: NaN, low: NaN, high: NaN }));
    return decideAll(estimates, qs, REGRET_OF_DRAWN);
  }
  const { pools, effect } = yield* poolBuckets(sequence.uppers, active, rows);
  const n = active.total.reduce((sum, total) => sum + total, 0);
  const sparse = sparseness(rows);
  const rooms: number[] = [];
  const estimates = described.map((hard, i) => {
    const rank = quantileRank(n, qs[i] ?? NaN);
    const pooled = pooledQuantile(active, pools, rank);
    const width = Number.isFinite(hard.upper - hard.lower) ? hard.upper - hard.lower : Math.abs(pooled);
    const value = rows.length < MIN_ROWS || !thinsOut(active, rank) ? pooled : notFarAbove(pooled, hard.linear);
    const around = (room: number) => withEstimate(hard, { value, low: value - room, high: pooled + room });
    if (rows.length < MIN_ROWS) return around(REACH_WITHOUT_SUMS * width);
    const alone = REACH * Math.sqrt(relativeSlope(active, pools, rank)) * width;
    const room = Math.min(MAX_REACH / REACH, Math.sqrt(effect)) * alone;
    rooms.push((sparse - 1) * room);
    return { ...around(room), reachAlone: sparse * alone };
  });
  // What is decided does not depend on how much wider the intervals become.
  return rows.length < MIN_ROWS
    ? estimates
    : decideAll(estimates, qs, REGRET_OF_MOMENTS).map((estimate, i) => widened(estimate, rooms[i] ?? 0));
}

/** By how much scrapes far apart widen the reach of moments. */
function sparseness({ span, length }: Rows): number {
  let all = 0;
  for (let r = 0; r < length; r++) all += span[r] ?? 0;
  return Math.max(1, Math.min(MAX_SPARSE, Math.sqrt(all / length / DENSE_NS)));
}

function widened(estimate: QuantileEstimate, room: number): QuantileEstimate {
  const { lower, upper, interval } = estimate;
  return { ...estimate, interval: [Math.max(lower, interval[0] - room), Math.min(upper, interval[1] + room)] };
}

/** Few enough observations with all their sums known, none below 0. */
function canBeSampled(active: ActiveBuckets, rows: Rows): boolean {
  let seen = 0;
  for (let r = 0; r < rows.length; r++) seen += rows.size[r] ?? 0;
  const all = active.total.reduce((sum, total) => sum + total, 0);
  return (
    rows.length >= MIN_ROWS &&
    seen === all &&
    all <= MAX_SAMPLED &&
    (active.lower[0] ?? -1) >= 0 &&
    rows.count.every(Number.isInteger)
  );
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

/** What needs no model: the linear estimate in the interval that is certain. */
function hardEstimate(sequence: SparseSequence, negative: boolean, q: number): QuantileEstimate {
  const { uppers } = sequence;
  const { totals } = sequence.entries;
  const linear = linearQuantile(uppers, totals, q);
  const buckets = rankBuckets(totals, q);
  if (buckets === undefined)
    return { value: NaN, lower: NaN, upper: NaN, interval: [NaN, NaN], linear, extrapolated: false };
  const lower = certainLowerBound(sequence, buckets.low, negative);
  const upper = uppers[buckets.high] ?? Infinity;
  return {
    value: Math.max(lower, Math.min(upper, linear)),
    lower,
    upper,
    interval: [lower, upper],
    linear,
    extrapolated: buckets.high === uppers.length - 1,
  };
}

function withEstimate(hard: QuantileEstimate, { value, low, high }: SampledQuantile): QuantileEstimate {
  const inside = (x: number) => Math.max(hard.lower, Math.min(hard.upper, x));
  return { ...hard, value: inside(value), interval: [inside(low), inside(high)] };
}

/** Beyond the last bound linear answers with that bound whatever lies there. */
function decided(estimate: QuantileEstimate, price: number): QuantileEstimate {
  const { value, interval, linear, extrapolated } = estimate;
  return extrapolated
    ? estimate
    : { ...estimate, value: leastLoss({ value, low: interval[0], high: interval[1] }, linear, price) };
}

/** The values of least loss. As each is decided on by itself, none is left below that of a smaller share. */
function decideAll(estimates: readonly QuantileEstimate[], qs: readonly number[], price: number): QuantileEstimate[] {
  const all = estimates.map((estimate) => decided(estimate, price));
  return all.map((estimate, i) => {
    const below = all.filter((_, j) => (qs[j] ?? NaN) < (qs[i] ?? NaN)).map(({ value }) => value);
    return { ...estimate, value: Math.max(estimate.value, ...below) };
  });
}

function pooledQuantile(active: ActiveBuckets, pools: readonly Pool[], rank: number): number {
  const at = Math.floor(rank + 1e-9 * (1 + rank));
  const share = Math.max(0, rank - at);
  const low = orderStatistic(active, pools, at);
  return share < 1e-9 ? low : low + share * (orderStatistic(active, pools, at + 1) - low);
}

/**
 * Where a bucket is thinner than the one below it, values thin out within it too, and linear is too high rather than
 * too low. Moments that tell otherwise are in doubt themselves.
 */
function notFarAbove(value: number, linear: number): number {
  return value > linear ? linear + ABOVE_LINEAR * (value - linear) : value;
}

/** Is the closed bucket of a rank thinner than the one below it? */
function thinsOut(active: ActiveBuckets, rank: number): boolean {
  const a = bucketAt(active, rank).index;
  const density = (b: number) => (active.total[b] ?? 0) / ((active.upper[b] ?? 0) - (active.lower[b] ?? 0));
  return (
    a > 0 && active.upper[a] !== Infinity && active.upper[a - 1] === active.lower[a] && density(a) < density(a - 1)
  );
}

/** The bucket of a rank, and how many observations lie below it. */
function bucketAt({ total }: ActiveBuckets, rank: number): { readonly index: number; readonly below: number } {
  let below = 0;
  let index = 0;
  while (index < total.length - 1 && rank >= below + (total[index] ?? 0)) below += total[index++] ?? 0;
  return { index, below };
}

/**
 * How far the quantile moves around a rank by the share of its bucket, in widths of what the bucket holds in all: 1
 * where that lies evenly, less where it is dense.
 */
function relativeSlope(active: ActiveBuckets, pools: readonly Pool[], rank: number): number {
  const { index: a, below } = bucketAt(active, rank);
  const pool = pools[a];
  const total = active.total[a] ?? 0;
  const width = (active.upper[a] ?? 0) - (active.lower[a] ?? 0);
  if (pool === undefined || !(width > 0 && width < Infinity)) return 1;
  const from = Math.max(0, rank - below - SLOPE_SHARE * total);
  const to = Math.min(total, rank - below + SLOPE_SHARE * total);
  const slope = ((valueAt(pool, to) - valueAt(pool, from)) / width) * (total / (to - from));
  return Math.max(MIN_SLOPE, Math.min(MAX_SLOPE, slope));
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
