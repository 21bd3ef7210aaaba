import type { BucketCounts, EpochNs, SeriesResult } from "../model/index.js";
import type { Writable } from "./json/text.js";

/** A series as the files state it. */
export interface SeriesFields {
  /** AIPerf's statistics with ours beside them: `resets`, `increase` or `increase_count` and `increase_sum`, `born`. */
  readonly stats: { readonly [key: string]: number | EpochNs | undefined };
  readonly buckets: BucketCounts | undefined;
  readonly slices: SeriesResult["slices"];
  /** What the series did across restarts and since its birth; absent where that is what `stats` says. */
  readonly increases?: Pick<SeriesFields, "stats" | "buckets" | "slices">;
}

/** The numbers of a result as AIPerf defines them, and ours where they differ. */
export function seriesFields(result: SeriesResult): SeriesFields {
  if (result.kind === "gauge") return { stats: { ...result.stats }, buckets: undefined, slices: result.slices };
  const { born, slices } = result;
  if (result.kind === "counter") {
    const { aiperf } = result;
    if (aiperf === undefined) return { stats: { ...result.stats }, buckets: undefined, slices };
    const { resets, gaps, ...increases } = result.stats;
    return {
      stats: { ...aiperf.stats, resets, increase: increases.total, gaps, born },
      buckets: undefined,
      slices: aiperf.slices,
      increases: { stats: increases, buckets: undefined, slices },
    };
  }
  const { aiperf, buckets } = result;
  if (aiperf === undefined) return { stats: { ...result.stats }, buckets, slices };
  const { count, sum, avg, count_rate, sum_rate, resets, ...estimates } = result.stats;
  return {
    stats: { ...aiperf.stats, ...estimates, resets, increase_count: count, increase_sum: sum ?? 0, born },
    buckets: aiperf.buckets ?? buckets,
    slices: aiperf.slices,
    increases: {
      stats: { count, sum, avg, count_rate, sum_rate },
      buckets: aiperf.buckets === undefined ? undefined : buckets,
      slices,
    },
  };
}

/** A series as `metrics` lists it. */
export function seriesOf(result: SeriesResult): { readonly [key: string]: Writable | undefined } {
  const { stats, increases, ...fields } = seriesFields(result);
  return {
    endpoint_url: result.endpointUrl,
    labels: result.labels.length === 0 ? undefined : new Map(result.labels),
    stats: { ...stats, ...(result.kind === "histogram" ? result.intervals : {}) },
    estimate_note: result.kind === "histogram" ? result.estimateNote : undefined,
    ...bucketsAndSlices(fields),
    increases: increases && { stats: increases.stats, ...bucketsAndSlices(increases) },
  };
}

function bucketsAndSlices({ buckets, slices }: Pick<SeriesFields, "buckets" | "slices">) {
  return {
    buckets: buckets && new Map(buckets),
    timeslices: slices?.map((slice) =>
      "buckets" in slice ? { ...slice, buckets: new Map(slice.buckets) } : { ...slice },
    ),
  };
}
