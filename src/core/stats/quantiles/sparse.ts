import { integersIn, numbersIn, type Scratch } from "../../store/memory.js";

/**
 * What one histogram series observed between successive scrapes, on one set of bounds. Restarts are already cut: an
 * interval across one holds what was observed since.
 */
export interface IntervalSequence {
  /** Upper bounds, ascending; the last is Infinity. */
  readonly uppers: Float64Array;
  /** End of each interval (OffsetNs), ascending. */
  readonly times: Float64Array;
  /** `counts[b][i]`: observations (not cumulative) in bucket b during interval i, ≥ 0. */
  readonly counts: readonly Float64Array[];
  /** Sum of the values observed in each interval, in the metric's unit; NaN when unknown. */
  readonly sums: Float64Array;
}

/** Observations of intervals without empty cells: interval i holds entries start[i] … start[i+1]−1. */
export interface SparseCounts {
  readonly start: Int32Array;
  /** Of each entry, ascending within an interval. */
  readonly bucket: Int32Array;
  readonly count: Float64Array;
  /** Of each bucket, over all intervals. */
  readonly totals: Float64Array;
}

/** As `IntervalSequence`, as estimates read it. */
export interface SparseSequence extends Omit<IntervalSequence, "counts"> {
  readonly entries: SparseCounts;
}

export type { QuantileEstimate } from "../../model/index.js";

/**
 * The same intervals without empty cells: most intervals fill a few buckets only.
 * @param scratch that they may lie in
 */
export function sparseOf({ uppers, times, counts, sums }: IntervalSequence, scratch?: Scratch): SparseSequence {
  const totals = numbersIn(scratch, counts.length).fill(0);
  const start = integersIn(scratch, sums.length + 1).fill(0);
  for (const [b, cells] of counts.entries()) totals[b] = countEntries(cells, start);
  for (let i = 0; i < sums.length; i++) start[i + 1] = (start[i + 1] ?? 0) + (start[i] ?? 0);
  const entries = start[sums.length] ?? 0;
  const bucket = integersIn(scratch, entries);
  const count = numbersIn(scratch, entries);
  const next = integersIn(scratch, sums.length);
  next.set(start.subarray(0, sums.length));
  for (const [b, cells] of counts.entries()) placeEntries(cells, b, next, bucket, count);
  return { uppers, times, sums, entries: { start, bucket, count, totals } };
}

/** Adds one behind the place of each interval that is not empty. @returns the sum of all cells */
function countEntries(cells: Float64Array, start: Int32Array): number {
  let total = 0;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? 0;
    total += cell;
    start[i + 1] = (start[i + 1] ?? 0) + Number(cell !== 0);
  }
  return total;
}

function placeEntries(cells: Float64Array, b: number, next: Int32Array, bucket: Int32Array, count: Float64Array): void {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? 0;
    if (cell === 0) continue;
    const entry = next[i] ?? 0;
    bucket[entry] = b;
    count[entry] = cell;
    next[i] = entry + 1;
  }
}
