import { NS_PER_SECOND, type EpochNs, type Labels, type SeriesKey, type SeriesResult } from "../model/index.js";
import { mean } from "../math/index.js";
import {
  chooseSliceSeconds,
  currentWindow,
  levelSteps,
  meanInterval,
  outliersOf,
  SeriesStatistics,
  effectiveSampleSize,
  reporting,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { valuesOf, pointsOfSeries, type SignalPoint } from "./signals.js";

/** From `startNs` on a series had another level. */
export interface LevelChange {
  readonly kind: "level-change";
  readonly startNs: EpochNs;
  /** Means of the time slices since the change before, and up to the next. */
  readonly before: number;
  readonly after: number;
}

/** Time slices whose value stands out from those around them. */
export interface OutlierSlices {
  readonly kind: "outlier";
  readonly startNs: EpochNs;
  readonly endNs: EpochNs;
  /** Of the slice that stands out most, and the median of those around it. */
  readonly value: number;
  readonly usual: number;
}

/** What happened in one series, in order of time: a gauge's values, a counter's rates, a histogram's averages. */
export interface SeriesChanges {
  readonly endpointUrl: string;
  readonly labels: Labels;
  readonly changes: readonly (LevelChange | OutlierSlices)[];
}

/** Probability of a false change of level in a series, and of a false outlier, as far as its noise is AR(1). */
const SIGNIFICANT = 0.003;
/** What lasts for fewer slices is no level. */
const SHORTEST = 5;
/** Independent values that a series must be worth: with fewer, as in a random walk, a level cannot be estimated. */
const FEWEST = 18;
/** A change by less than this share of the larger level is no matter. */
const LEAST = 0.05;
/** Slices of a stored run beyond which neighbours are averaged: looking for two steps takes the square of it. */
const MOST = 1000;

/** Statistics of series in the slices that their changes are found in. Yields the share done. */
export function* changeResults(run: Run, keys: readonly SeriesKey[]): Generator<number, readonly SeriesResult[]> {
  const window = currentWindow(run);
  const offset = (time: EpochNs) => Number(time - run.store.origin);
  const interval = meanInterval(run.store.endpoints, offset(window.start), offset(window.end));
  const seconds = Number(window.end - window.start) / NS_PER_SECOND;
  const statistics = new SeriesStatistics(run, { window, sliceSeconds: chooseSliceSeconds([{ seconds, interval }]) });
  const results: SeriesResult[] = [];
  for (const [i, key] of keys.entries()) {
    const result = yield* reporting(statistics.of(key, "counts"), () => i / keys.length);
    if (result !== undefined) results.push(result);
  }
  return results;
}

/**
 * Changes of level and outliers of each series, by its time slices; series without any are left out. A level is a mean
 * that changes at once and lasts: what a straight line describes better is a trend, and marked nowhere.
 */
export function changesOf(series: readonly SeriesResult[]): readonly SeriesChanges[] {
  return series.flatMap((one): SeriesChanges[] => {
    const points = thinned(pointsOfSeries(one));
    const values = valuesOf(points);
    const changes = [...levelChanges(points, values), ...outliers(points, values)];
    if (changes.length === 0) return [];
    changes.sort((a, b) => (a.startNs < b.startNs ? -1 : 1));
    return [{ endpointUrl: one.endpointUrl, labels: one.labels, changes }];
  });
}

function thinned(points: readonly SignalPoint[]): readonly SignalPoint[] {
  const size = Math.ceil(points.length / MOST);
  if (size === 1) return points;
  const means: SignalPoint[] = [];
  for (let i = 0; i < points.length; i += size) {
    const together = points.slice(i, i + size);
    const [first, last] = [together[0], together.at(-1)];
    if (first === undefined || last === undefined) continue;
    means.push({ ...first, endNs: last.endNs, value: mean(valuesOf(together)) });
  }
  return means;
}

function levelChanges(points: readonly SignalPoint[], values: readonly number[]): readonly LevelChange[] {
  if (values.length < FEWEST) return [];
  const worth = effectiveSampleSize(values, SHORTEST);
  if (values.length * worth < FEWEST) return [];
  const steps = levelSteps(values, { significant: SIGNIFICANT, shortest: SHORTEST, fewest: 2 * SHORTEST, worth });
  return steps.flatMap(({ at, before, after }, i): LevelChange[] => {
    const point = points[at];
    const around = values.slice(steps[i - 1]?.at ?? 0, steps[i + 1]?.at ?? values.length);
    const small = Math.abs(after - before) < LEAST * Math.max(Math.abs(before), Math.abs(after));
    if (point === undefined || small || isTrend(around, at - (steps[i - 1]?.at ?? 0))) return [];
    return [{ kind: "level-change", startNs: point.startNs, before, after }];
  });
}

/** Whether a straight line leaves less variance than a step at `at` does. */
function isTrend(values: readonly number[], at: number): boolean {
  const n = values.length;
  const level = mean(values);
  const middle = (n - 1) / 2;
  const together = values.reduce((sum, value, i) => sum + (i - middle) * (value - level), 0);
  const byLine = (12 * together * together) / (n * (n * n - 1));
  const left = values.slice(0, at).reduce((sum, value) => sum + value - level, 0);
  const byStep = (left * left) / at + (left * left) / (n - at);
  return byLine > byStep;
}

function outliers(points: readonly SignalPoint[], values: readonly number[]): readonly OutlierSlices[] {
  return outliersOf(values, SIGNIFICANT).flatMap(({ from, to, value, usual }): OutlierSlices[] => {
    const [first, last] = [points[from], points[to]];
    return first === undefined || last === undefined
      ? []
      : [{ kind: "outlier", startNs: first.startNs, endNs: last.endNs, value, usual }];
  });
}
