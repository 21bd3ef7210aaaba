import { numbersIn, type Scratch } from "../../store/scratch.js";
import type { Steps } from "../steps.js";
import { ENDS_OF_90 } from "../student.js";
import { designEffect } from "./effect.js";
import { SeededRandom } from "./random.js";
import { quantileRank } from "./rank.js";
import type { ActiveBuckets, Rows } from "./rows.js";
import { Draws, OrderedBuckets, type SampledQuantile } from "./sampled-draws.js";
import { SampledDensity } from "./sampled-density.js";
import { SampledLevel } from "./sampled-level.js";
import { redraw } from "./sampled-redraw.js";
import { SampledUnits } from "./sampled-units.js";

/** Observations that are drawn one by one; with more, their moments per bucket say as much in less time. */
export const MAX_SAMPLED = 2500;
/** Fewer intervals tell too little of a shape. */
export const MIN_ROWS = 8;
/** Where the scale goes over from linear to logarithmic, in first bounds. */
const UNIT = 0.003;
/** Sweeps that only lead to where the others are, and how many are kept. */
const BURNED = 8;
const MIN_KEPT = 10;
const MAX_KEPT = 24;
/** Standard error of the values, in those of themselves, below which no more sweeps are made. */
const SETTLED = 0.005;
/** Sweeps after which the level's spread is chosen, and after which its path is drawn anew. */
const CHOOSING = [0, 2];
const LEVELLING = [0, 2, 4];
/**
 * Of the draws' variance: observations that come together tell less, so that the interval is longer by the root of the
 * design effect. What the density misses is counted beside it.
 */
const MAX_EFFECT = 4;
const SWEEPS_A_STEP = 8;

/**
 * Quantiles of few observations an interval, by Gibbs sampling of what the buckets and sums leave open (Tanner and Wong
 * 1987): in turn pairs of observations of one interval (their sum stays), the level that those of an interval share,
 * and the smooth density around it. A quantile is the middle of what the sweeps give; their spread is its interval.
 *
 * @param unit the first bound: sizes far below it are alike
 * @param scratch for what lies between; nobody else may begin it until the last step
 */
export function* sampleQuantiles(
  active: ActiveBuckets,
  rows: Rows,
  unit: number,
  qs: readonly number[],
  scratch?: Scratch,
): Steps<SampledQuantile[]> {
  const random = new SeededRandom(1);
  const units = new SampledUnits(active, rows, unit * UNIT, scratch);
  const { z, length } = units;
  let least = Infinity;
  let most = -Infinity;
  for (let j = 0; j < length; j++) {
    least = Math.min(least, z[j] ?? 0);
    most = Math.max(most, z[j] ?? 0);
  }
  // All intervals have one mean: values that differ would have to cancel out in each of them.
  if (most - least <= 1e-6 * most) {
    const mean = (r: number) => (rows.sum[r] ?? 0) / (rows.size[r] ?? 1);
    const means = Float64Array.from({ length: rows.length }, (_, r) => mean(r)).sort();
    const [low = NaN, value = NaN, high = NaN] = [0, rows.length >> 1, rows.length - 1].map((r) => means[r]);
    return qs.map(() => ({ value, low, high }));
  }
  const density = new SampledDensity(scratch);
  const level = new SampledLevel(units, scratch);
  const y = numbersIn(scratch, length);
  for (let j = 0; j < length; j++) y[j] = Math.log(z[j] ?? 1);
  // Of those alone in their intervals it stays.
  const known = numbersIn(scratch, length);
  known.set(y);
  density.fit(y);
  const ordered = new OrderedBuckets(active, units, scratch);
  const n = active.total.reduce((sum, total) => sum + total, 0);
  const draws = qs.map((q) => new Draws(ordered, quantileRank(n, q)));
  for (let sweep = 0; sweep < BURNED + MAX_KEPT; sweep++) {
    if (sweep % SWEEPS_A_STEP === SWEEPS_A_STEP - 1) yield;
    if (sweep > 0) redraw(units, density, level.factor, random);
    if (CHOOSING.includes(sweep)) level.choose(density, deviation(y));
    if (LEVELLING.includes(sweep)) level.draw(density, random);
    else if (level.spread > 0) level.refine(density, deviation(y), random);
    if (sweep >= BURNED) {
      ordered.order();
      for (const draw of draws) draw.add();
      if (sweep === BURNED + MAX_KEPT - 1) break;
      if (sweep >= BURNED + MIN_KEPT - 1 && draws.every((draw) => draw.settled(SETTLED))) break;
    }
    relate(y, units, known, level.logs);
    density.fit(y);
  }
  const effect = Math.min(MAX_EFFECT, designEffect(rows, active.index.length));
  return draws.map((draw) => draw.result(ENDS_OF_90 * Math.sqrt(effect)));
}

/** Logarithms of the values over their level. */
function relate(y: Float64Array, { z, first }: SampledUnits, known: Float64Array, logs: Float64Array): void {
  for (let r = 0; r + 1 < first.length; r++) {
    const log = logs[r] ?? 0;
    const from = first[r] ?? 0;
    const to = first[r + 1] ?? 0;
    if (to === from + 1) y[from] = (known[from] ?? 0) - log;
    else for (let j = from; j < to; j++) y[j] = Math.log(z[j] ?? 1) - log;
  }
}

function deviation(y: Float64Array): number {
  let mean = 0;
  let squares = 0;
  for (let j = 0; j < y.length; j++) mean += y[j] ?? 0;
  mean /= y.length;
  for (let j = 0; j < y.length; j++) squares += ((y[j] ?? 0) - mean) ** 2;
  return Math.sqrt(squares / y.length);
}
