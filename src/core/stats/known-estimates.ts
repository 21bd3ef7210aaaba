import { boundValue, PERCENTILES, statisticOf, type BucketCounts, type HistogramResult } from "../model/index.js";
import { estimateFromBuckets, type QuantileEstimate } from "./quantiles/index.js";

const QS = PERCENTILES.map((p) => p / 100);

/** What a CSV's four decimals leave of a number. */
const ROUNDED = 5.1e-5;

/**
 * What is known of a histogram's percentiles, in the order of PERCENTILES, whether samples gave the estimates or a file
 * holds them; undefined where neither estimates nor buckets are there. A stored estimate keeps its value. Its
 * interval is the stored one. The interval that buckets give belongs to their own estimate: around another one, as of
 * AIPerf or of a CSV, it would be a statement that nobody has made, so it is NaN there. An interval holds its value.
 */
export function knownEstimates(result: HistogramResult): readonly QuantileEstimate[] | undefined {
  if (result.estimates !== undefined || result.buckets === undefined) return result.estimates;
  const { buckets, stats, intervals } = result;
  const estimates = estimatesOfBuckets(buckets, stats.sum, QS);
  return estimates.map((estimate, i) => {
    const p = PERCENTILES[i] ?? 99;
    const value = stats[`p${p}_estimate`] ?? estimate.value;
    const isOfBuckets = Math.abs(value - estimate.value) <= ROUNDED + 1e-9 * Math.abs(value);
    const interval = intervals?.[`p${p}_interval`] ?? (isOfBuckets ? estimate.interval : undefined);
    return { ...estimate, value, interval: around(value, interval) };
  });
}

/**
 * One of them by its key, such as "p99_estimate". Of a file without buckets its value alone is known; undefined where
 * even that is not.
 */
export function knownEstimate(result: HistogramResult, key: string): QuantileEstimate | undefined {
  const known = knownEstimates(result)?.[PERCENTILES.findIndex((p) => `p${p}_estimate` === key)];
  const value = statisticOf(result, key);
  return known !== undefined || Number.isNaN(value)
    ? known
    : { value, lower: NaN, upper: NaN, interval: [NaN, NaN], linear: NaN, extrapolated: false };
}

/** From cumulative buckets alone; none without a finite bound. */
export function estimatesOfBuckets(
  buckets: BucketCounts,
  sum: number | undefined,
  qs: readonly number[],
): QuantileEstimate[] {
  const uppers = Float64Array.from(buckets, ([bound]) => boundValue(bound));
  if (!uppers.some(Number.isFinite)) return [];
  const totals = Float64Array.from(buckets, ([, count], b) => Math.max(0, count - (buckets[b - 1]?.[1] ?? 0)));
  return estimateFromBuckets(uppers, totals, sum, qs);
}

function around(value: number, interval: QuantileEstimate["interval"] | undefined): QuantileEstimate["interval"] {
  const [low, high] = interval ?? [NaN, NaN];
  return Number.isNaN(low) ? [NaN, NaN] : [Math.min(low, value), Math.max(high, value)];
}
