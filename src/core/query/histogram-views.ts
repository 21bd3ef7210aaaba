import { sum } from "../math/index.js";
import { shownUnit } from "../catalog/index.js";
import { NS_PER_SECOND, type Problem, type SeriesKey, noteOf } from "../model/index.js";
import { estimateQuantiles, mergeSequences, type IntervalSequence, type RunWindow } from "../stats/index.js";
import { lowerBound, type Run } from "../store/index.js";
import { isAsked } from "./series.js";
import { seriesOfFamily } from "./families.js";
import { viewOf } from "./sampled.js";
import type { StoredRun } from "./stored.js";
import type { DistributionData, HeatmapData, HeatmapQuery, SeriesQuery } from "./types/index.js";

const QUANTILES = [0.5, 0.9, 0.95, 0.99] as const;

/**
 * Buckets over time, over the whole run or the stretch asked for. A generator, because a long run of many series takes
 * longer than scrapes may wait: yields the share done.
 */
export function* heatmapSteps(run: Run | StoredRun, query: HeatmapQuery): Generator<number, HeatmapData> {
  const view = viewOf(run);
  const { sequence, unit, empty } = yield* mergedFamily(run, query, (key) => view.observed(key));
  const from = query.from ?? 0;
  const to = query.to ?? view.slices.end;
  const base = { family: query.family, ...(unit === undefined ? {} : { unit }) };
  if (sequence === undefined || to <= from)
    return {
      ...base,
      uppers: new Float64Array(0),
      edges: new Float64Array(0),
      rates: new Float64Array(0),
      ...(empty === undefined ? {} : { empty }),
    };
  const edges = view.edges(from, to, query.maxColumns);
  const columns = edges.length - 1;
  const rows = sequence.uppers.length;
  const rates = new Float64Array(columns * rows);
  const columnOf = Int32Array.from(sequence.times, (time) =>
    time <= (edges[columns] ?? 0) ? lowerBound(edges, time) - 1 : -1,
  );
  const seconds = secondsSampled(columnOf, edges);
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
function secondsSampled(columnOf: Int32Array, edges: Float64Array): Float64Array {
  const sampled = new Uint8Array(edges.length - 1);
  for (const column of columnOf) if (column >= 0) sampled[column] = 1;
  let from: number | undefined;
  return Float64Array.from(sampled, (any, column) => {
    if (any === 0) return NaN;
    const end = edges[column + 1] ?? NaN;
    const seconds = (end - (from ?? edges[column] ?? NaN)) / NS_PER_SECOND;
    from = end;
    return seconds;
  });
}

/**
 * Observations per bucket over a window, with quantiles estimated from all that was seen of them. Yields the share
 * done.
 */
export function* distributionSteps(
  run: Run | StoredRun,
  query: SeriesQuery,
  window?: RunWindow,
): Generator<number, DistributionData> {
  const readings = viewOf(run).over(window);
  const { sequence, unit, empty } = yield* mergedFamily(run, query, (key) => readings.histogram(key)?.whole);
  const counts = sequence === undefined ? new Float64Array(0) : Float64Array.from(sequence.counts, sum);
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
    ...(observed ? {} : { empty: empty ?? noteOf(`${query.family} has no observations in this window.`) }),
  };
}

/** The share of the work that reading the series is. */
const LOADED = 0.8;

function* mergedFamily(
  run: Run | StoredRun,
  query: Omit<HeatmapQuery, "maxColumns">,
  read: (key: SeriesKey) => IntervalSequence | undefined,
) {
  const { family } = query;
  const keys = seriesOfFamily(run, family).filter((key) => isAsked(key, query));
  const sequences: IntervalSequence[] = [];
  for (const [i, key] of keys.entries()) {
    const sequence = read(key);
    if (sequence !== undefined && Number.isFinite(sequence.uppers[0])) sequences.push(sequence);
    yield (LOADED * (i + 1)) / keys.length;
  }
  const definition = keys[0]?.family;
  const sequence = mergeSequences(sequences);
  yield LOADED;
  const empty: Problem | undefined =
    sequence !== undefined
      ? undefined
      : sequences.length > 1
        ? noteOf(`The series of ${family} share too few bucket bounds to be added up.`)
        : definition?.type === "histogram"
          ? viewOf(run).undrawn(query)
          : noteOf(`${family} is not a histogram, or has no samples yet.`);
  return { sequence, empty, unit: definition === undefined ? undefined : shownUnit(definition) };
}
