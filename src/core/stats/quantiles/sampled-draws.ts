import { numbersIn, type Scratch } from "../../store/scratch.js";
import type { ActiveBuckets } from "./rows.js";
import type { SampledUnits } from "./sampled-units.js";
import { select } from "./selection.js";

/** A quantile's value and its 90 % interval. */
export interface SampledQuantile {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * What the model misses, in widths of the bucket, which the draws do not show: more in the first, whose values may lie
 * in heaps at 0 and far from it. It grows with the root of the observations that share a sum, for so much less that
 * tells of each. Measured as the intervals' other factors.
 */
const MODEL_REACH = 0.015;
const MODEL_REACH_FROM_ZERO = 0.022;
const MAX_GROWTH = 6;

function modelReach(lower: number, upper: number, sharing: number): number {
  if (upper === Infinity) return 0;
  const growth = Math.min(MAX_GROWTH, Math.sqrt(sharing));
  return growth * (lower === 0 ? MODEL_REACH_FROM_ZERO : MODEL_REACH) * (upper - lower);
}

/**
 * Where an order statistic lies in its bucket's observations in order: between one and the next. And how far the model
 * may be off there.
 */
interface Place {
  readonly values: Float64Array;
  readonly low: number;
  readonly share: number;
  readonly model: number;
}

interface Bucket {
  readonly members: Int32Array;
  readonly values: Float64Array;
  /** The places that are asked for, ascending. */
  readonly ranks: number[];
}

/** The observations of the buckets that quantiles fall into, in order as far as these ask. */
export class OrderedBuckets {
  private readonly buckets: Bucket[] = [];

  constructor(
    private readonly active: ActiveBuckets,
    private readonly units: SampledUnits,
    private readonly scratch?: Scratch,
  ) {}

  /** The bucket of the order statistic at a position among all, and the place in it. */
  find(position: number): Place {
    const { total, lower, upper } = this.active;
    let a = 0;
    let below = 0;
    while (a < total.length - 1 && position >= below + (total[a] ?? 0)) below += total[a++] ?? 0;
    let bucket = this.buckets[a];
    if (bucket === undefined) {
      const members = this.units.membersOf(a);
      bucket = this.buckets[a] = { members, values: numbersIn(this.scratch, members.length), ranks: [] };
    }
    const { values } = bucket;
    const last = values.length - 1;
    const at = ((position - below + 0.5) / (total[a] ?? 1)) * values.length - 0.5;
    const rank = Math.max(0, Math.min(last, Math.floor(at + 1e-9)));
    insert(bucket.ranks, rank);
    insert(bucket.ranks, Math.min(last, rank + 1));
    return {
      values,
      low: rank,
      share: Math.max(0, at - rank),
      model: modelReach(lower[a] ?? 0, upper[a] ?? Infinity, this.units.length / (this.units.first.length - 1)),
    };
  }

  /** Puts what places ask for in order. */
  order(): void {
    const { z, rest, unit } = this.units;
    for (const bucket of this.buckets) {
      if (bucket === undefined) continue;
      const { members, values, ranks } = bucket;
      for (let i = 0; i < values.length; i++) {
        const j = members[i] ?? 0;
        values[i] = (z[j] ?? 0) - unit + (rest[j] ?? 0);
      }
      select(values, ranks);
    }
  }
}

/** Puts a number among ascending ones, each of which is there once. */
function insert(ascending: number[], one: number): void {
  let at = ascending.length;
  while (at > 0 && (ascending[at - 1] ?? 0) > one) at--;
  if (ascending[at - 1] !== one) ascending.splice(at, 0, one);
}

/** Between the neighbours of a place. */
function between({ values, low, share }: Place): number {
  const value = values[low] ?? NaN;
  return share > 1e-9 ? value + share * ((values[low + 1] ?? value) - value) : value;
}

/** Mean and standard deviation of what the sweeps give. */
class Spread {
  n = 0;
  mean = 0;
  private squares = 0;

  add(x: number): void {
    const miss = x - this.mean;
    this.mean += miss / ++this.n;
    this.squares += miss * (x - this.mean);
  }

  get deviation(): number {
    return this.n > 1 ? Math.sqrt(this.squares / (this.n - 1)) : 0;
  }
}

/** What the sweeps give for one quantile: its neighbours and what stands between them. */
export class Draws {
  private readonly value = new Spread();
  private readonly below = new Spread();
  private readonly above = new Spread();
  private readonly low: Place;
  private readonly high: Place;
  private readonly share: number;

  constructor(ordered: OrderedBuckets, rank: number) {
    const at = Math.floor(rank + 1e-9);
    this.share = Math.max(0, rank - at);
    this.low = ordered.find(at);
    this.high = this.share > 1e-9 ? ordered.find(at + 1) : this.low;
  }

  add(): void {
    const low = between(this.low);
    const high = this.high === this.low ? low : between(this.high);
    this.below.add(low);
    this.above.add(high);
    this.value.add(low + this.share * (high - low));
  }

  /** Is the standard error of the value at most so large, in those of itself? */
  settled(share: number): boolean {
    const { mean, deviation, n } = this.value;
    return deviation <= share * Math.sqrt(n) * Math.abs(mean);
  }

  /** @param reach of the interval to each side, in standard deviations */
  result(reach: number): SampledQuantile {
    const { value, below, above } = this;
    // What the sums tell exactly has no interval.
    const room = ({ deviation }: Spread, { model }: Place) =>
      deviation > 0 ? Math.hypot(reach * deviation, model) : 0;
    return {
      value: value.mean,
      low: below.mean - room(below, this.low),
      high: above.mean + room(above, this.high),
    };
  }
}
