import {
  boundValue,
  offsetNs,
  type BucketCounts,
  type CounterSlice,
  type EndpointId,
  type EpochNs,
  type Family,
  type HistogramResult,
  labelKey,
  type HistogramSlice,
  type Labels,
  type RunStatistics,
  type SeriesId,
  type SeriesKey,
  type SeriesResult,
} from "../model/index.js";
import { familyOfResult, isCountedAverage, shownUnit } from "../catalog/index.js";
import { estimatesOfBuckets, knownEstimates, sharedUppers } from "../stats/index.js";
import { chartUnit, COUNTED_AVERAGE_EMPTY, FEW_SHARED_BOUNDS } from "./chart.js";
import { summarizeFamilies } from "./families.js";
import { SLICE_QUANTILES, type ResultEntry } from "./tables.js";
import type { ChartData, ChartLine, ChartQuery, FamilySummary, SeriesSummary } from "./types/index.js";

/*
 * The same answers as of a run, from what a JSON or CSV artifact stores: statistics and slices instead of samples.
 */

export interface StoredSeries {
  readonly key: SeriesKey;
  readonly result: SeriesResult;
}

/** A file's statistics, with ids given to their series in order. */
export class StoredRun {
  readonly series: readonly StoredSeries[];
  readonly families: readonly Family[];
  /** The earliest time that the file tells. */
  readonly origin: EpochNs;

  /** @param beside another phase of the same file, whose origin and ids of series hold here, too */
  constructor(
    readonly statistics: RunStatistics,
    beside?: StoredRun,
  ) {
    const urls = statistics.endpointInfo.map(([url]) => url);
    this.families = statistics.families.map(familyOfResult);
    const idOf = seriesIds(beside);
    this.series = statistics.families
      .flatMap((family, f) =>
        family.series.map((result) => ({
          result,
          family: this.families[f] ?? { name: family.name, type: family.type, description: "" },
        })),
      )
      .map(({ result, family }) => ({
        result,
        key: {
          id: idOf(result, family),
          endpoint: Math.max(0, urls.indexOf(result.endpointUrl)) as EndpointId,
          endpointUrl: result.endpointUrl,
          family,
          labels: result.labels,
        },
      }));
    this.origin =
      beside?.origin ??
      statistics.endpointInfo.reduce(
        (first, [, info]) => (info.first_fetch_ns < first ? info.first_fetch_ns : first),
        statistics.startNs,
      );
  }
}

/** Gives ids to series in order; those that `beside` has, too, keep its ids. */
function seriesIds(beside: StoredRun | undefined): (result: SeriesResult, family: Family) => SeriesId {
  const known = new Map<string, SeriesId>();
  const nameOf = (family: string, endpointUrl: string, labels: Labels) =>
    JSON.stringify([family, endpointUrl, labelKey(labels)]);
  for (const { key } of beside?.series ?? []) known.set(nameOf(key.family.name, key.endpointUrl, key.labels), key.id);
  let next = beside?.series.length ?? 0;
  return ({ endpointUrl, labels }, family) => {
    const name = nameOf(family.name, endpointUrl, labels);
    const id = known.get(name) ?? (next++ as SeriesId);
    // A file may have a series twice: each has an id of its own.
    known.delete(name);
    return id;
  };
}

/** The series of a file's statistics with their results. */
export function* storedEntries(run: StoredRun): Iterable<ResultEntry> {
  for (const { key, result } of run.series) {
    yield {
      key,
      result: () => (isCountedAverage(key.family) ? undefined : withEstimates(result)),
      sliceQuantiles: (slice) => estimatesOfBuckets(slice.buckets, slice.sum, SLICE_QUANTILES),
    };
  }
}

/** Every family of a file's statistics, by group and then by name. */
export function storedFamilies(run: StoredRun): FamilySummary[] {
  return summarizeFamilies(
    run.families,
    run.series.map(({ key }) => key.family.name),
  );
}

