import { numbersIn, type Scratch } from "../../store/memory.js";
import type { Steps } from "../steps.js";
import type { SparseCounts, SparseSequence } from "./sparse.js";

/** Rows that are gone through without a pause: about ten milliseconds. */
const ROWS_A_STEP = 1 << 14;

/** The buckets that hold observations, densely numbered. */
export interface ActiveBuckets {
  /** Position of each among all buckets. */
  readonly index: Int32Array;
  /** Bounds that its values honour; the outermost may be infinite. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Observations in all. */
  readonly total: Float64Array;
}

/** Intervals whose sum is known and feasible, sparse: row r holds entries start[r] … start[r+1]−1. */
export interface Rows {
  readonly length: number;
  readonly start: Int32Array;
  /** Active bucket and number of observations of each entry. */
  readonly bucket: Int32Array;
  readonly count: Float64Array;
  readonly sum: Float64Array;
  /** Observations per row. */
  readonly size: Float64Array;
  /** Time that a row covers, in ns. */
  readonly span: Float64Array;
}

/** First bound a bucket's values honour: 0 for the first bucket of a positive layout, as Prometheus assumes. */
function bucketLowerBound(uppers: Float64Array, b: number, negative: boolean): number {
  if (b > 0) return uppers[b - 1] ?? -Infinity;
  return !negative && (uppers[0] ?? 0) > 0 ? 0 : -Infinity;
}

/**
 * First bound of what is certain: also of a first bucket that ends at 0, which holds zeros unless an
 * interval's sum is too small for that.
 */
export function certainLowerBound(sequence: SparseSequence, b: number, negative: boolean): number {
  return b === 0 && sequence.uppers[0] === 0 && !fallsBelowZero(sequence)
    ? 0
    : bucketLowerBound(sequence.uppers, b, negative);
}

/** Is a sum less than the observations above 0 alone make at the least? */
function fallsBelowZero({ uppers, entries: { start, bucket, count }, sums }: SparseSequence): boolean {
  let magnitude = 0;
  return sums.some((sum, i) => {
    magnitude += Number.isNaN(sum) ? 0 : Math.abs(sum);
    let least = 0;
    for (let e = start[i] ?? 0; e < (start[i + 1] ?? 0); e++)
      if (bucket[e] !== 0) least += (count[e] ?? 0) * (uppers[(bucket[e] ?? 0) - 1] ?? 0);
    return sum < least - 4 * Number.EPSILON * magnitude;
  });
}

/** The size of the values: the smallest positive bound. */
export function firstBound(uppers: Float64Array): number {
  const first = uppers.find((upper) => upper > 0);
  return first !== undefined && Number.isFinite(first) ? first : 1;
}

/** An interval with a negative sum that no negative bound explains: the first bucket then holds negative values. */
export function hasNegativeValues({ uppers, entries: { start, bucket, count }, sums }: SparseSequence): boolean {
  const isFirst = (e: number, end: number) => e < end && bucket[e] === 0 && (count[e] ?? 0) > 0;
  return (uppers[0] ?? 0) > 0 && sums.some((sum, i) => sum < 0 && isFirst(start[i] ?? 0, start[i + 1] ?? 0));
}

/** The buckets that hold observations. @param negative whether values below 0 are possible */
export function activeBuckets(uppers: Float64Array, totals: Float64Array, negative: boolean): ActiveBuckets {
  let n = 0;
  for (const total of totals) if (total > 0) n++;
  const active = {
    index: new Int32Array(n),
    lower: new Float64Array(n),
    upper: new Float64Array(n),
    total: new Float64Array(n),
  };
  for (let b = 0, a = 0; b < totals.length; b++) {
    const total = totals[b] ?? 0;
    if (!(total > 0)) continue;
    active.index[a] = b;
    active.lower[a] = bucketLowerBound(uppers, b, negative);
    active.upper[a] = uppers[b] ?? Infinity;
    active.total[a++] = total;
  }
  return active;
}

/**
 * The intervals as equations. One whose sum its buckets cannot hold (a scrape that saw the sum before the count, or the
 * other way round) is joined with the next, where the other half stands; what stays infeasible is left out. The rows
 * take the place of the intervals' entries.
 */
