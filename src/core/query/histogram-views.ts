import { shownUnit } from "../catalog/index.js";
import { NS_PER_SECOND, type Problem, type SeriesId } from "../model/index.js";
import {
  endpointWindow,
  estimateQuantiles,
  intervalsWithin,
  joinSegments,
  mergeSequences,
  currentWindow,
  readSeries,
  risesOf,
  type IntervalSequence,
  type RunWindow,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { seriesOfFamily } from "./chart.js";
import type { DistributionData, HeatmapData, HeatmapQuery } from "./types/index.js";

const QUANTILES = [0.5, 0.9, 0.95, 0.99] as const;

/**
 * Buckets over time, over the whole run or the stretch asked for. A generator, because a long run of many series takes
 * longer than scrapes may wait: yields the share done.
 */
export function* heatmapSteps(run: Run, query: HeatmapQuery): Generator<number, HeatmapData> {
  const { sequence, unit, empty } = yield* mergedFamily(run, query.family, query.series, (s) => s);
  const from = query.from ?? 0;
  const to = query.to ?? run.newest;
  const base = { family: query.family, ...(unit === undefined ? {} : { unit }) };
  if (sequence === undefined || to <= from) {
    return {
      ...base,
      uppers: new Float64Array(0),
      edges: new Float64Array(0),
      rates: new Float64Array(0),
      ...(empty === undefined ? {} : { empty }),
    };
  }
  const columns = columnCount(run, to - from, query.maxColumns);
  const edges = Float64Array.from({ length: columns + 1 }, (_, c) => from + ((to - from) * c) / columns);
  const rows = sequence.uppers.length;
  const rates = new Float64Array(columns * rows);
  const columnOf = Int32Array.from(sequence.times, (time) =>
    time > from && time <= to ? Math.min(columns - 1, Math.ceil(((time - from) * columns) / (to - from)) - 1) : -1,
  );
  const seconds = secondsSampled(columnOf, columns, (to - from) / columns / NS_PER_SECOND);
  for (const [b, counts] of sequence.counts.entries()) {
    for (let i = 0; i < counts.length; i++) {
      const at = (columnOf[i] ?? -1) * rows + b;
      if (at >= 0) rates[at] = (rates[at] ?? 0) + (counts[i] ?? 0);
    }
    for (let column = 0; column < columns; column++)
      rates[column * rows + b] = (rates[column * rows + b] ?? 0) / (seconds[column] ?? NaN);
    yield LOADED + ((1 - LOADED) * (b + 1)) / rows;
  }
  return { ...base, uppers: sequence.uppers, edges, rates };
}

/**
 * The time that each column's observations are of; NaN for a column without a scrape. What happened while no scrape
 * answered is counted by the first one that does, so its observations are those of the columns before as well.
 */
function secondsSampled(columnOf: Int32Array, columns: number, width: number): Float64Array {
  const sampled = new Uint8Array(columns);
  for (const column of columnOf) if (column >= 0) sampled[column] = 1;
  let silent: number | undefined;
  return Float64Array.from(sampled, (any) => {
    if (any === 0) {
      if (silent !== undefined) silent++;
      return NaN;
    }
    const seconds = width * (1 + (silent ?? 0));
    silent = 0;
    return seconds;
  });
}

/** A column must hold a few scrapes, or it would show their rhythm and not the server's. */
function columnCount(run: Run, span: number, most: number): number {
  const scrapes = Math.max(1, ...run.store.endpoints.map((axis) => axis.rows));
  const interval = Math.max(1, run.newest / scrapes);
  return Math.max(1, Math.min(most, Math.floor(span / (3 * interval))));
}

/**
 * Observations per bucket over a window, with quantiles estimated from all that was seen of them. Yields the share
 * done.
 */
export function* distributionSteps(
  run: Run,
  query: { readonly family: string; readonly series?: readonly SeriesId[] },
  window: RunWindow = currentWindow(run),
): Generator<number, DistributionData> {
  const windows = run.store.endpoints.map((axis) => endpointWindow(run, axis, window, run.sliceSeconds));
  const { sequence, unit, empty } = yield* mergedFamily(run, query.family, query.series, (whole, endpoint) => {
    const { start, end } = windows[endpoint] ?? { start: 0, end: Infinity };
    return intervalsWithin(whole, start, end);
  });
  const counts =
    sequence === undefined
      ? new Float64Array(0)
      : Float64Array.from(sequence.counts, (bucket) => bucket.reduce((sum, n) => sum + n, 0));
  const observed = counts.some((n) => n > 0);
  return {
    family: query.family,
    ...(unit === undefined ? {} : { unit }),
    uppers: sequence?.uppers ?? new Float64Array(0),
    counts,
    quantiles:
      sequence === undefined || !observed
        ? []
        : estimateQuantiles(sequence, QUANTILES).map(({ value, lower, upper }, i) => ({
            q: QUANTILES[i] ?? NaN,
            value,
            lower,
            upper,
          })),
    ...(observed
      ? {}
      : { empty: empty ?? { severity: "info", reason: `${query.family} has no observations in this window.` } }),
  };
}

/** The share of the work that reading the series is. */
const LOADED = 0.8;

function* mergedFamily(
  run: Run,
  family: string,
  series: readonly SeriesId[] | undefined,
  cut: (sequence: IntervalSequence, endpoint: number) => IntervalSequence,
) {
  const keys = seriesOfFamily(run, family).filter((key) => series?.includes(key.id) ?? true);
  const sequences: IntervalSequence[] = [];
  for (const [i, key] of keys.entries()) {
    const samples = readSeries(run.store, key);
    const track = samples.kind === "histogram" ? joinSegments(samples) : undefined;
    if (track !== undefined && track.uppers.length > 0) sequences.push(cut(risesOf(track).sequence, key.endpoint));
    yield (LOADED * (i + 1)) / keys.length;
  }
  const definition = keys[0]?.family;
  const sequence = mergeSequences(sequences);
  yield LOADED;
  const empty: Problem | undefined =
    sequence !== undefined
      ? undefined
      : {
          severity: "info",
          reason:
            sequences.length > 1
              ? `The series of ${family} share too few bucket bounds to be added up.`
              : `${family} is not a histogram, or has no samples yet.`,
        };
  return { sequence, empty, unit: definition === undefined ? undefined : shownUnit(definition) };
}
