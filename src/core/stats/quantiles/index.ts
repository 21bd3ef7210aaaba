import type { Scratch } from "../../store/memory.js";
import { linearQuantile, rankBuckets } from "./rank.js";
import { activeBuckets, certainLowerBound, firstBound, hasNegativeValues, usableRows } from "./rows.js";
import { sampleQuantiles } from "./sampler.js";
import type { SampledQuantile } from "./draws.js";
import { sparseOf, type IntervalSequence, type QuantileEstimate, type SparseSequence } from "./sparse.js";
import { complete, type Steps } from "../steps.js";

export { linearQuantile } from "./rank.js";
export { sparseOf } from "./sparse.js";
export type { IntervalSequence, QuantileEstimate, SparseSequence } from "./sparse.js";

/**
 * Populated buckets that the estimates go into: their cost grows with the cube of these. With more, each bucket holds
 * so little of the distribution that the linear estimate stands in, in linear time.
 */
export const MAX_BUCKETS = 64;
const REACH_WITHOUT_SUMS = 0.3;

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
  if (active.index.length === 0) return described;
  // A first bucket that ends at 0 holds zeros, unless sums tell otherwise.
  active.lower[0] = Math.max(active.lower[0] ?? 0, certainLowerBound(sequence, active.index[0] ?? 0, negative));
  // The model takes logarithms; no server's latency or size lies below 0.
  if ((active.lower[0] ?? 0) < 0)
    return described.map((hard) => ({ ...withEstimate(hard, aroundLinear(hard)), note: "linear: values below 0" }));
  const rows = yield* usableRows(sequence, active, scratch);
  const sampled = rows.length > 0 ? yield* sampleQuantiles(active, rows, firstBound(sequence.uppers), qs, scratch) : [];
  return described.map((hard, i) => withEstimate(hard, sampled[i] ?? aroundLinear(hard)));
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

/** Without sums of intervals the linear estimate stands in. */
function aroundLinear({ value, lower, upper }: QuantileEstimate): SampledQuantile {
  const room = REACH_WITHOUT_SUMS * (Number.isFinite(upper - lower) ? upper - lower : Math.abs(value));
  const known = Number.isNaN(value) ? lower : value;
  return { value: known, low: known - room, high: known + room };
}

function withEstimate(hard: QuantileEstimate, { value, low, high }: SampledQuantile): QuantileEstimate {
  const inside = (x: number) => Math.max(hard.lower, Math.min(hard.upper, x));
  return { ...hard, value: inside(value), interval: [inside(low), inside(high)] };
}
