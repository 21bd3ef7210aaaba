import { boundValue, type BucketCounts, type EpochNs } from "../../model/index.js";
import type { HistogramSignal } from "../signals.js";

interface QuantileBucket {
  readonly lower: number;
  readonly upper: number;
  /** Where in the bucket the quantile lies if its observations are spread evenly, 0 to 1. */
  readonly share: number;
}

/** The bucket that holds a quantile, of the series with the most observations; undefined without any. */
function bucketOf({ main }: HistogramSignal, q: number): QuantileBucket | undefined {
  return bucketIn(main.buckets ?? [], q);
}

function bucketIn(buckets: BucketCounts, q: number): QuantileBucket | undefined {
  const rank = q * (buckets.at(-1)?.[1] ?? 0);
  let [below, lower] = [0, 0];
  for (const [bound, cumulative] of buckets) {
    const upper = boundValue(bound);
    if (cumulative >= rank && cumulative > below) return { lower, upper, share: (rank - below) / (cumulative - below) };
    [below, lower] = [cumulative, upper];
  }
  return undefined;
}

/** p99 by p50, by linear interpolation in the buckets; 1 where unknown. */
export function linearRatio(signal: HistogramSignal | undefined): number {
  return signal === undefined ? 1 : linearRatioIn(signal.main.buckets ?? []);
}

/** As `linearRatio`, of what was observed from a time slice on. */
export function linearRatioFrom({ main }: HistogramSignal, startNs: EpochNs): number {
  const counts = new Map<BucketCounts[number][0], number>();
  for (const { start_ns, buckets } of main.slices ?? []) {
    if (start_ns < startNs) continue;
    for (const [bound, count] of buckets) counts.set(bound, (counts.get(bound) ?? 0) + count);
  }
  return linearRatioIn([...counts]);
}

function linearRatioIn(buckets: BucketCounts): number {
  const [p50, p99] = [0.5, 0.99].map((q) => {
    const place = bucketIn(buckets, q);
    if (place === undefined) return NaN;
    const { lower, upper, share } = place;
    return Number.isFinite(upper) ? lower + share * (upper - lower) : lower;
  });
  const ratio = (p99 ?? NaN) / (p50 ?? NaN);
  return Number.isFinite(ratio) ? ratio : 1;
}

/** The last bound, where a quantile lies above it: how far, no bucket says. Else undefined. */
export function lastBoundBelowQuantile(signal: HistogramSignal, q: number): number | undefined {
  const place = bucketOf(signal, q);
  return place?.upper === Infinity ? place.lower : undefined;
}

/** What a quantile is at the least, by the bounds of its bucket. */
export function leastQuantile(signal: HistogramSignal, q: number): number {
  return bucketOf(signal, q)?.lower ?? 0;
}

/** What p99 by p50 is at the most, by the bounds of their buckets; Infinity where they leave it open. */
export function largestRatio(signal: HistogramSignal): number {
  const [p50, p99] = [bucketOf(signal, 0.5), bucketOf(signal, 0.99)];
  return p50 === undefined || p99 === undefined || !(p50.lower > 0) ? Infinity : p99.upper / p50.lower;
}