export function* usableRows(
  { entries, sums, times }: SparseSequence,
  active: ActiveBuckets,
  scratch?: Scratch,
): Steps<Rows> {
  const n = sums.length;
  const { start, bucket, count } = entries;
  numberActive(entries, active);
  const column = () => numbersIn(scratch, n);
  const out = { sum: column(), size: column(), span: column() };
  // When the first interval began is not known.
  const typical = ((times[n - 1] ?? 0) - (times[0] ?? 0)) / Math.max(1, n - 1);
  const totals = new Float64Array(active.index.length);
  let filled = 0;
  let length = 0;
  let magnitude = 0;
  let sum = 0;
  let span = 0;
  let joined = 0;
  let to = start[0] ?? 0;
  for (let i = 0; i < n; i++) {
    if (i % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    const from = to;
    to = start[i + 1] ?? 0;
    const own = sums[i] ?? NaN;
    if (Number.isNaN(own)) {
      sum = span = joined = 0;
      continue;
    }
    sum += own;
    span += i > 0 ? (times[i] ?? 0) - (times[i - 1] ?? 0) : typical;
    joined++;
    magnitude += Math.abs(own);
    let size = 0;
    let least = 0;
    let most = 0;
    if (joined > 1) for (let e = from; e < to; e++) addTo(totals, bucket[e] ?? 0, count[e] ?? 0);
    const entries = joined === 1 ? to - from : totals.length;
    for (let k = 0; k < entries; k++) {
      const a = joined === 1 ? (bucket[from + k] ?? 0) : k;
      const c = (joined === 1 ? count[from + k] : totals[k]) ?? 0;
      if (c === 0) continue;
      size += c;
      least += c * (active.lower[a] ?? 0);
      most += c * (active.upper[a] ?? 0);
    }
    const tolerance = 4 * Number.EPSILON * (magnitude + Math.abs(sum));
    const feasible = sum >= least - tolerance && sum <= most + tolerance;
    if (!feasible && joined < 3 && i + 1 < n) {
      if (joined > 1) continue;
      totals.fill(0);
      for (let e = from; e < to; e++) addTo(totals, bucket[e] ?? 0, count[e] ?? 0);
      continue;
    }
    if (feasible && size > 0) {
      // In the place of entries that have been read.
      for (let k = 0; k < entries; k++) {
        const c = (joined === 1 ? count[from + k] : totals[k]) ?? 0;
        if (c === 0) continue;
        bucket[filled] = joined === 1 ? (bucket[from + k] ?? 0) : k;
        count[filled++] = c;
      }
      out.sum[length] = Math.max(least, Math.min(most, sum));
      out.size[length] = size;
      out.span[length] = span;
      start[++length] = filled;
    }
    sum = span = joined = 0;
  }
  return { length, start, bucket, count, ...out };
}

function addTo(cells: Float64Array, at: number, value: number): void {
  cells[at] = (cells[at] ?? 0) + value;
}

/** Numbers the entries' buckets as the active ones, and leaves out those of others: their counts make no sense. */
function numberActive({ start, bucket, count, totals }: SparseCounts, { index }: ActiveBuckets): void {
  if (index.length === totals.length) return;
  const numbers = new Int32Array(totals.length).fill(-1);
  index.forEach((b, a) => (numbers[b] = a));
  let filled = 0;
  let from = 0;
  for (let i = 0; i + 1 < start.length; i++) {
    const to = start[i + 1] ?? 0;
    for (let e = from; e < to; e++) {
      const a = numbers[bucket[e] ?? 0] ?? -1;
      if (a < 0) continue;
      bucket[filled] = a;
      count[filled++] = count[e] ?? 0;
    }
    start[i + 1] = filled;
    from = to;
  }
}

/** At most `most` of the rows, evenly spread over the run. */
export function sampleRows(rows: Rows, most: number): Rows {
  const length = Math.min(rows.length, most);
  if (length === rows.length) return rows;
  const picked = Int32Array.from({ length }, (_, i) => Math.floor(((i + 0.5) * rows.length) / length));
  const entries: number[] = [];
  const start = new Int32Array(length + 1);
  picked.forEach((r, i) => {
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) entries.push(e);
    start[i + 1] = entries.length;
  });
  const pick = (cells: Float64Array) => Float64Array.from(picked, (r) => cells[r] ?? 0);
  return {
    length,
    start,
    bucket: Int32Array.from(entries, (e) => rows.bucket[e] ?? 0),
    count: Float64Array.from(entries, (e) => rows.count[e] ?? 0),
    sum: pick(rows.sum),
    size: pick(rows.size),
    span: pick(rows.span),
  };
}

/**
 * By how much the counts of neighbouring rows differ more than those of independent observations would (Pearson's χ²
 * over its mean; Rao and Scott 1981): the observations that come as one. The mean is the exact one, which is above the
 * degrees of freedom by N / (N − 1) for N observations (Haldane 1940): twice as much for the two of a quiet server.
 */
export function designEffect(rows: Rows, buckets: number): number {
  let chi = 0;
  let expected = 0;
  for (let r = 0; r + 1 < rows.length; r += 1) {
    const n = rows.size[r] ?? 0;
    const m = rows.size[r + 1] ?? 0;
    let e = rows.start[r] ?? 0;
    const end = rows.start[r + 1] ?? 0;
    let f = end;
    const last = rows.start[r + 2] ?? 0;
    let filled = 0;
    // Entries of a row are in the order of their buckets.
    while (e < end || f < last) {
      const a = e < end ? (rows.bucket[e] ?? 0) : buckets;
      const b = f < last ? (rows.bucket[f] ?? 0) : buckets;
      const c = a <= b ? (rows.count[e++] ?? 0) : 0;
      const d = b <= a ? (rows.count[f++] ?? 0) : 0;
      const apart = c * m - d * n;
      filled++;
      chi += (apart * apart) / ((c + d) * n * m);
    }
    if (n + m > 1) expected += (Math.max(0, filled - 1) * (n + m)) / (n + m - 1);
  }
  return expected > 0 ? Math.max(1, chi / expected) : 1;
}
