import {
  admits,
  COUNTED_AVERAGE_NOTE,
  type Derivation,
  type KeyStatistic,
  type LabelFilter,
} from "../catalog/index.js";
import type { EpochNs, HistogramResult, SeriesKey, SeriesResult } from "../model/index.js";
import { complete, estimatesOfBuckets, knownEstimate, moments } from "../stats/index.js";
import { joinedSlices, mergeBuckets, ratedSlices, type StoredRun, type StoredSeries } from "./stored.js";
import {
  combineReadings,
  NOTHING,
  QUANTILES,
  RESTARTED,
  seriesByName,
  SPARK_POINTS,
  tileOf,
  tilePlans,
  type MetricReader,
  type TileReading,
} from "./tile.js";
import type { Tile } from "./types/index.js";

/*
 * Metrics as a JSON or CSV artifact stores them: statistics and slices instead of samples.
 */

/** Reads metrics from the statistics of a file, as tiles and dashboards ask for them. */
export function storedReader(run: StoredRun): MetricReader {
  const byName = new Map<string, StoredSeries[]>();
  for (const series of run.series) {
    const list = byName.get(series.key.family.name);
    if (list === undefined) byName.set(series.key.family.name, [series]);
    else list.push(series);
  }
  return resultReader((family) =>
    seriesByName(
      family,
      byName,
      (name) => byName.get(name) ?? [],
      ({ key }) => key,
    ),
  );
}

/** Reads metrics from results, whatever they are of. */
export function resultReader(seriesOf: (family: string) => readonly StoredSeries[]): MetricReader {
  const resultsOf = (family: string, filter?: LabelFilter) =>
    seriesOf(family)
      .filter(({ key }) => filter === undefined || admits(filter, key.labels))
      .map(({ result }) => result);
  return {
    keysOf: (family) => seriesOf(family).map(({ key }) => key),
    within: (admitted: (key: SeriesKey) => boolean) =>
      resultReader((family) => seriesOf(family).filter(({ key }) => admitted(key))),

    *read(plan, statistics) {
      const { metric } = plan;
      if (metric.derived !== undefined) return [derivedReading(resultsOf, metric.derived)];
      const results = resultsOf(metric.family);
      return statistics.map((statistic) =>
        metric.type === "histogram"
          ? histogramReading(statistic, results)
          : combineReadings(
              results.map((result) => scalarReading(statistic, result)),
              plan,
            ),
      );
    },
  };
}

/** @param endpointUrl only what this endpoint reports; absent: all together */
export function storedTiles(run: StoredRun, endpointUrl?: string): Tile[] {
  const all = storedReader(run);
  const reader = endpointUrl === undefined ? all : all.within((key) => key.endpointUrl === endpointUrl);
  return tilePlans(run.families).map((plan) =>
    tileOf(plan, complete(reader.read(plan, [plan.metric.statistic]))[0] ?? NOTHING),
  );
}

function scalarReading(statistic: KeyStatistic, result: SeriesResult): TileReading {
  if (result.kind === "counter") {
    const { total, rate, resets } = result.stats;
    const sparkline = spark(ratedSlices(result.slices ?? []).map((slice) => slice.rate));
    return {
      value: statistic === "total" ? total : rate,
      sparkline,
      ...(resets === undefined ? {} : { note: RESTARTED }),
    };
  }
  if (result.kind !== "gauge") return NOTHING;
  return {
    value: (statistic === "max" ? result.stats.max : result.stats.avg) ?? NaN,
    sparkline: spark(result.slices?.map((slice) => slice.avg)),
  };
}

function histogramReading(statistic: KeyStatistic, results: readonly SeriesResult[]): TileReading {
  const histograms = results.filter((result) => result.kind === "histogram").filter((result) => result.stats.count > 0);
  const [first] = histograms;
  if (first === undefined) return { ...NOTHING, note: "no observations" };
  const slices = joinedSlices(histograms);
  const sum = histograms.reduce((all, { stats }) => all + (stats.sum ?? NaN), 0);
  const q = QUANTILES[statistic];
  if (q === undefined) {
    return {
      value: sum / histograms.reduce((all, { stats }) => all + stats.count, 0),
      sparkline: spark(slices.map((slice) => slice.avg)),
    };
  }
  const sparkline = spark(slices.map((slice) => estimatesOfBuckets(slice.buckets, slice.sum, [q])[0]?.value ?? NaN));
  const estimate =
    histograms.length === 1
      ? knownEstimate(first, statistic)
      : estimatesOfBuckets(mergeBuckets(histograms.map((result) => result.buckets ?? [])), sum, [q])[0];
  if (estimate === undefined) {
    const stored = histograms.length === 1 ? storedEstimate(first, statistic) : undefined;
    return stored === undefined
      ? { ...NOTHING, note: "the series share no bucket bounds" }
      : { value: stored, sparkline };
  }
  const { value, lower, interval, extrapolated } = estimate;
  return extrapolated
    ? { value: lower, atLeast: true, note: `p${q * 100} lies beyond the last bucket`, sparkline }
    : { value, ...(Number.isNaN(interval[0]) ? {} : { interval }), sparkline };
}