/** Series of one family with the newest value that a file has of them. */
export function storedSeries(run: StoredRun, family: string): SeriesSummary[] {
  return run.series
    .filter(({ key }) => key.family.name === family)
    .map(({ key, result }) => ({
      id: key.id,
      endpointUrl: key.endpointUrl,
      labels: key.labels,
      last: isCountedAverage(key.family) ? NaN : lastOf(result),
    }));
}

/** What stands for a series where a run would show its newest value. */
function lastOf(result: SeriesResult): number {
  switch (result.kind) {
    case "gauge":
      return result.slices?.at(-1)?.avg ?? result.stats.avg ?? NaN;
    case "counter":
      return result.stats.total;
    case "histogram":
      return result.stats.count;
  }
}

/** Slices as steps: a gauge's averages, a counter's rates, quantiles from a slice's buckets. */
export function storedChart(run: StoredRun, query: ChartQuery): ChartData {
  const all = run.series.filter(({ key }) => key.family.name === query.family);
  const chosen =
    query.series === undefined
      ? all.slice(0, query.maxSeries)
      : all.filter(({ key }) => query.series?.includes(key.id));
  const [first] = chosen;
  const histograms =
    query.together === true && chosen.length > 1
      ? chosen.flatMap(({ result }) => (result.kind === "histogram" ? [result] : []))
      : [];
  const merged =
    first === undefined || histograms.length === 0
      ? undefined
      : linesOf(run, { key: { ...first.key, labels: [] }, result: joined(first.key, histograms) });
  const apart = histograms.length > 0 && !shareBounds(histograms);
  const alone = merged === undefined ? chosen : apart ? chosen.slice(0, query.maxSeries) : [];
  const lines = [
    ...(merged ?? []).filter(({ quantity }) => !apart || quantity === "avg"),
    ...alone.flatMap((series) => linesOf(run, series)).filter(({ quantity }) => !apart || quantity !== "avg"),
  ];
  const family = all[0]?.key.family;
  const unit = family === undefined ? undefined : chartUnit(family, shownUnit(family));
  return {
    family: query.family,
    ...(unit === undefined ? {} : { unit }),
    lines,
    seriesTotal: all.length,
    ...(apart ? { apart: FEW_SHARED_BOUNDS } : {}),
    ...(lines.some((line) => line.values.some((value) => !Number.isNaN(value)))
      ? {}
      : family !== undefined && isCountedAverage(family)
        ? COUNTED_AVERAGE_EMPTY
        : {
            empty: {
              severity: "info" as const,
              reason: `This file holds no timeslices of ${query.family}, only its statistics.`,
              remedy: "The Parquet or JSONL file of the same run has every sample.",
            },
          }),
  };
}

function linesOf(run: StoredRun, { key, result }: StoredSeries): ChartLine[] {
  if (isCountedAverage(key.family)) return [];
  const slices = result.slices ?? [];
  const base = { series: key.id, endpointUrl: key.endpointUrl, labels: key.labels };
  const incomplete = slices.find((slice) => slice.is_complete === false);
  const incompleteFrom =
    incomplete === undefined ? {} : { incompleteFrom: offsetNs(Number(incomplete.start_ns - run.origin)) };
  const step = (values: readonly number[]) => ({ ...steps(slices, values, run.origin), ...incompleteFrom });
  switch (result.kind) {
    case "gauge":
      return [{ ...base, quantity: "value", ...step((result.slices ?? []).map((slice) => slice.avg)) }];
    case "counter": {
      const rated = ratedSlices(result.slices ?? []);
      const rates = rated.map(({ rate }) => rate);
      return [{ ...base, quantity: "rate", ...steps(rated, rates, run.origin), ...incompleteFrom }];
    }
    case "histogram": {
      const histogram = result.slices ?? [];
      const estimates = histogram.map((slice) => estimatesOfBuckets(slice.buckets, slice.sum, SLICE_QUANTILES));
      const quantiles = (["p50", "p90", "p99"] as const).map((quantity, q): ChartLine => {
        const part = (name: "value" | "lower" | "upper") => estimates.map((estimate) => estimate[q]?.[name] ?? NaN);
        return {
          ...base,
          quantity,
          ...step(part("value")),
          bounds: {
            lower: steps(slices, part("lower"), run.origin).values,
            upper: steps(slices, part("upper"), run.origin).values,
          },
        };
      });
      return [
        ...quantiles,
        {
          ...base,
          quantity: "avg",
          ...step(histogram.map((slice: HistogramSlice) => (slice.count > 0 ? slice.avg : NaN))),
        },
      ];
    }
  }
}

