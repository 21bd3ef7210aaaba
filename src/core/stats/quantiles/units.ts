import { integersIn, numbersIn, type Scratch } from "../../store/memory.js";
import type { ActiveBuckets, Rows } from "./rows.js";

/** What the units of a histogram are made by. */
interface UnitOptions {
  /** Added to all values, so that their logarithms are finite: sizes far below it are alike. */
  readonly unit: number;
  /** Observations that come as one. */
  readonly together: number;
  /** Are all values whole numbers? */
  readonly whole: boolean;
}

/**
 * Every observation by itself, or every group of those that come as one, as far as the sums tell: one alone in its
 * interval is exact, the others are drawn again and again. Sums are rounded to single precision: two formats of one run
 * differ in their last bits, and other draws would follow from those.
 */
export class Units {
  readonly length: number;
  readonly unit: number;
  readonly whole: boolean;
  /** Values, `unit` added. */
  readonly z: Float64Array;
  /** Observations that each stands for. */
  readonly weight: Float64Array;
  /** What rounding took from those that are known exactly. */
  readonly rest: Float64Array;
  /** Bounds of each one's bucket, `unit` added: of whole numbers the outermost ones. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly bucket: Int32Array;
  /** First of each row, and their number. */
  readonly first: Int32Array;
  /** Row of each. */
  readonly row: Int32Array;
  /** Those that a sweep draws anew, in turn: of two in a row only the first, of more each. */
  readonly turns: Int32Array;

  constructor(
    active: ActiveBuckets,
    rows: Rows,
    { unit, together, whole }: UnitOptions,
    moments: BucketMoments,
    private readonly scratch?: Scratch,
  ) {
    this.unit = unit;
    this.whole = whole;
    const entries = rows.start[rows.length] ?? 0;
    const unitsOf = (e: number) => Math.max(1, Math.round((rows.count[e] ?? 0) / together));
    let n = 0;
    for (let e = 0; e < entries; e++) n += unitsOf(e);
    this.length = n;
    this.z = numbersIn(scratch, n);
    this.weight = numbersIn(scratch, n);
    this.rest = numbersIn(scratch, n).fill(0);
    this.lower = numbersIn(scratch, n);
    this.upper = numbersIn(scratch, n);
    this.bucket = integersIn(scratch, n);
    this.first = integersIn(scratch, rows.length + 1);
    this.first[0] = 0;
    this.row = integersIn(scratch, n);
    const turns = integersIn(scratch, n);
    const shifts = localShifts(moments, rows);
    const buckets = active.index.length;
    let drawn = 0;
    let j = 0;
    for (let r = 0; r < rows.length; r++) {
      for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
        const a = rows.bucket[e] ?? 0;
        const number = unitsOf(e);
        for (const to = j + number; j < to; j++) {
          this.lower[j] = unit + (active.lower[a] ?? 0);
          this.upper[j] = unit + (active.upper[a] ?? Infinity);
          this.weight[j] = (rows.count[e] ?? 0) / number;
          this.bucket[j] = a;
          this.row[j] = r;
        }
      }
      this.first[r + 1] = j;
      const from = this.first[r] ?? 0;
      const draws = j - from === 2 ? 1 : j - from === 1 ? 0 : j - from;
      for (let i = 0; i < draws; i++) turns[drawn++] = from + i;
      const sum = rows.sum[r] ?? 0;
      const rounded = Math.fround(sum);
      if (j === from + 1) this.rest[from] = (sum - rounded) / (this.weight[from] ?? 1);
      this.fill(
        from,
        j,
        rounded + (rows.size[r] ?? 0) * unit,
        moments,
        shifts.subarray(r * buckets, (r + 1) * buckets),
      );
    }
    this.turns = turns.subarray(0, drawn);
  }

  /** Those of a bucket. */
  membersOf(a: number): Int32Array {
    const { bucket, length } = this;
    const members = integersIn(this.scratch, length);
    let n = 0;
    for (let j = 0; j < length; j++) if (bucket[j] === a) members[n++] = j;
    return members.subarray(0, n);
  }

  /** The buckets' means, moved to the sum by what their variances leave and their bounds let them. */
  private fill(from: number, to: number, sum: number, { mean, variance }: BucketMoments, shifts: Float64Array): void {
    const { z, weight, lower, upper, bucket, whole, unit } = this;
    let left = sum;
    let spread = 0;
    for (let j = from; j < to; j++) {
      left -= (weight[j] ?? 0) * (unit + (mean[bucket[j] ?? 0] ?? 0) + (shifts[bucket[j] ?? 0] ?? 0));
      spread += (weight[j] ?? 0) * (variance[bucket[j] ?? 0] ?? 0);
    }
    const share = left / spread;
    left = sum;
    let room = 0;
    let open = 0;
    for (let j = from; j < to; j++) {
      const a = bucket[j] ?? 0;
      const value = unit + (mean[a] ?? 0) + (shifts[a] ?? 0) + share * (variance[a] ?? 0);
      z[j] = Math.max(lower[j] ?? 0, Math.min(upper[j] ?? 0, value));
      left -= (weight[j] ?? 0) * (z[j] ?? 0);
    }
    // What bounds cut off goes to where there is room, by the same part of it.
    const end = left > 0 ? upper : lower;
    for (let j = from; j < to; j++) {
      const own = (end[j] ?? 0) - (z[j] ?? 0);
      if (own < Infinity) room += (weight[j] ?? 0) * own;
      else open += weight[j] ?? 0;
    }
    const part = open > 0 || room === 0 ? 0 : left / room;
    let over = 0.5;
    for (let j = from; j < to; j++) {
      const own = (end[j] ?? 0) - (z[j] ?? 0);
      z[j] = (z[j] ?? 0) + (own < Infinity ? part * own : left / open);
      if (!whole) continue;
      // Whole numbers, whose sum is that of the others.
      const exact = (z[j] ?? 0) - unit + over;
      z[j] = unit + Math.floor(exact + 1e-9);
      over = exact - Math.floor(exact + 1e-9);
    }
  }
}

/** Mean and variance of the values of each bucket. */
interface BucketMoments {
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
function localShifts({ mean, variance }: BucketMoments, rows: Rows): Float64Array {
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
