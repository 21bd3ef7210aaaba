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
