import { estimateQuantiles, type IntervalSequence } from "../stats/index.js";
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

/**
 * Estimates of slices, kept from one question to the next: an estimate takes milliseconds, and a slice that is over
 * stays what it is.
 */
export class SliceEstimates {
  private readonly bySeries = new Map<
    string,
    {
      readonly slice: number;
      readonly byEnd: Map<number, { readonly of: SliceContent; readonly estimates: Estimates }>;
    }
  >();

  /**
   * @param series ids of one series or of several taken together
   * @param slice its length; with its end, what the slice is
   */
  get(series: string, slice: number, end: number, of: SliceContent, compute: () => Estimates): Estimates {
    let kept = this.bySeries.get(series);
    if (kept?.slice !== slice) this.bySeries.set(series, (kept = { slice, byEnd: new Map() }));
    const known = kept.byEnd.get(end);
    if (
      known !== undefined &&
      known.of.intervals === of.intervals &&
      known.of.count === of.count &&
      Object.is(known.of.sum, of.sum)
    )
      return known.estimates;
    const estimates = compute();
    kept.byEnd.set(end, { of, estimates });
    return estimates;
  }
}

/** What changes when a scrape that belongs to a slice arrives late. */
interface SliceContent {
  readonly intervals: number;
  readonly count: number;
  readonly sum: number;
}

/**
 * p50, p90, p99 and the average per slice, aligned to the start of profiling and standing at the slice's end, from all
 * that was observed in it. Yields after each slice that had to be estimated.
 * @param series as for `SliceEstimates.get`
 */
export function* quantileLines(
  { slices }: Pick<RunView, "slices">,
  series: string,
  sequence: IntervalSequence,
  query: ChartQuery,
  kept: SliceEstimates,
): Generator<void, QuantileLine[]> {
  const totals = totalsOf(sequence);
  const slice = sliceLength(slices, query);
  const { start } = slices;
  const last = sequence.times[sequence.times.length - 1] ?? start;
  const perQuantile = QUANTILES.map(() => ({ value: [] as number[], lower: [] as number[], upper: [] as number[] }));
  const averages: number[] = [];
  const ends: number[] = [];
  let incompleteFrom: number | undefined;
  let [allCount, allSum] = [0, 0];
  for (let i = 0; i < sequence.times.length;) {
    const end = start + (Math.floor(((sequence.times[i] ?? 0) - start - 1) / slice) + 1) * slice;
    let to = i;
    let count = 0;
    let sum = 0;
    for (; to < sequence.times.length && (sequence.times[to] ?? 0) <= end; to++) {
      count += totals[to] ?? 0;
      sum += sequence.sums[to] ?? 0;
    }
    // An unfinished last slice stands where its data ends.
    if (end > last) incompleteFrom = end - slice;
    ends.push(Math.min(end, last));
    averages.push(count > 0 ? sum / count : NaN);
    const visible =
      (query.from === undefined || end >= query.from) && (query.to === undefined || end - slice <= query.to);
    if (visible) {
      allCount += count;
      allSum += sum;
    }
    let estimates: Estimates = [];
    if (visible && count > 0 && Number.isFinite(sequence.uppers[0])) {
      let computed = false;
      estimates = kept.get(series, slice, end, { intervals: to - i, count, sum }, () => {
        computed = true;
        return estimateQuantiles(
          cut(sequence, i, to),
          QUANTILES.map(([, q]) => q),
        );
      });
      if (computed) yield;
    }
    perQuantile.forEach((lists, q) => {
      for (const part of ["value", "lower", "upper"] as const) lists[part].push(estimates[q]?.[part] ?? NaN);
    });
    i = to;
  }
  const shared = { times: Float64Array.from(ends), ...(incompleteFrom === undefined ? {} : { incompleteFrom }) };
  const quantiles = QUANTILES.map(([quantity], q): QuantileLine => {
    const { value = [], lower = [], upper = [] } = perQuantile[q] ?? {};
    return {
      ...shared,
      quantity,
      values: Float64Array.from(value),
      lower: Float64Array.from(lower),
      upper: Float64Array.from(upper),
    };
  });
  return [
    ...quantiles,
    { ...shared, quantity: "avg", average: allSum / allCount, values: Float64Array.from(averages) },
  ];
}

/** Observations of each interval. */
function totalsOf({ counts, times }: IntervalSequence): Float64Array {
  const totals = new Float64Array(times.length);
  for (const bucket of counts) for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] ?? 0) + (bucket[i] ?? 0);
  return totals;
}

function cut({ uppers, times, counts, sums }: IntervalSequence, from: number, to: number): IntervalSequence {
  return {
    uppers,
    times: times.subarray(from, to),
    counts: counts.map((bucket) => bucket.subarray(from, to)),
    sums: sums.subarray(from, to),
  };
}

/** The run's slice length, or a multiple of it where a long window would give more slices than points. */
function sliceLength({ length: slice, end }: RunView["slices"], query: ChartQuery): number {
  const span = (query.to ?? end) - (query.from ?? 0);
  return slice * Math.max(1, Math.ceil(span / slice / Math.min(query.maxPoints, 500)));
}