/** Several histograms by their slices, as one. */
function joined({ endpointUrl }: SeriesKey, histograms: readonly HistogramResult[]): HistogramResult {
  return { kind: "histogram", endpointUrl, labels: [], stats: { count: NaN }, slices: joinedSlices(histograms) };
}

/** Slices of the same time as one, on the bounds that all have, in order. */
export function joinedSlices(histograms: readonly HistogramResult[]): HistogramSlice[] {
  const byStart = new Map<EpochNs, HistogramSlice[]>();
  for (const slice of histograms.flatMap(({ slices }) => slices ?? [])) {
    const same = byStart.get(slice.start_ns);
    if (same === undefined) byStart.set(slice.start_ns, [slice]);
    else same.push(slice);
  }
  const slices = [...byStart.values()].flatMap((same): HistogramSlice[] => {
    const [first] = same;
    const count = same.reduce((total, slice) => total + slice.count, 0);
    const sum = same.reduce((total, slice) => total + slice.sum, 0);
    return first === undefined
      ? []
      : [{ ...first, count, sum, avg: sum / count, buckets: mergeBuckets(same.map(({ buckets }) => buckets)) }];
  });
  return slices.sort((a, b) => (a.start_ns < b.start_ns ? -1 : 1));
}

/** Two finite ones at least. */
function shareBounds(histograms: readonly HistogramResult[]): boolean {
  return (
    mergeBuckets(histograms.flatMap(({ slices }) => (slices?.[0] === undefined ? [] : [slices[0].buckets]))).length > 2
  );
}

/**
 * Slices whose rate says something: of one that was cut to a moment it may be a thousand times too high, so incomplete
 * ones count only where there are no others, as in averages of rates.
 */
export function ratedSlices(slices: readonly CounterSlice[]): readonly CounterSlice[] {
  const complete = slices.filter((slice) => slice.is_complete !== false);
  return complete.length > 0 ? complete : slices;
}

/** Each value from its slice's start to its end; a slice that is missing breaks the line. */
function steps(
  slices: readonly { readonly start_ns: EpochNs; readonly end_ns: EpochNs }[],
  values: readonly number[],
  origin: EpochNs,
) {
  const times: number[] = [];
  const drawn: number[] = [];
  slices.forEach((slice, i) => {
    const start = Number(slice.start_ns - origin);
    const before = slices[i - 1];
    if (before !== undefined && before.end_ns !== slice.start_ns) {
      times.push(Number(before.end_ns - origin) + 1);
      drawn.push(NaN);
    }
    times.push(start, Number(slice.end_ns - origin) - 1);
    drawn.push(values[i] ?? NaN, values[i] ?? NaN);
  });
  return { times: Float64Array.from(times), values: Float64Array.from(drawn) };
}

/** Sums of cumulative buckets on the bounds that all have; none where fewer than two finite ones are shared. */
export function mergeBuckets(all: readonly BucketCounts[]): BucketCounts {
  const [first] = all;
  if (first === undefined || all.length === 1) return first ?? [];
  const byBound = all.map((buckets) => new Map(buckets.map(([bound, count]) => [boundValue(bound), count])));
  const shared = new Set(sharedUppers(byBound.map((counts) => Float64Array.from(counts.keys()).sort())));
  return first
    .map(([bound]) => [bound, boundValue(bound)] as const)
    .filter(([, upper]) => shared.has(upper))
    .map(([bound, upper]) => [bound, byBound.reduce((sum, counts) => sum + (counts.get(upper) ?? 0), 0)]);
}

/** The stored estimates, with what the stored buckets tell of them. */
function withEstimates(result: SeriesResult): SeriesResult {
  const estimates = result.kind === "histogram" ? knownEstimates(result) : undefined;
  return result.kind !== "histogram" || estimates === undefined ? result : { ...result, estimates };
}
