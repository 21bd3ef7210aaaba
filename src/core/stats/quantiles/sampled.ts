import type { Steps } from "../steps.js";
import { SeededRandom } from "./random.js";
import { quantileRank } from "./rank.js";
import type { ActiveBuckets, Rows } from "./rows.js";
import { SampledDensity } from "./sampled-density.js";
import { SampledLevel } from "./sampled-level.js";

/** Observations that are drawn one by one; with more, their moments per bucket say as much in less time. */
export const MOST_SAMPLED = 1500;
/** Fewer intervals tell too little of a shape. */
export const FEWEST_ROWS = 8;
/** Where the scale goes over from linear to logarithmic, in first bounds. */
const UNIT = 0.01;
/** Observations drawn in all sweeps together, and the bounds of the sweeps' number. */
const DRAWS = 30_000;
const FEWEST_SWEEPS = 20;
const MOST_SWEEPS = 60;
/** Share of the sweeps that only lead to where the others are. */
const BURNED = 1 / 3;
/** Sweeps between two choices of the level's spread, after the first few. */
const CHOOSING = 4;
/** Candidates for one of a pair. */
const TRIES = 4;
/** Draws averaged for the value: those between these quantiles of them. */
const MIDDLE = 0.2;
/** Share of the draws beyond each end of the interval, and what it is widened by for the density's own error. */
const TAIL = 0.05;
const WIDENED = 1.5;
const SWEEPS_A_STEP = 4;

/** A quantile's value and its 90 % interval. */
export interface SampledQuantile {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Every observation by itself, as far as the sums tell: singles exactly, the others drawn again and again. */
class Observations {
  readonly x: Float64Array;
  /** On the scale where the density is smooth: logarithmic, linear far below the first bound. */
  readonly y: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** First observation of each row, and their number. */
  readonly first: Int32Array;

  constructor(
    active: ActiveBuckets,
    rows: Rows,
    readonly unit: number,
  ) {
    const entries = rows.start[rows.length] ?? 0;
    let n = 0;
    for (let e = 0; e < entries; e++) n += rows.count[e] ?? 0;
    this.x = new Float64Array(n);
    this.y = new Float64Array(n);
    this.lower = new Float64Array(n);
    this.upper = new Float64Array(n);
    this.first = new Int32Array(rows.length + 1);
    let j = 0;
    for (let r = 0; r < rows.length; r++) {
      for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
        const a = rows.bucket[e] ?? 0;
        const to = j + (rows.count[e] ?? 0);
        this.lower.fill(active.lower[a] ?? 0, j, to);
        this.upper.fill(active.upper[a] ?? Infinity, j, to);
        j = to;
      }
      this.first[r + 1] = j;
      this.fill(this.first[r] ?? 0, j, rows.sum[r] ?? 0);
    }
  }

  /** As alike as their buckets and their sum let them be. */
  private fill(from: number, to: number, sum: number): void {
    const { x, y, lower, upper } = this;
    let low = lower[from] ?? 0;
    let high = Math.min(upper[to - 1] ?? Infinity, sum);
    for (let round = 0; round < 50 && high - low > 1e-12 * high; round++) {
      const middle = (low + high) / 2;
      let total = 0;
      for (let j = from; j < to; j++) total += Math.max(lower[j] ?? 0, Math.min(upper[j] ?? 0, middle));
      if (total < sum) low = middle;
      else high = middle;
    }
    for (let j = from; j < to; j++) {
      x[j] = Math.max(lower[j] ?? 0, Math.min(upper[j] ?? 0, high));
      y[j] = Math.log1p((x[j] ?? 0) / this.unit);
    }
  }
}

/**
 * Quantiles of few observations an interval, by Gibbs sampling of what the buckets and sums leave open (Tanner and Wong
 * 1987): in turn pairs of observations of one interval (their sum stays), the level that those of an interval share,
 * and the smooth density around it. A quantile is the middle of what the sweeps give; their spread is its interval.
 *
 * @param unit the first bound: sizes far below it are alike
 */
export function* sampleQuantiles(
  active: ActiveBuckets,
  rows: Rows,
  unit: number,
  qs: readonly number[],
): Steps<SampledQuantile[]> {
  const random = new SeededRandom(1);
  const observations = new Observations(active, rows, unit * UNIT);
  const { x, y, first } = observations;
  const [least, most] = [x.reduce((a, b) => Math.min(a, b)), x.reduce((a, b) => Math.max(a, b))];
  // All intervals have one mean: values that differ would have to cancel out in each of them.
  if (most - least <= 1e-9 * most) return qs.map(() => ({ value: (least + most) / 2, low: least, high: most }));
  const density = new SampledDensity();
  const level = new SampledLevel(first);
  const centred = y.slice();
  density.fit(centred);
  const sweeps = Math.max(FEWEST_SWEEPS, Math.min(MOST_SWEEPS, Math.round(DRAWS / x.length)));
  const burned = Math.round(sweeps * BURNED);
  const draws = qs.map((q) => new Draws(x.length, q, sweeps - burned));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    if (sweep % SWEEPS_A_STEP === SWEEPS_A_STEP - 1) yield;
    if (sweep > 0) redraw(observations, density, level.path, random);
    if (sweep <= burned && (sweep < 3 || sweep % CHOOSING === 0)) level.choose(y, density);
    level.draw(y, density, random);
    for (let r = 0; r + 1 < first.length; r++) {
      const at = level.path[r] ?? 0;
      for (let j = first[r] ?? 0; j < (first[r + 1] ?? 0); j++) centred[j] = (y[j] ?? 0) - at;
    }
    density.fit(centred);
    if (sweep < burned) continue;
    const sorted = x.slice().sort();
    for (const draw of draws) draw.add(sorted);
  }
  return draws.map((draw) => draw.result());
}

