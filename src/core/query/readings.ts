import type { TileReading } from "./types/index.js";
import { JOIN, type KeyStatistic } from "../catalog/index.js";
import type { QuantileEstimate, SeriesKey } from "../model/index.js";
import { groupBy } from "../math/index.js";
import {
  estimateSteps,
  linearQuantile,
  mergeSteps,
  mergeTotals,
  sparseOf,
  type IntervalSequence,
  type RunWindow,
  type Steps,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { derivedReading } from "./derived-readings.js";
import { viewOf } from "./sampled.js";
import { stretches } from "./series-inside.js";
import type { StoredRun } from "./stored.js";
import {
  combineReadings,
  NOTHING,
  QUANTILES,
  RESTARTED,
  seriesByName,
  type MetricReader,
  type TilePlan,
} from "./tile.js";
import type { HistogramReading, ScalarReading, SeriesReadings } from "./view.js";

/**
 * Reads metrics of a run. Reading takes steps, because an hour of twenty endpoints takes longer than scrapes may wait.
 * @param window absent: the run's current one
 */
export function metricReader(run: Run | StoredRun, window?: RunWindow): MetricReader {
  const view = viewOf(run);
  const keys = groupBy([...view.keys()], ({ family }) => family.name);
  const readings = view.over(window);
  const restricted = (keysOf: MetricReader["keysOf"]): MetricReader => ({
    keysOf,
    read: (plan, statistics) => readSteps(readings, keysOf, plan, statistics),
    within: (admitted) => restricted((family) => keysOf(family).filter(admitted)),
  });
  return restricted((family) =>
    seriesByName(
      family,
      keys,
      (name) => keys.get(name) ?? [],
      (key) => key,
    ),
  );
}

function* readSteps(
  readings: SeriesReadings,
  keysOf: MetricReader["keysOf"],
  plan: TilePlan,
  statistics: readonly KeyStatistic[],
): Steps<readonly TileReading[]> {
  const { metric } = plan;
  if (metric.derived !== undefined) return [yield* derivedReading(readings, keysOf, metric.derived)];
  const keys = keysOf(metric.family);
  if (metric.type === "histogram") return yield* histogramReadings(readings, statistics, keys);
  const known: { readonly scalar: ScalarReading; readonly shared: Omit<TileReading, "value"> }[] = [];
  for (const key of keys) {
    const scalar = metric.type === "counter" ? readings.counter(key) : readings.gauge(key);
    if (scalar !== undefined) {
      const note = scalar.restarted === true ? { note: RESTARTED } : {};
      known.push({ scalar, shared: { sparkline: scalar.course(), ...note } });
    }
    yield;
  }
  return statistics.map((statistic) =>
    combineReadings(
      known.map(({ scalar, shared }) => ({ value: scalar.value(statistic), ...shared })),
      plan,
    ),
  );
}

function* histogramReadings(
  readings: SeriesReadings,
  statistics: readonly KeyStatistic[],
  keys: readonly SeriesKey[],
): Steps<readonly TileReading[]> {
  const nothing = (note: string) => statistics.map((): TileReading => ({ ...NOTHING, note }));
  const parts: HistogramReading[] = [];
  for (const key of keys) {
    const part = readings.histogram(key);
    if (part !== undefined && countOf(part.whole) > 0) parts.push(part);
    yield;
  }
  if (parts.length === 0) return nothing("no observations in the profiling phase");
  const whole = yield* together(parts.map((part) => part.whole));
  yield;
  const alike = parts.every((part) => part.course === part.whole);
  const course = alike ? whole : yield* together(parts.map((part) => part.course));
  yield;
  const note = parts.some(({ restarted }) => restarted) ? { note: RESTARTED } : {};
  const estimates = yield* estimatesOf(parts, whole, statistics);
  return statistics.map((statistic): TileReading => {
    const q = QUANTILES[statistic];
    if (q === undefined)
      return {
        value: sumOf(whole.sums) / countOf(whole),
        sparkline: courseOf(course, undefined, readings.courseEnds),
        ...note,
      };
    const estimate = estimates.get(statistic);
    if (estimate === undefined) return { ...NOTHING, note: "the series share too few bucket bounds to be merged" };
    const sparkline = courseOf(course, q, readings.courseEnds);
    const { value, lower, interval, extrapolated } = estimate;
    // Beyond the last bound nothing but the bound itself is certain.
    if (extrapolated)
      return { value: lower, atLeast: true, note: `p${q * 100} lies beyond the last bucket`, sparkline };
    return { value, ...(Number.isNaN(interval[0]) ? {} : { interval }), sparkline, ...note };
  });
}

/** On the bounds that all share, else what is left without bounds. */
function* together(sequences: readonly IntervalSequence[]): Steps<IntervalSequence> {
  return (yield* mergeSteps(sequences)) ?? (yield* mergeTotals(sequences));
}

function* estimatesOf(
  parts: readonly HistogramReading[],
  whole: IntervalSequence,
  statistics: readonly KeyStatistic[],
): Steps<ReadonlyMap<KeyStatistic, QuantileEstimate>> {
  const wanted = statistics.flatMap((statistic) => {
    const q = QUANTILES[statistic];
    return q === undefined ? [] : [{ statistic, q }];
  });
  const [only] = parts;
  const known = parts.length === 1 ? only?.known : undefined;
  if (known !== undefined)
    return new Map(
      wanted.flatMap(({ statistic }) => {
        const estimate = known(statistic);
        return estimate === undefined ? [] : [[statistic, estimate] as const];
      }),
    );
  if (wanted.length === 0 || whole.uppers.length < 2) return new Map();
  const estimates = yield* estimateSteps(
    sparseOf(whole),
    wanted.map(({ q }) => q),
  );
  return new Map(
    wanted.flatMap(({ statistic }, i) => {
      const estimate = estimates[i];
      return estimate === undefined ? [] : [[statistic, estimate] as const];
    }),
  );
}

function countOf({ counts }: IntervalSequence): number {
  return JOIN.sum(counts.map((bucket) => total(bucket, 0, bucket.length)));
}

/** NaN where none is known. */
function sumOf(sums: Float64Array): number {
  const known = sums.filter((sum) => !Number.isNaN(sum));
  return known.length === 0 ? NaN : total(known, 0, known.length);
}

function total(cells: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += cells[i] ?? 0;
  return sum;
}

/**
 * A quantile (or the average) of every stretch; linear estimates are good enough for a line without an axis.
 * @param ends of the stretches
 */
function courseOf(sequence: IntervalSequence, q: number | undefined, ends: Float64Array): Float64Array {
  const { uppers, counts, sums, times } = sequence;
  return stretches({ samples: sequence, ends, first: 0, last: times.length }, (from, to) => {
    const totals = Float64Array.from(counts, (bucket) => total(bucket, from, to));
    const count = total(totals, 0, totals.length);
    if (count === 0) return NaN;
    if (q === undefined) return total(sums, from, to) / count;
    return uppers.length >= 2 ? linearQuantile(uppers, totals, q) : NaN;
  });
}
