import type { ActiveBuckets, Rows } from "./rows.js";

/** Mean and variance of the values of each bucket. */
export interface BucketMoments {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
}

/** Passes over the means within their bounds. */
const PASSES = 30;
/** Beyond the last bound, in that bound: where values are taken to lie before the sums tell. */
const BEYOND = 0.5;

/**
 * What the intervals' sums tell of the means within buckets: weighted least squares of sums on counts, each mean within
 * its bounds, the variances those of even buckets. Each bucket's middle counts as one observation.
 */
export function bucketMoments({ lower, upper, index }: ActiveBuckets, rows: Rows): BucketMoments {
  const n = index.length;
  const width = lower.map((low, a) => {
    const own = (upper[a] ?? 0) - low;
    return own < Infinity ? Math.max(own, 1e-12) : 2 * BEYOND * Math.max(low, 1e-9);
  });
  const variance = width.map((own) => own ** 2 / 12);
  const mean = lower.map((low, a) => low + (width[a] ?? 0) / 2);
  const matrix = new Float64Array(n * n);
  const right = mean.map((middle, a) => middle / (variance[a] ?? 1));
  for (let a = 0; a < n; a++) matrix[a * n + a] = 1 / (variance[a] ?? 1);
  for (let r = 0; r < rows.length; r++) {
    const [from, to] = [rows.start[r] ?? 0, rows.start[r + 1] ?? 0];
    let whole = 0;
    for (let e = from; e < to; e++) whole += (rows.count[e] ?? 0) * (variance[rows.bucket[e] ?? 0] ?? 0);
    for (let e = from; e < to; e++) {
      const a = rows.bucket[e] ?? 0;
      const share = (rows.count[e] ?? 0) / whole;
      right[a] = (right[a] ?? 0) + share * (rows.sum[r] ?? 0);
      for (let f = from; f < to; f++) {
        const at = a * n + (rows.bucket[f] ?? 0);
        matrix[at] = (matrix[at] ?? 0) + share * (rows.count[f] ?? 0);
      }
    }
  }
  for (let pass = 0; pass < PASSES; pass++)
    for (let a = 0; a < n; a++) {
      let left = right[a] ?? 0;
      for (let b = 0; b < n; b++) if (b !== a) left -= (matrix[a * n + b] ?? 0) * (mean[b] ?? 0);
      mean[a] = Math.max(lower[a] ?? 0, Math.min(upper[a] ?? 0, left / (matrix[a * n + a] ?? 1)));
    }
  return { mean, variance };
}

/** Rows to each side of one that tell of its own means. */
const NEAR = 15;
const LOCAL_PASSES = 2;

/**
 * By how much the mean of each bucket about each row differs from that of the whole run, `[row · buckets + bucket]`:
 * what sums of the rows beside it tell, drawn towards none as far as the bucket's variance allows (ridge regression).
 */
export function localShifts({ mean, variance }: BucketMoments, rows: Rows): Float64Array {
  const n = mean.length;
  const shifts = new Float64Array(rows.length * n);
  const miss = new Float64Array(rows.length);
  const whole = new Float64Array(rows.length);
  const counts = new Float64Array(rows.length);
  const next = new Float64Array(rows.length);
  const at = (cells: Float64Array, i: number) => cells[i] ?? 0;
  for (let r = 0; r < rows.length; r++) {
    miss[r] = at(rows.sum, r);
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
      const a = rows.bucket[e] ?? 0;
      miss[r] = at(miss, r) - at(rows.count, e) * at(mean, a);
      whole[r] = at(whole, r) + at(rows.count, e) * at(variance, a);
    }
  }
  for (let pass = 0; pass < LOCAL_PASSES; pass++)
    for (let a = 0; a < n; a++) {
      counts.fill(0);
      for (let r = 0; r < rows.length; r++)
        for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++)
          if (rows.bucket[e] === a) counts[r] = at(rows.count, e);
      let told = 0;
      let precision = 1 / at(variance, a);
      const add = (r: number, sign: number) => {
        if (r < 0 || r >= rows.length || at(counts, r) === 0) return;
        const own = at(miss, r) + at(counts, r) * at(shifts, r * n + a);
        told += (sign * at(counts, r) * own) / at(whole, r);
        precision += (sign * at(counts, r) ** 2) / at(whole, r);
      };
      for (let r = 0; r < NEAR; r++) add(r, 1);
      for (let r = 0; r < rows.length; r++) {
        add(r + NEAR, 1);
        add(r - NEAR - 1, -1);
        next[r] = told / precision;
      }
      for (let r = 0; r < rows.length; r++) {
        miss[r] = at(miss, r) + at(counts, r) * (at(shifts, r * n + a) - at(next, r));
        shifts[r * n + a] = at(next, r);
      }
    }
  return shifts;
}
