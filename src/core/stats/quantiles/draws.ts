import { numbersIn, type Scratch } from "../../store/memory.js";
import type { ActiveBuckets } from "./rows.js";
import type { Units } from "./units.js";

/** A quantile's value and its 90 % interval. */
export interface SampledQuantile {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Between the least and the largest value of a bucket. */
const CELLS = 256;

/** An order statistic: its bucket, and the observations below it there, its own half included. */
interface BucketRank {
  readonly bucket: number;
  readonly at: number;
}

/** The bucket of the order statistic at a position among all, and the place in it. */
export function placeOf({ total }: ActiveBuckets, position: number): BucketRank {
  let bucket = 0;
  let below = 0;
  while (bucket < total.length - 1 && position >= below + (total[bucket] ?? 0)) below += total[bucket++] ?? 0;
  return { bucket, at: (position - below + 0.5) / (total[bucket] ?? 1) };
}

/** The values of one bucket in order, as a fine histogram of them. */
export class OrderedBucket {
  private readonly members: Int32Array;
  private readonly all: number;
  private readonly weights: Float64Array;
  private readonly sums: Float64Array;

  constructor(
    private readonly units: Units,
    a: number,
    scratch?: Scratch,
  ) {
    this.members = units.membersOf(a);
    let all = 0;
    for (const j of this.members) all += units.weight[j] ?? 0;
    this.all = all;
    this.weights = numbersIn(scratch, CELLS);
    this.sums = numbersIn(scratch, CELLS);
  }

  get length(): number {
    return this.members.length;
  }

  /** Reads the values as they are now. */
  read(): void {
    const { members, weights, sums } = this;
    const { z, rest, unit, weight } = this.units;
    let least = Infinity;
    let most = -Infinity;
    for (let i = 0; i < members.length; i++) {
      const value = z[members[i] ?? 0] ?? 0;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const scale = most > least ? (CELLS * (1 - 1e-12)) / (most - least) : 0;
    weights.fill(0);
    sums.fill(0);
    for (let i = 0; i < members.length; i++) {
      const j = members[i] ?? 0;
      const value = z[j] ?? 0;
      const cell = ((value - least) * scale) | 0;
      const own = weight[j] ?? 0;
      weights[cell] = (weights[cell] ?? 0) + own;
      sums[cell] = (sums[cell] ?? 0) + own * (value - unit + (rest[j] ?? 0));
    }
  }

  /** The value that a share of the bucket lies below: between the middles of the cells around it. */
  valueAt(share: number): number {
    const { weights, sums, all } = this;
    const target = share * all;
    let below = 0;
    let before = NaN;
    let beforeAt = 0;
    for (let cell = 0; cell < CELLS; cell++) {
      const own = weights[cell] ?? 0;
      if (own === 0) continue;
      const mean = (sums[cell] ?? 0) / own;
      if (this.units.whole) {
        if (below + own > target - 1e-9) return Math.round(mean);
      } else if (below + own / 2 >= target - 1e-9) {
        if (!(beforeAt < below + own / 2) || Number.isNaN(before)) return mean;
        return before + ((target - beforeAt) / (below + own / 2 - beforeAt)) * (mean - before);
      }
      before = mean;
      beforeAt = below + own / 2;
      below += own;
    }
    return before;
  }
}

const ROUNDING = 1e-9;

/** What the sweeps give for one quantile: what its neighbours are and what stands between them. */
export class Draws {
  private readonly values: number[] = [];
  private readonly lows: number[] = [];
  private readonly highs: number[] = [];

  constructor(private readonly share: number) {}

  add(low: number, high: number): void {
    this.lows.push(low);
    this.highs.push(high);
    this.values.push(low + this.share * (high - low));
  }

  /**
   * @param reach of the interval to each side, in standard deviations
   * @param missed by the model, in the metric's unit; what the sums tell exactly has no interval
   * @param batched several observations count as one: what their sum tells is their mean
   */
  result(reach: number, missed: number, whole: boolean, batched: boolean): SampledQuantile {
    // What is left of rounding is no deviation: it differs by the file that a run is read from.
    const room = ({ mean, deviation }: ReturnType<typeof momentsOf>) =>
      batched || deviation > ROUNDING * Math.abs(mean) ? Math.hypot(reach * deviation, missed) : 0;
    const below = momentsOf(this.lows);
    const above = momentsOf(this.highs);
    const sorted = [...this.values].sort((a, b) => a - b);
    return {
      value: whole ? (sorted[sorted.length >> 1] ?? NaN) : momentsOf(this.values).mean,
      low: below.mean - room(below),
      high: above.mean + room(above),
    };
  }
}

function momentsOf(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0 };
}