function storedEstimate({ stats }: HistogramResult, statistic: KeyStatistic): number | undefined {
  switch (statistic) {
    case "p50_estimate":
    case "p90_estimate":
    case "p99_estimate":
      return stats[statistic];
    case "avg":
    case "max":
    case "rate":
    case "total":
      return undefined;
  }
}

function derivedReading(
  resultsOf: (family: string, filter?: LabelFilter) => readonly SeriesResult[],
  derived: Derivation,
): TileReading {
  switch (derived.kind) {
    case "rate-ratio": {
      const above = resultsOf(derived.numerator, derived.numeratorOf);
      return quotient(
        above,
        derived.denominator.flatMap((family) => resultsOf(family)),
        increaseOf,
        countedSlices,
        "nothing was counted",
      );
    }
    case "gauge-ratio": {
      const below = derived.denominator.flatMap((family) => resultsOf(family));
      const whole = derived.complement === true ? (share: number) => 1 - share : (share: number) => share;
      const { value, sparkline, ...rest } = quotient(
        resultsOf(derived.numerator),
        below,
        meanOf,
        averagedSlices,
        "no samples",
      );
      return { ...rest, value: whole(value), sparkline: sparkline.map(whole) };
    }
    case "lifetime-average":
      return {
        value: moments(Float64Array.from(resultsOf(derived.average), meanOf)).avg,
        sparkline: new Float64Array(0),
        note: resultsOf(derived.average).some(({ kind }) => kind === "counter")
          ? COUNTED_AVERAGE_NOTE
          : "average since the server started; without samples it cannot be rebuilt for the window",
      };
  }
}

function increaseOf(result: SeriesResult): number {
  return result.kind === "counter" ? result.stats.total : 0;
}

function meanOf(result: SeriesResult): number {
  return result.kind === "gauge" ? (result.stats.avg ?? NaN) : NaN;
}

/** What a slice adds to a sum, by its start. */
type SliceAmounts = (result: SeriesResult) => readonly (readonly [start: EpochNs, amount: number])[];

const countedSlices: SliceAmounts = (result) =>
  result.kind === "counter" ? (result.slices ?? []).map(({ start_ns, total }) => [start_ns, total]) : [];

const averagedSlices: SliceAmounts = (result) =>
  result.kind === "gauge" ? (result.slices ?? []).map(({ start_ns, avg }) => [start_ns, avg]) : [];

/** Of the sums of all series, slice by slice; NaN where there is nothing to divide by. */
function sliceQuotients(above: readonly SeriesResult[], below: readonly SeriesResult[], amounts: SliceAmounts) {
  const sums = (results: readonly SeriesResult[]) => {
    const byStart = new Map<EpochNs, number>();
    for (const [start, amount] of results.flatMap(amounts)) byStart.set(start, (byStart.get(start) ?? 0) + amount);
    return byStart;
  };
  const whole = [...sums(below)].sort(([a], [b]) => (a < b ? -1 : 1));
  const part = sums(above);
  return whole.map(([start, amount]) => (Math.abs(amount) > 0 ? (part.get(start) ?? 0) / amount : NaN));
}

function quotient(
  above: readonly SeriesResult[],
  below: readonly SeriesResult[],
  amountOf: (result: SeriesResult) => number,
  amounts: SliceAmounts,
  nothing: string,
): TileReading {
  const total = (results: readonly SeriesResult[]) => results.reduce((sum, result) => sum + amountOf(result), 0);
  return Math.abs(total(below)) > 0
    ? { value: total(above) / total(below), sparkline: spark(sliceQuotients(above, below, amounts)) }
    : { ...NOTHING, note: nothing };
}

function spark(values: readonly number[] | undefined): Float64Array {
  const all = values ?? [];
  const points = Math.min(SPARK_POINTS, all.length);
  return Float64Array.from({ length: points }, (_, i) => all[Math.floor((i * all.length) / points)] ?? NaN);
}
