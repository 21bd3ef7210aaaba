import { shownUnit } from "../catalog/index.js";
import {
  boundValue,
  NS_PER_SECOND,
  PERCENTILES,
  type BucketCounts,
  type HistogramResult,
  type SeriesId,
} from "../model/index.js";
import { estimateFromBuckets } from "../stats/index.js";
import type { StoredRun } from "./stored.js";
import type { DistributionData, HeatmapData, HeatmapQuery } from "./types/index.js";

/** A stored histogram family as a heatmap: its slices are the columns. */
export function storedHeatmap(run: StoredRun, { family, series }: HeatmapQuery): HeatmapData {
  const { results, base } = histograms(run, family, series);
  const [first] = results;
  const slices = first?.slices ?? [];
  const uppers = uppersOf(slices[0]?.buckets ?? []);
  const usable = results.filter(
    (result) =>
      result.slices?.length === slices.length && sameBounds(result.slices[0]?.buckets ?? [], slices[0]?.buckets ?? []),
  );
  if (slices.length === 0 || usable.length !== results.length) {
    return {
      ...base,
      uppers: new Float64Array(0),
      edges: new Float64Array(0),
      rates: new Float64Array(0),
      empty: {
        severity: "info",
        reason:
          slices.length === 0
            ? `This file holds no timeslices of ${family}.`
            : `The series of ${family} have different slices or bounds and cannot be added up.`,
        remedy: "The Parquet or JSONL file of the same run has every sample.",
      },
    };
  }
  const edges = Float64Array.from([
    ...slices.map((slice) => Number(slice.start_ns - run.origin)),
    Number((slices.at(-1)?.end_ns ?? run.origin) - run.origin),
  ]);
  const rates = new Float64Array(slices.length * uppers.length);
  for (const result of usable) {
    (result.slices ?? []).forEach((slice, column) => {
      const seconds = Number(slice.end_ns - slice.start_ns) / NS_PER_SECOND;
      countsOf(slice.buckets).forEach((count, b) => {
        rates[column * uppers.length + b] = (rates[column * uppers.length + b] ?? 0) + count / seconds;
      });
    });
  }
  return { ...base, uppers, edges, rates };
}

/** A stored histogram family's buckets, added up over its series, with the quantiles that they tell. */
export function storedDistribution(
  run: StoredRun,
  { family, series }: { readonly family: string; readonly series?: readonly SeriesId[] },
): DistributionData {
  const { results, base } = histograms(run, family, series);
  const reference = results[0]?.buckets ?? [];
  const shared = results.every((result) => sameBounds(result.buckets ?? [], reference));
  const counts = new Float64Array(shared ? reference.length : 0);
  if (shared)
    for (const result of results)
      countsOf(result.buckets ?? []).forEach((count, b) => (counts[b] = (counts[b] ?? 0) + count));
  const observed = counts.some((count) => count > 0);
  const sum = results.reduce((total, result) => total + (result.stats.sum ?? NaN), 0);
  const qs = PERCENTILES.filter((p) => p >= 50 && p !== 75).map((p) => p / 100);
  return {
    ...base,
    uppers: shared ? uppersOf(reference) : new Float64Array(0),
    counts,
    quantiles: observed
      ? estimateFromBuckets(uppersOf(reference), counts, sum, qs).map(({ value, lower, upper }, i) => ({
          q: qs[i] ?? NaN,
          value,
          lower,
          upper,
        }))
      : [],
    ...(observed
      ? {}
      : {
          empty: {
            severity: "info" as const,
            reason: shared
              ? `${family} has no observations.`
              : `The series of ${family} have different bucket bounds and cannot be added up.`,
          },
        }),
  };
}

function histograms(run: StoredRun, family: string, series: readonly SeriesId[] | undefined) {
  const entries = run.series.filter(({ key }) => key.family.name === family && (series?.includes(key.id) ?? true));
  const definition = entries[0]?.key.family;
  const unit = definition === undefined ? undefined : shownUnit(definition);
  const results = entries
    .map(({ result }) => result)
    .filter((result): result is HistogramResult => result.kind === "histogram");
  return { results, base: { family, ...(unit === undefined ? {} : { unit }) } };
}

function uppersOf(buckets: BucketCounts): Float64Array {
  return Float64Array.from(buckets, ([bound]) => boundValue(bound));
}

/** Not cumulative. */
function countsOf(buckets: BucketCounts): number[] {
  return buckets.map(([, count], b) => Math.max(0, count - (buckets[b - 1]?.[1] ?? 0)));
}

function sameBounds(a: BucketCounts, b: BucketCounts): boolean {
  return a.length === b.length && a.every(([bound], i) => boundValue(bound) === boundValue(b[i]?.[0] ?? ""));
}