/** What the sweeps give for one quantile. */
class Draws {
  private readonly values: Float64Array;
  private readonly below: Float64Array;
  private readonly above: Float64Array;
  private readonly rank: number;
  private seen = 0;

  constructor(n: number, q: number, sweeps: number) {
    this.rank = quantileRank(n, q);
    this.values = new Float64Array(sweeps);
    this.below = new Float64Array(sweeps);
    this.above = new Float64Array(sweeps);
  }

  /** The interval reaches from one neighbour of the rank to the other. */
  add(sorted: Float64Array): void {
    const at = Math.floor(this.rank);
    const share = this.rank - at;
    const low = sorted[at] ?? NaN;
    const high = share > 0 ? (sorted[at + 1] ?? low) : low;
    this.below[this.seen] = low;
    this.above[this.seen] = high;
    this.values[this.seen++] = low + share * (high - low);
  }

  result(): SampledQuantile {
    const n = this.seen;
    const values = this.values.sort();
    const middle = values.subarray(Math.floor(MIDDLE * n), Math.ceil((1 - MIDDLE) * n));
    const value = middle.reduce((sum, x) => sum + x, 0) / middle.length;
    const low = this.below.sort()[Math.floor(TAIL * n)] ?? value;
    const high = this.above.sort()[Math.ceil((1 - TAIL) * n) - 1] ?? value;
    return {
      value,
      low: value - WIDENED * Math.max(0, value - low),
      high: value + WIDENED * Math.max(0, high - value),
    };
  }
}

/** One sweep: pairs of a row are drawn again with their sum as it is. */
function redraw(
  { x, y, lower, upper, first, unit }: Observations,
  density: SampledDensity,
  path: Float64Array,
  random: SeededRandom,
): void {
  const chances = new Float64Array(TRIES + 1);
  const values = new Float64Array(TRIES + 1);
  const mine = new Float64Array(TRIES + 1);
  const theirs = new Float64Array(TRIES + 1);
  for (let r = 0; r + 1 < first.length; r++) {
    const from = first[r] ?? 0;
    const size = (first[r + 1] ?? 0) - from;
    if (size < 2) continue;
    const level = path[r] ?? 0;
    for (let i = 0; i < (size === 2 ? 1 : size); i++) {
      let o = Math.floor(random.uniform() * (size - 1));
      if (o >= i) o++;
      const j = from + i;
      const k = from + o;
      const sum = (x[j] ?? 0) + (x[k] ?? 0);
      const low = Math.max(lower[j] ?? 0, sum - (upper[k] ?? 0));
      const high = Math.min(upper[j] ?? 0, sum - (lower[k] ?? 0));
      if (!(high - low > 1e-9 * high)) continue;
      // Candidates lie evenly on the scale of the one or of the other, so that a small one next to a large is met.
      const a = Math.log1p(low / unit);
      const reach = Math.log1p(high / unit) - a;
      const b = Math.log1p((sum - high) / unit);
      const otherReach = Math.log1p((sum - low) / unit) - b;
      const whole = sum + 2 * unit;
      mine[0] = y[j] ?? 0;
      theirs[0] = y[k] ?? 0;
      values[0] = (x[j] ?? 0) + unit;
      const shift = random.uniform();
      let mass = 0;
      for (let t = 0; t <= TRIES; t++) {
        if (t > 0) {
          const u = (Math.ceil(t / 2) - (t % 2 === 1 ? shift : random.uniform())) / ((TRIES + 1) >> 1);
          if (t % 2 === 1) {
            const at = (mine[t] = a + u * reach);
            const value = (values[t] = unit * Math.exp(at));
            theirs[t] = Math.log((whole - value) / unit);
          } else {
            const at = (theirs[t] = b + u * otherReach);
            const value = (values[t] = whole - unit * Math.exp(at));
            mine[t] = Math.log(value / unit);
          }
        }
        const value = values[t] ?? 0;
        // Density of both over that of the proposal, the scale's slopes cancelled out.
        const proposed = (whole - value) / reach + value / otherReach;
        mass += chances[t] =
          Math.exp(density.logAt((mine[t] ?? 0) - level) + density.logAt((theirs[t] ?? 0) - level)) / proposed;
      }
      let pick = random.uniform() * mass;
      let t = 0;
      while (t < TRIES && (pick -= chances[t] ?? 0) > 0) t++;
      if (t === 0) continue;
      x[j] = Math.max(low, Math.min(high, (values[t] ?? 0) - unit));
      x[k] = sum - (x[j] ?? 0);
      y[j] = mine[t] ?? 0;
      y[k] = theirs[t] ?? 0;
    }
  }
}
