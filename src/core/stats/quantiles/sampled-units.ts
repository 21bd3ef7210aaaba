import { integersIn, numbersIn, type Scratch } from "../../store/scratch.js";
import type { ActiveBuckets, Rows } from "./rows.js";
import { oneIf } from "./without-branches.js";

/**
 * Every observation by itself, as far as the sums tell: those alone in their interval exactly, the others drawn again
 * and again. Sizes far below `unit` are alike: all values have it added, so that their
 * logarithms are finite. Sums are rounded to single precision: two formats of one run differ in their last bits, and
 * other draws would follow from those.
 */
export class SampledUnits {
  readonly length: number;
  /** Values, `unit` added. */
  readonly z: Float64Array;
  /** What rounding took from those that are known exactly. */
  readonly rest: Float64Array;
  /** Bounds of each one's bucket, `unit` added. */
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
    readonly unit: number,
    private readonly scratch?: Scratch,
  ) {
    const entries = rows.start[rows.length] ?? 0;
    let n = 0;
    for (let e = 0; e < entries; e++) n += rows.count[e] ?? 0;
    this.length = n;
    this.z = numbersIn(scratch, n);
    this.rest = numbersIn(scratch, n).fill(0);
    this.lower = numbersIn(scratch, n);
    this.upper = numbersIn(scratch, n);
    this.bucket = integersIn(scratch, n);
    this.first = integersIn(scratch, rows.length + 1);
    this.first[0] = 0;
    this.row = integersIn(scratch, n);
    const turns = integersIn(scratch, n);
    let drawn = 0;
    let j = 0;
    for (let r = 0; r < rows.length; r++) {
      for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
        const a = rows.bucket[e] ?? 0;
        const to = j + (rows.count[e] ?? 0);
        const lower = unit + (active.lower[a] ?? 0);
        const upper = unit + (active.upper[a] ?? Infinity);
        for (; j < to; j++) {
          this.lower[j] = lower;
          this.upper[j] = upper;
          this.bucket[j] = a;
          this.row[j] = r;
        }
      }
      this.first[r + 1] = j;
      const from = this.first[r] ?? 0;
      const size = j - from;
      const draws = size === 2 ? 1 : size === 1 ? 0 : size;
      for (let i = 0; i < draws; i++) turns[drawn++] = from + i;
      const sum = rows.sum[r] ?? 0;
      const rounded = Math.fround(sum);
      if (size === 1) this.rest[from] = sum - rounded;
      this.fill(from, j, rounded + size * unit);
    }
    this.turns = turns.subarray(0, drawn);
  }

  /** Those of a bucket. */
  membersOf(a: number): Int32Array {
    const { bucket, length } = this;
    const members = integersIn(this.scratch, length);
    let n = 0;
    for (let j = 0; j < length; j++) {
      members[n] = j;
      n += oneIf(bucket[j] === a);
    }
    return members.subarray(0, n);
  }

  /** As alike as their buckets and their sum let them be. */
  private fill(from: number, to: number, sum: number): void {
    const { z, lower, upper } = this;
    if (to === from + 1) {
      z[from] = sum;
      return;
    }
    const even = sum / (to - from);
    if (even >= (lower[to - 1] ?? 0) && even <= (upper[from] ?? 0)) {
      z.fill(even, from, to);
      return;
    }
    // All from the lower ends up, the lowest buckets first: of disjoint buckets in order those below are full by then.
    let left = sum;
    for (let j = from; j < to; j++) left -= lower[j] ?? 0;
    for (let j = from, end = from; j < to; j = end) {
      while (end < to && lower[end] === lower[j]) end++;
      const room = (end - j) * ((upper[j] ?? 0) - (lower[j] ?? 0));
      const rise = Math.max(0, Math.min(room, left));
      z.fill((lower[j] ?? 0) + rise / (end - j), j, end);
      left -= rise;
    }
  }
}
