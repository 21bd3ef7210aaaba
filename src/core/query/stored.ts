import {
  COUNTED_AVERAGE_NOTE,
  familyOfResult,
  isClientFamily,
  isCountedAverage,
  type KeyStatistic,
} from "../catalog/index.js";
import {
  amountOf,
  boundValue,
  labelKey,
  offsetNs,
  statisticOf,
  type BucketCounts,
  type CounterSlice,
  type EndpointId,
  type EpochNs,
  type Family,
  type Labels,
  type Problem,
  type RunStatistics,
  type SeriesId,
  type SeriesKey,
  type SeriesResult,
  type SliceTimes,
} from "../model/index.js";
import {
  complete,
  estimatesOfBuckets,
  knownEstimate,
  knownEstimates,
  mergeSequences,
  mergeTotals,
  moments,
  type IntervalSequence,
} from "../stats/index.js";
import { SLICE_QUANTILES } from "./estimate-cells.js";
import type { ResultEntry } from "./tables.js";
import { SPARK_POINTS } from "./tile.js";
import type { ChartQuery } from "./types/index.js";
import type { RunView, SeriesReadings } from "./view.js";

interface StoredSeries {
  readonly key: SeriesKey;
  readonly result: SeriesResult;
}

/** A run as a JSON or CSV artifact stores it: statistics and slices. Ids are given to its series in order. */
export class StoredRun implements RunView {
  readonly series: readonly StoredSeries[];
  readonly families: readonly Family[];
  /** The earliest time that the file tells. */
  readonly origin: EpochNs;
  private readonly byId: ReadonlyMap<SeriesId, SeriesResult>;
  /** Of the slices of all series, each once, in order. */
  private readonly times: readonly SliceTimes[];

  /** @param beside another phase of the same file, whose origin and ids of series hold here, too */
  constructor(
    readonly statistics: RunStatistics,
    beside?: StoredRun,
  ) {
    const urls = statistics.endpointInfo.map(([url]) => url);
    const idOf = seriesIds(beside);
    const shown = statistics.families.map((own) => ({ family: familyOfResult(own), results: own.series }));
    this.families = shown.map(({ family }) => family);
    this.series = shown.flatMap(({ family, results }) =>
      results.map((result) => {
        const { endpointUrl, labels } = result;
        const endpoint = Math.max(0, urls.indexOf(endpointUrl)) as EndpointId;
        return { result, key: { id: idOf(result, family), endpoint, endpointUrl, family, labels } };
      }),
    );
    this.byId = new Map(this.series.map(({ key, result }) => [key.id, result]));
    const slices = this.series.flatMap(({ result }): readonly SliceTimes[] => result.slices ?? []);
    this.times = [...new Map(slices.map((slice) => [slice.start_ns, slice])).values()].sort((a, b) =>
      a.start_ns < b.start_ns ? -1 : 1,
    );
    this.origin =
      beside?.origin ??
      statistics.endpointInfo.reduce(
        (first, [, info]) => (info.first_fetch_ns < first ? info.first_fetch_ns : first),
        statistics.startNs,
      );
  }

  get slices() {
    const [first] = this.times;
    const start = first === undefined ? 0 : this.offset(first.start_ns);
    return {
      start,
      length: first === undefined ? 1 : this.offset(first.end_ns) - start,
      end: this.offset(this.times.at(-1)?.end_ns ?? this.origin),
    };
  }

  keys() {
    return this.series.map(({ key }) => key);
  }

  last(key: SeriesKey): number {
    const result = this.resultOf(key);
    if (result === undefined || isCountedAverage(key.family)) return NaN;
    const newest = result.kind === "gauge" ? result.slices?.at(-1) : undefined;
    return newest?.avg ?? amountOf(result);
  }

  resultOf({ id }: SeriesKey): SeriesResult | undefined {
    return this.byId.get(id);
  }

  entries(): ResultEntry[] {
    return this.series.map(({ key, result }) => ({
      key,
      result: () => (isCountedAverage(key.family) ? undefined : withEstimates(result)),
      sliceQuantiles: (slice) => estimatesOfBuckets(slice.buckets, slice.sum, SLICE_QUANTILES),
    }));
  }

  /** Slices as steps. */
  line(key: SeriesKey) {
    const result = this.resultOf(key);
    if (result?.slices === undefined || result.kind === "histogram") return this.steps([]);
    const incomplete = result.slices.find((slice) => slice.is_complete === false);
    const from = incomplete === undefined ? {} : { incompleteFrom: offsetNs(this.offset(incomplete.start_ns)) };
    const points =
      result.kind === "gauge"
        ? result.slices.map((slice) => [slice, slice.avg] as const)
        : ratedSlices(result.slices).map((slice) => [slice, slice.rate] as const);
    return { ...this.steps(points), ...from };
  }

  observed(key: SeriesKey): IntervalSequence | undefined {
    const result = this.resultOf(key);
    return result?.kind !== "histogram" || result.slices === undefined || result.slices.length === 0
      ? undefined
      : intervalsOf(result.slices.map((slice) => ({ ...slice, end: this.offset(slice.end_ns) })));
  }

  edges(): Float64Array {
    return Float64Array.from([...this.times.map(({ start_ns }) => this.offset(start_ns)), this.slices.end]);
  }

  undrawn({ family }: Pick<ChartQuery, "family">): Problem {
    return {
      severity: "info",
      reason: `This file holds no timeslices of ${family}, only its statistics.`,
      // A load generator that wrote statistics alone wrote no such file.
      ...(isClientFamily(family) ? {} : { remedy: "The Parquet or JSONL file of the same run has every sample." }),
    };
  }

