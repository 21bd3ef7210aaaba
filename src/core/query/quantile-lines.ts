import { sum } from "../math/index.js";
import { estimateQuantiles, intervalsWithin, type IntervalSequence } from "../stats/index.js";
import type { Line } from "./lines.js";
import type { ChartLine, ChartQuery } from "./types/index.js";
import type { RunView } from "./view.js";

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
