import { offsetNs, type Family, type SeriesKey, noteOf } from "../model/index.js";
import { COUNTED_AVERAGE_NOTE, isCountedAverage, shownUnit } from "../catalog/index.js";
import { complete, mergeSteps, mergeTotals, reporting, type IntervalSequence } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { isAsked } from "./asked.js";
import { seriesOfFamily } from "./families.js";
import { averageOf, clip, within, withBreaks } from "./lines.js";
import { quantileLines, SliceEstimates, type QuantileLine } from "./quantile-lines.js";
import { viewOf } from "./sampled.js";
import type { StoredRun } from "./stored.js";
import type { ChartData, ChartLine, ChartQuery } from "./types/index.js";
import type { RunView } from "./view.js";

/**
 * Lines of one family: gauges as values, counters as rates, histograms as quantiles per slice and the average. A
 * generator, because hundreds of slices take longer to estimate than scrapes may wait: yields the share done.
 * @param kept what earlier questions about the same run estimated
 */
export function* chartSteps(
  run: Run | StoredRun,
  query: ChartQuery,
  kept = new SliceEstimates(),
): Generator<number, ChartData> {
  const view = viewOf(run);
  const known = seriesOfFamily(run, query.family);
  const family = known[0]?.family;
  const { series, ...ofAll } = query;
  const all = known.filter((key) => isAsked(key, ofAll));
  const chosen = all.filter((key) => isAsked(key, query));
  const lines: ChartLine[] = [];
  let alone = series === undefined ? chosen.slice(0, query.maxSeries) : chosen;
  let apart: string | undefined;
  if (query.together === true && family?.type === "histogram" && chosen.length > 1) {
    const joined = yield* reporting(togetherLines(view, chosen, query, kept), () => 0);
    lines.push(...joined.lines);
    ({ apart } = joined);
    alone = apart === undefined ? [] : chosen.slice(0, query.maxSeries);
  }
  const together = new Set(lines.map(({ quantity }) => quantity));
  for (const [i, key] of alone.entries()) {
    const own = yield* reporting(linesOf(view, key, query, kept), () => i / alone.length);
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
    ...emptiness(view, query, lines, family),
  };
}

/** As `chartSteps`, at once. */
export function chartData(run: Run | StoredRun, query: ChartQuery): ChartData {
  return complete(chartSteps(run, query));
}

/** A counter is drawn as its rate: tokens become tokens/s. */
function chartUnit({ type }: Family, unit: string | undefined): string | undefined {
  if (type !== "counter") return unit;
  return unit === undefined || unit === "count" ? "/s" : `${unit}/s`;
}

/** Of a file that holds how an average rose, as its server calls it a counter. */
const COUNTED_AVERAGE_EMPTY = {
  empty: noteOf(`It is ${COUNTED_AVERAGE_NOTE}.`, "The JSONL file of the same run has them."),
} as const;

function emptiness(
  view: RunView,
  query: ChartQuery,
  lines: readonly ChartLine[],
  family: Family | undefined,
): Pick<ChartData, "empty"> | Record<string, never> {
  if (family === undefined)
    return {
      empty: noteOf(`No endpoint has reported ${query.family} so far.`, "It appears here as soon as one does."),
    };
  if (isCountedAverage(family)) return COUNTED_AVERAGE_EMPTY;
  return lines.every((line) => line.values.every(Number.isNaN)) ? { empty: view.undrawn(query) } : {};
}

function* linesOf(
  view: RunView,
  key: SeriesKey,
  query: ChartQuery,
  kept: SliceEstimates,
): Generator<void, ChartLine[]> {
  const { id, endpointUrl, labels, family } = key;
  if (isCountedAverage(family)) return [];
  if (family.type !== "histogram") {
    const quantity = family.type === "counter" ? "rate" : "value";
    return [{ series: id, endpointUrl, labels, quantity, ...view.line(key, query) }];
  }
  const sequence = view.observed(key);
  return sequence === undefined
    ? []
    : (yield* quantileLines(view, String(id), sequence, query, kept)).map((drawn) => quantileLine(key, drawn, query));
}

/** Why percentiles of several histograms taken together do not exist. */
const FEW_SHARED_BOUNDS = "the series share too few bucket bounds to be combined";

/** Of histograms as one: the average in any case, percentiles where they share bounds. */
function* togetherLines(
  view: RunView,
  keys: readonly SeriesKey[],
  query: ChartQuery,
  kept: SliceEstimates,
): Generator<void, { readonly lines: readonly ChartLine[]; readonly apart?: string }> {
  const [first] = keys;
  const sequences: IntervalSequence[] = [];
  for (const key of keys) {
    const sequence = view.observed(key);
    if (sequence !== undefined) sequences.push(sequence);
    yield;
  }
  if (first === undefined || sequences.length === 0) return { lines: [] };
  // Bounds that changed altogether leave no counts between scrapes.
  if (sequences.some(({ uppers }) => uppers.length === 0)) return { lines: [], apart: FEW_SHARED_BOUNDS };
  const merged = yield* mergeSteps(sequences);
  const drawn = yield* quantileLines(
    view,
    keys.map(({ id }) => id).join(),
    merged ?? (yield* mergeTotals(sequences)),
    query,
    kept,
  );
  const lines = drawn
    .filter(({ quantity }) => merged !== undefined || quantity === "avg")
    .map((line) => quantileLine({ ...first, endpointUrl: "", labels: [] }, line, query));
  return { lines, ...(merged === undefined ? { apart: FEW_SHARED_BOUNDS } : {}) };
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
