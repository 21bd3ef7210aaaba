import { NS_PER_SECOND, offsetNs, type Family, type HistogramSamples, type SeriesKey } from "../model/index.js";
import { COUNTED_AVERAGE_NOTE, isCountedAverage, shownKeys, shownUnit } from "../catalog/index.js";
import {
  complete,
  joinSegments,
  mergeSteps,
  mergeTotals,
  reporting,
  readSeries,
  risesOf,
  type IntervalSequence,
} from "../stats/index.js";
import { downsample, type Run } from "../store/index.js";
import { averageOf, breaksOf, clip, rateLine, within, withBreaks, type Line } from "./lines.js";
import { quantileLines, SliceEstimates, type QuantileLine } from "./quantile-lines.js";
import type { ChartData, ChartLine, ChartQuery } from "./types/index.js";

/**
 * Lines of one family: gauges as values, counters as rates, histograms as quantiles per slice and the average. A
 * generator, because hundreds of slices take longer to estimate than scrapes may wait: yields the share done.
 * @param kept what earlier questions about the same run estimated
 */
export function* chartSteps(run: Run, query: ChartQuery, kept = new SliceEstimates()): Generator<number, ChartData> {
  const all = seriesOfFamily(run, query.family);
  const chosen =
    query.series === undefined ? all.slice(0, query.maxSeries) : all.filter((key) => query.series?.includes(key.id));
  const family = all[0]?.family;
  const lines: ChartLine[] = [];
  let alone = chosen;
  let apart: string | undefined;
  if (query.together === true && family?.type === "histogram" && chosen.length > 1) {
    const joined = yield* reporting(togetherLines(run, chosen, query, kept), () => 0);
    lines.push(...joined.lines);
    ({ apart } = joined);
    alone = apart === undefined ? [] : chosen.slice(0, query.maxSeries);
  }
  const together = new Set(lines.map(({ quantity }) => quantity));
  for (const [i, key] of alone.entries()) {
    const own = yield* reporting(linesOf(run, key, query, kept), () => i / alone.length);
    lines.push(...own.filter(({ quantity }) => !together.has(quantity)));
    yield (i + 1) / alone.length;
  }
  const unit = family === undefined ? undefined : chartUnit(family, shownUnit(family));
  return {
    family: query.family,
    ...(unit === undefined ? {} : { unit }),
    lines,
    seriesTotal: all.length,
    ...(apart === undefined ? {} : { apart }),
    ...emptiness(query, all.length, lines, family),
  };
}

/** As `chartSteps`, at once. */
export function chartData(run: Run, query: ChartQuery): ChartData {
  return complete(chartSteps(run, query));
}

/** The series of one family, as they are shown, in the order in which they were first seen. */
export function seriesOfFamily(run: Run, family: string): SeriesKey[] {
  const keys: SeriesKey[] = [];
  for (const key of shownKeys(run)) if (key.family.name === family) keys.push(key);
  return keys;
}

/** A counter is drawn as its rate: tokens become tokens/s. */
export function chartUnit({ type }: Family, unit: string | undefined): string | undefined {
  if (type !== "counter") return unit;
  return unit === undefined || unit === "count" ? "/s" : `${unit}/s`;
}

/** Of a file that holds how an average rose, as its server calls it a counter. */
export const COUNTED_AVERAGE_EMPTY = {
  empty: {
    severity: "info",
    reason: `It is ${COUNTED_AVERAGE_NOTE}.`,
    remedy: "The JSONL file of the same run has them.",
  },
} as const;

function emptiness(
  query: ChartQuery,
  total: number,
  lines: readonly ChartLine[],
  family: Family | undefined,
): Pick<ChartData, "empty"> | Record<string, never> {
  if (total === 0) {
    return {
      empty: {
        severity: "info",
        reason: `No endpoint has reported ${query.family} so far.`,
        remedy: "It appears here as soon as one does.",
      },
    };
  }
  if (family !== undefined && isCountedAverage(family)) return COUNTED_AVERAGE_EMPTY;
  if (lines.every((line) => line.values.every(Number.isNaN))) {
    const zoomed = query.from !== undefined || query.to !== undefined;
    return zoomed
      ? {
          empty: {
            severity: "info",
            reason: `${query.family} has no samples in this time range.`,
            remedy: "Reset the zoom to see the whole run.",
          },
        }
      : {
          empty: {
            severity: "info",
            reason: `${query.family} has too few samples to draw yet.`,
            remedy: "Rates and quantiles need at least two scrapes.",
          },
        };
  }
  return {};
}

