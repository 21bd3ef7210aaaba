import { sum } from "../math/index.js";
import {
  estimateQuantiles,
  intervalsWithin,
  complete,
  mergeSteps,
  mergeTotals,
  reporting,
  type IntervalSequence,
} from "../stats/index.js";
import { averageOf, clip, within, withBreaks, type Line } from "./lines.js";
import type { ChartLine, ChartQuery, ChartData } from "./types/index.js";
import type { RunView } from "./view.js";
import { offsetNs, noteOf, type Family, type SeriesKey } from "../model/index.js";
import { COUNTED_AVERAGE_NOTE, isCountedAverage, shownUnit } from "../catalog/index.js";
import type { Run } from "../store/index.js";
import { isAsked } from "./series.js";
import { seriesOfFamily } from "./families.js";
import { viewOf } from "./sampled.js";
import type { StoredRun } from "./stored.js";

const QUANTILES = [
  ["p50", 0.5],
  ["p90", 0.9],
  ["p99", 0.99],
] as const;

export interface QuantileLine extends Line {
  readonly quantity: ChartLine["quantity"];
  /** Hard interval of each point; none for the average. */
  readonly lower?: Float64Array;
  readonly upper?: Float64Array;
  /** Of the average: of all that was observed in the slices asked for. */
  readonly average?: number;
  /** Start of the last slice, when it is not over yet. */
  readonly incompleteFrom?: number;
}

type Estimates = ReturnType<typeof estimateQuantiles>;

/** More are not kept: those of slices that are not over are of no use later. */
const MOST_KEPT = 20_000;

/**
 * Estimates of slices, kept from one question to the next by what was observed in them: an estimate takes milliseconds,
 * and a slice that is over stays what it is.
 */
export class SliceEstimates {
  private readonly kept = new Map<string, Estimates>();

  get(slice: string): Estimates | undefined {
    return this.kept.get(slice);
  }

  keep(slice: string, estimates: Estimates): void {
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(slice, estimates);
  }
}

/**
 * p50, p90, p99 and the average per slice, aligned to the start of profiling and standing at the slice's end, from all
 * that was observed in it. Yields after each slice that had to be estimated.
 * @param series ids of one series or of several taken together
 */
export function* quantileLines(
  { slices }: Pick<RunView, "slices">,
  series: string,
  sequence: IntervalSequence,
  query: ChartQuery,
  kept: SliceEstimates,
): Generator<void, QuantileLine[]> {
  const slice = sliceLength(slices, query);
  const { start } = slices;
  const last = sequence.times.at(-1) ?? start;
  const points: { readonly end: number; readonly average: number; readonly estimates: Estimates }[] = [];
  let incompleteFrom: number | undefined;
  let [allCount, allSum] = [0, 0];
  let before = -Infinity;
  for (let i = 0; i < sequence.times.length;) {
    const end = start + (Math.floor(((sequence.times[i] ?? 0) - start - 1) / slice) + 1) * slice;
    const inside = intervalsWithin(sequence, before, end);
    before = end;
    i += inside.times.length;
    const count = sum(inside.counts.map(sum));
    const total = sum(inside.sums);
    // An unfinished last slice stands where its data ends.
    if (end > last) incompleteFrom = end - slice;
    const { from = -Infinity, to = Infinity } = query;
    const isVisible = end >= from && end - slice <= to;
    if (isVisible) {
      allCount += count;
      allSum += total;
    }
    let estimates: Estimates = [];
    if (isVisible && count > 0 && Number.isFinite(sequence.uppers[0])) {
      // The content changes when a scrape that belongs to a slice arrives late.
      const id = [series, slice, end, inside.times.length, count, total].join(" ");
      const known = kept.get(id);
      estimates =
        known ??
        estimateQuantiles(
          inside,
          QUANTILES.map(([, q]) => q),
        );
      if (known === undefined) {
        kept.keep(id, estimates);
        yield;
      }
    }
    points.push({ end: Math.min(end, last), average: count > 0 ? total / count : NaN, estimates });
  }
  const times = Float64Array.from(points, ({ end }) => end);
  const shared = { times, ...(incompleteFrom === undefined ? {} : { incompleteFrom }) };
  const quantiles = QUANTILES.map(([quantity], q): QuantileLine => {
    const cells = (of: "value" | "lower" | "upper") =>
      Float64Array.from(points, ({ estimates }) => estimates[q]?.[of] ?? NaN);
    return { ...shared, quantity, values: cells("value"), lower: cells("lower"), upper: cells("upper") };
  });
  const values = Float64Array.from(points, ({ average }) => average);
  return [...quantiles, { ...shared, quantity: "avg", average: allSum / allCount, values }];
}

/** The run's slice length, or a multiple of it where a long window would give more slices than points. */
function sliceLength({ length: slice, end }: RunView["slices"], query: ChartQuery): number {
  const span = (query.to ?? end) - (query.from ?? 0);
  return slice * Math.max(1, Math.ceil(span / slice / Math.min(query.maxPoints, 500)));
}

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
