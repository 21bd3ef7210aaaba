import { ENDS_OF_90 } from "../student.js";
import type { SampledQuantile } from "./sampled-draws.js";

/**
 * What it costs to be further off than the linear estimate by more than `TOLERANCE`, in shares of the value. Draws tell
 * how far each value may be off by itself. Moments tell it in the mean of all places only: where values are dense their
 * intervals are too wide, and a higher price would draw the medians of two runs together.
 */
export const REGRET_OF_DRAWN = 0.15;
export const REGRET_OF_MOMENTS = 0.07;
const TOLERANCE = 0.02;
/** How far a value may be moved, in shares of itself. */
const FURTHEST = 0.08;
const STEPS = 20;

/**
 * The value of least expected loss (Savage 1951: the error, and regret where the linear estimate would have been the
 * better one), of those between an estimate and the linear one. The expected error grows with the square of the way
 * from the estimate, the chance of regret falls in proportion to it: where the data leave both values open, a small
 * part of the way costs nearly nothing.
 *
 * @param price of regret
 */
export function leastLoss({ value, low, high }: SampledQuantile, linear: number, price: number): number {
  const deviation = (high - low) / 2 / ENDS_OF_90;
  const distance = Math.abs(linear - value);
  const tolerance = TOLERANCE * Math.abs(value);
  if (!(deviation > 0 && distance > tolerance && distance < Infinity)) return value;
  const furthest = distance - tolerance;
  const most = Math.min(FURTHEST * Math.abs(value), furthest, linear > value ? high - value : value - low);
  let best = 0;
  let least = Infinity;
  for (let step = 0; step <= STEPS; step++) {
    const way = (step / STEPS) * most;
    // What was observed lies beyond the middle of the two, by half the tolerance.
    const regret = way < furthest ? 1 - normalShare((way + distance + tolerance) / 2 / deviation) : 0;
    const loss = deviation * normalDistance(way / deviation) + price * Math.abs(value) * regret;
    if (loss >= least) continue;
    least = loss;
    best = way;
  }
  return value + Math.sign(linear - value) * best;
}

function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/** Of a standard normal distribution, the share at or below x ≥ 0 (Abramowitz and Stegun 26.2.17; within 1e-7). */
function normalShare(x: number): number {
  const t = 1 / (1 + 0.2316419 * x);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - normalDensity(x) * series;
}

/** Expected distance of a standard normal from x ≥ 0. */
function normalDistance(x: number): number {
  return 2 * normalDensity(x) + x * (2 * normalShare(x) - 1);
}
