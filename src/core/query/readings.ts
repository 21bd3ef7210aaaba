import { JOIN, shownKeys, type KeyStatistic } from "../catalog/index.js";
import type { SeriesKey } from "../model/index.js";
import {
  assumedReference,
  counterIncrease,
  cutTrack,
  durationOf,
  endpointWindow,
  estimateSteps,
  firstInside,
  joinSegments,
  linearQuantile,
  mergeSteps,
  moments,
  perSecond,
  readSeries,
  risesOf,
  sparseOf,
  type IntervalSequence,
  type RunWindow,
  type Steps,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { derivedReading } from "./derived-readings.js";
import { gaugeSeriesInside, seriesInside, stretches, stretchesOf, type ReadingContext } from "./series-inside.js";
import {
  combineReadings,
  NOTHING,
  QUANTILES,
  RESTARTED,
  seriesByName,
  SPARK_POINTS,
  type MetricReader,
  type TileReading,
  type TilePlan,
} from "./tile.js";

/** Of samples. Reading takes steps, because an hour of twenty endpoints takes longer than scrapes may wait. */
export function runReader(run: Run, window: RunWindow): MetricReader {
  const { store } = run;
  const keys = new Map<string, SeriesKey[]>();
  for (const key of shownKeys(run)) {
    const list = keys.get(key.family.name);
    if (list === undefined) keys.set(key.family.name, [key]);
    else list.push(key);
  }
  const windows = store.endpoints.map((axis) => endpointWindow(run, axis, window, run.sliceSeconds));
  const stretches = stretchesOf(store, windows);
  const assumed = assumedReference(run);
  const restricted = (keysOf: MetricReader["keysOf"]): MetricReader => ({
    keysOf,
    read: (plan, statistics) =>
      readingsOf({ store, keysOf, windows, stretches, assumedReference: assumed }, plan, statistics),
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

function* readingsOf(
  context: ReadingContext,
  plan: TilePlan,
  statistics: readonly KeyStatistic[],
): Steps<readonly TileReading[]> {
  const { metric } = plan;
  if (metric.derived !== undefined) return [yield* derivedReading(context, metric.derived)];
  const keys = context.keysOf(metric.family);
  if (metric.type === "histogram") return yield* histogramReadings(context, statistics, keys);
  const all: TileReading[] = [];
  for (const statistic of statistics) {
    const readings: TileReading[] = [];
    for (const key of keys) {
      readings.push(
        metric.type === "counter" ? counterReading(context, statistic, key) : gaugeReading(context, statistic, key),
      );
      yield;
    }
    all.push(combineReadings(readings, plan));
  }
  return all;
}

function gaugeReading(context: ReadingContext, statistic: KeyStatistic, key: SeriesKey): TileReading {
  const inside = gaugeSeriesInside(context, key);
  if (inside === undefined || inside.last === 0) return NOTHING;
  const { avg, max } = moments(inside.samples.values);
  const sparkline = stretches(inside, (from, to) =>
    to > from ? moments(inside.samples.values.subarray(from, to)).avg : NaN,
  );
  return { value: statistic === "max" ? max : avg, sparkline };
}

function counterReading(context: ReadingContext, statistic: KeyStatistic, key: SeriesKey): TileReading {
  const inside = seriesInside(context, key);
  if (inside === undefined || inside.first === inside.last) return NOTHING;
  const { times, values } = inside.samples;
  const reference = Math.max(0, inside.first - 1);
  const { increase, resets } = counterIncrease(values.subarray(reference, inside.last));
  const from = firstInside(times, reference, context.assumedReference) ?? times[reference] ?? 0;
  const window = context.windows[key.endpoint];
  const between = (times[inside.last - 1] ?? 0) - from;
  const elapsed = window === undefined ? between : durationOf(window, between);
  const sparkline = stretches(inside, (from, to) => {
    const before = Math.max(0, from - 1);
    return to - before < 2
      ? NaN
      : perSecond(counterIncrease(values.subarray(before, to)).increase, (times[to - 1] ?? 0) - (times[before] ?? 0));
  });
  const value = statistic === "total" ? increase : elapsed > 0 ? perSecond(increase, elapsed) : NaN;
  return { value, sparkline, ...(resets > 0 ? { note: RESTARTED } : {}) };
}

function* histogramReadings(
  context: ReadingContext,
  statistics: readonly KeyStatistic[],
  keys: readonly SeriesKey[],
): Steps<readonly TileReading[]> {
  const nothing = (note: string) => statistics.map((): TileReading => ({ ...NOTHING, note }));
  const sequences: IntervalSequence[] = [];
  let restarted = false;
  for (const key of keys) {
    const rises = risesInside(context, key);
    if (rises !== undefined) sequences.push(rises.sequence);
    restarted ||= rises !== undefined && rises.resets > 0;
    yield;
  }
  const merged = yield* mergeSteps(sequences);
  yield;
  if (merged === undefined)
    return nothing(
      sequences.length > 1
        ? "the series share too few bucket bounds to be merged"
        : "no observations in the profiling phase",
    );
  const count = JOIN.sum(merged.counts.map((bucket) => total(bucket, 0, bucket.length)));
  yield;
  if (count === 0) return nothing("no observations in the profiling phase");
  const note = restarted ? { note: RESTARTED } : {};
  const qs = statistics.flatMap((statistic) => QUANTILES[statistic] ?? []);
  const estimates = qs.length === 0 ? [] : yield* estimateSteps(sparseOf(merged), qs);
  return statistics.map((statistic): TileReading => {
    const q = QUANTILES[statistic];
    const sparkline = quantileCourse(merged, q);
    if (q === undefined)
      return { value: merged.sums.reduce((sum, s) => sum + (Number.isNaN(s) ? 0 : s), 0) / count, sparkline, ...note };
    const estimate = estimates[qs.indexOf(q)];
    if (estimate === undefined) return NOTHING;
    // Beyond the last bound nothing but the bound itself is certain.
    return estimate.extrapolated
      ? { value: estimate.lower, atLeast: true, note: `p${q * 100} lies beyond the last bucket`, sparkline }
      : { value: estimate.value, interval: estimate.interval, sparkline, ...note };
  });
}

function risesInside({ store, windows }: ReadingContext, key: SeriesKey) {
  const samples = readSeries(store, key);
  const window = windows[key.endpoint];
  const track = samples.kind === "histogram" ? joinSegments(samples) : undefined;
  if (window === undefined || track === undefined || track.uppers.length === 0) return undefined;
  const cut = cutTrack(track, window.start, window.end);
  return cut === undefined ? undefined : risesOf(cut);
}

function total(cells: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += cells[i] ?? 0;
  return sum;
}

/** A quantile (or the average) of every stretch; linear estimates are good enough for a line without an axis. */
function quantileCourse({ uppers, counts, sums, times }: IntervalSequence, q: number | undefined): Float64Array {
  const points = Math.min(SPARK_POINTS, times.length);
  return Float64Array.from({ length: points }, (_, s) => {
    const from = Math.floor((times.length * s) / points);
    const to = Math.floor((times.length * (s + 1)) / points);
    const totals = Float64Array.from(counts, (bucket) => total(bucket, from, to));
    const count = total(totals, 0, totals.length);
    if (count === 0) return NaN;
    return q === undefined ? total(sums, from, to) / count : linearQuantile(uppers, totals, q);
  });
}