function* linesOf(run: Run, key: SeriesKey, query: ChartQuery, kept: SliceEstimates): Generator<void, ChartLine[]> {
  const samples = readSeries(run.store, key);
  const axis = run.store.endpoints[key.endpoint];
  if (axis === undefined || isCountedAverage(key.family)) return [];
  const line = (quantity: ChartLine["quantity"], drawn: Line, breaks: Float64Array): ChartLine => {
    const shown = clip(withBreaks(drawn, breaks), query.from, query.to);
    return {
      series: key.id,
      endpointUrl: key.endpointUrl,
      labels: key.labels,
      quantity,
      average: averageOf(within(drawn, query), quantity === "rate"),
      ...downsample(shown.times, shown.values, query.maxPoints),
    };
  };
  if (samples.kind === "histogram") {
    const sequence = sequenceOf(samples);
    return sequence === undefined
      ? []
      : (yield* quantileLines(run, String(key.id), sequence, query, kept)).map((drawn) =>
          quantileLine(key, drawn, query),
        );
  }
  const breaks = breaksOf(samples, axis);
  if (key.family.type !== "counter") return [line("value", samples, breaks)];
  return [line("rate", rateLine(samples, rateStep(run, query)), breaks)];
}

/** Undefined with fewer than two scrapes. */
function sequenceOf(samples: HistogramSamples): IntervalSequence | undefined {
  const track = joinSegments(samples);
  return track === undefined || track.times.length < 2 ? undefined : risesOf(track).sequence;
}

/** Why percentiles of several histograms taken together do not exist. */
export const FEW_SHARED_BOUNDS = "the series share too few bucket bounds to be combined";

/** Of histograms as one: the average in any case, percentiles where they share bounds. */
function* togetherLines(
  run: Run,
  keys: readonly SeriesKey[],
  query: ChartQuery,
  kept: SliceEstimates,
): Generator<void, { readonly lines: readonly ChartLine[]; readonly apart?: string }> {
  const [first] = keys;
  const sequences: IntervalSequence[] = [];
  for (const key of keys) {
    const samples = readSeries(run.store, key);
    const sequence = samples.kind === "histogram" ? sequenceOf(samples) : undefined;
    if (sequence !== undefined) sequences.push(sequence);
    yield;
  }
  if (first === undefined || sequences.length === 0) return { lines: [] };
  // Bounds that changed altogether leave no counts between scrapes.
  if (sequences.some(({ uppers }) => uppers.length === 0)) return { lines: [], apart: FEW_SHARED_BOUNDS };
  const merged = yield* mergeSteps(sequences);
  const drawn = yield* quantileLines(
    run,
    keys.map(({ id }) => id).join(),
    merged ?? (yield* mergeTotals(sequences)),
    query,
    kept,
  );
  const lines = drawn
    .filter(({ quantity }) => merged !== undefined || quantity === "avg")
    .map((line) => quantileLine({ ...first, labels: [] }, line, query));
  return { lines, ...(merged === undefined ? { apart: FEW_SHARED_BOUNDS } : {}) };
}

/** Rates of single scrapes of a slow counter are spikes; a second smooths them, a long window needs no finer. */
function rateStep(run: Run, query: ChartQuery): number {
  const span = (query.to ?? run.newest) - (query.from ?? 0);
  return Math.max(NS_PER_SECOND, span / query.maxPoints);
}

/** One point a slice is never too many: nothing is thinned, so that every point keeps its bounds. */
function quantileLine(
  key: SeriesKey,
  { quantity, incompleteFrom, average, times, values, lower, upper }: QuantileLine,
  query: ChartQuery,
): ChartLine {
  const none = new Float64Array(0);
  const shown = (cells: Float64Array) => clip(withBreaks({ times, values: cells }, none), query.from, query.to);
  const drawn = shown(values);
  return {
    series: key.id,
    endpointUrl: key.endpointUrl,
    labels: key.labels,
    quantity,
    average: average ?? averageOf(within({ times, values }, query)),
    times: drawn.times.slice(),
    values: drawn.values.slice(),
    ...(incompleteFrom === undefined ? {} : { incompleteFrom: offsetNs(incompleteFrom) }),
    ...(lower === undefined || upper === undefined
      ? {}
      : { bounds: { lower: shown(lower).values.slice(), upper: shown(upper).values.slice() } }),
  };
}