  over(): SeriesReadings {
    const starts = courseStarts(this.times);
    const course = <S extends SliceTimes>(slices: readonly S[] = [], value: (slice: S) => number) => {
      const byStart = new Map(slices.map((slice) => [slice.start_ns, value(slice)]));
      return Float64Array.from(starts, (start) => byStart.get(start) ?? NaN);
    };
    return {
      courseEnds: Float64Array.from(starts, (_, i) => {
        const next = starts[i + 1];
        return next === undefined ? Infinity : this.offset(next);
      }),
      counter: (key) => {
        const result = this.resultOf(key);
        if (result?.kind !== "counter") return undefined;
        const { slices } = result;
        return {
          amount: statisticOf(result, "total"),
          value: (statistic) => statisticOf(result, statistic === "total" ? "total" : "rate"),
          restarted: statisticOf(result, "resets") > 0,
          amounts: () => course(slices, ({ total }) => total),
          course: () => course(slices, ({ rate }) => rate),
        };
      },
      gauge: (key) => {
        const result = this.resultOf(key);
        if (result?.kind !== "gauge") return undefined;
        const value = (statistic: KeyStatistic) => statisticOf(result, statistic === "max" ? "max" : "avg");
        const means = () => course(result.slices, ({ avg }) => avg);
        return { amount: value("avg"), value, amounts: means, course: means };
      },
      histogram: (key) => {
        const result = this.resultOf(key);
        if (result?.kind !== "histogram") return undefined;
        const [count, sum] = [statisticOf(result, "count"), statisticOf(result, "sum")];
        const whole = intervalsOf([{ count, sum, buckets: result.buckets ?? [], end: this.slices.end }]);
        return {
          whole,
          course: this.observed(key) ?? whole,
          restarted: statisticOf(result, "resets") > 0,
          known: (statistic) => knownEstimate(result, statistic),
        };
      },
      *average(keysOf, { average }) {
        const all = keysOf(average);
        return {
          value: moments(Float64Array.from(all, (key) => this.gauge(key)?.amount ?? NaN)).avg,
          sparkline: new Float64Array(0),
          note: all.some(({ family }) => family.type === "counter")
            ? COUNTED_AVERAGE_NOTE
            : "average since the server started; without samples it cannot be rebuilt for the window",
        };
      },
    };
  }

  private offset(time: EpochNs): number {
    return Number(time - this.origin);
  }

  /** Each value from its slice's start to its end; a slice that is missing breaks the line. */
  private steps(points: readonly (readonly [SliceTimes, number])[]) {
    const times: number[] = [];
    const drawn: number[] = [];
    points.forEach(([slice, value], i) => {
      const [before] = points[i - 1] ?? [];
      if (before !== undefined && before.end_ns !== slice.start_ns) {
        times.push(this.offset(before.end_ns) + 1);
        drawn.push(NaN);
      }
      times.push(this.offset(slice.start_ns), this.offset(slice.end_ns) - 1);
      drawn.push(value, value);
    });
    return { times: Float64Array.from(times), values: Float64Array.from(drawn) };
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

/**
 * Slices whose rate says something: of one that was cut to a moment it may be a thousand times too high, so incomplete
 * ones count only where there are no others, as in averages of rates.
 */
function ratedSlices<S extends Pick<CounterSlice, "is_complete">>(slices: readonly S[]): readonly S[] {
  const complete = slices.filter((slice) => slice.is_complete !== false);
  return complete.length > 0 ? complete : slices;
}

/** Where the points of courses begin. */
function courseStarts(slices: readonly SliceTimes[]): readonly EpochNs[] {
  const all = ratedSlices(slices);
  const points = Math.min(SPARK_POINTS, all.length);
  return Array.from(
    { length: points },
    (_, i) => all[Math.floor((i * all.length) / points)]?.start_ns ?? 0n,
  ) as EpochNs[];
}

interface StoredInterval {
  readonly count: number;
  readonly sum: number;
  /** Cumulative; none where the file tells the count alone. */
  readonly buckets: BucketCounts;
  readonly end: number;
}

/** Intervals on the bounds that all of them have, in order. */
function intervalsOf(parts: readonly StoredInterval[]): IntervalSequence {
  const layout = parts.find(({ buckets }) => buckets.length > 0)?.buckets ?? [];
  if (parts.some(({ buckets }) => buckets.length > 0 && !sameBounds(buckets, layout))) {
    const single = parts.map((part) => intervalsOf([part]));
    return mergeSequences(single) ?? complete(mergeTotals(single));
  }
  const uppers =
    layout.length === 0 ? Float64Array.of(Infinity) : Float64Array.from(layout, ([bound]) => boundValue(bound));
  const within = ({ buckets, count }: StoredInterval, b: number) =>
    buckets.length === 0 && b === uppers.length - 1
      ? count
      : Math.max(0, (buckets[b]?.[1] ?? 0) - (buckets[b - 1]?.[1] ?? 0));
  return {
    uppers,
    times: Float64Array.from(parts, ({ end }) => end),
    counts: Array.from(uppers, (_, b) => Float64Array.from(parts, (part) => within(part, b))),
    sums: Float64Array.from(parts, ({ sum }) => sum),
  };
}

function sameBounds(a: BucketCounts, b: BucketCounts): boolean {
  return a.length === b.length && a.every(([bound], i) => boundValue(bound) === boundValue(b[i]?.[0] ?? ""));
}

/** The stored estimates, with what the stored buckets tell of them. */
function withEstimates(result: SeriesResult): SeriesResult {
  const estimates = result.kind === "histogram" ? knownEstimates(result) : undefined;
  return result.kind !== "histogram" || estimates === undefined ? result : { ...result, estimates };
}
