import { criticalT, incompleteBeta } from "../../stats/index.js";
import { NS_PER_SECOND } from "../../model/index.js";
import type { SliceGrid } from "../slices/slices.js";

/*
 * Counters of rare things: aborts, preemptions, errors. Slices tell how correlated their rises are, but a few events
 * can lie in slices as evenly as if they came by the clock. So they count as independent as well: two Poisson counts,
 * or, where they come in lumps, so many lumps (quasi-Poisson: the variance of slices by their mean).
 */

/** What a counter has counted. */
export interface Counted {
  /** What comes at once: 1 of single events; of lumps the variance of slices by their mean; 0 where it is not seen. */
  readonly lump: number;
  readonly seconds: number;
}

/** Events of both runs up to which they also count as independent: beyond, slices have the level that they state. */
const FEW_EVENTS = 100;
/** So few slices can all hold the same number by chance. */
const FEW_SLICES = 20;

/**
 * @param rates of each slice; NaN is left out
 * @param amount all that was counted: a whole number is of single events
 */
export function countedIn(rates: Float64Array, grid: SliceGrid, amount: () => number): Counted {
  const each = grid.length / NS_PER_SECOND;
  let n = 0;
  let sum = 0;
  let squares = 0;
  for (const rate of rates) {
    if (Number.isNaN(rate)) continue;
    n++;
    sum += rate * each;
    squares += (rate * each) ** 2;
  }
  const spread = sum > 0 && n > 1 ? (squares - (sum * sum) / n) / (n - 1) / (sum / n) : 0;
  const few = n < FEW_SLICES || sum <= FEW_EVENTS;
  return { lump: Math.max(spread, few && Number.isInteger(amount()) ? 1 : 0), seconds: n * each };
}

interface Evidence {
  readonly low: number;
  readonly high: number;
  readonly p: number;
}

/**
 * The difference of two rates by their counts: p by the exact conditional test (Przyborowski & Wilenski 1940), the
 * interval from those of both counts (Zou & Donner 2008) by Byar's limits (Rothman & Boice 1979).
 * @returns undefined where slices tell enough: many events in many slices, or no events at all
 */
export function differenceOfCounts(
  a: { readonly value: number; readonly counted: Counted },
  b: { readonly value: number; readonly counted: Counted },
  slices: number,
  confidence: number,
): Evidence | undefined {
  const [countA, countB] = [a.value * a.counted.seconds, b.value * b.counted.seconds];
  const all = countA + countB;
  const lump = all > 0 ? (a.counted.lump * countA + b.counted.lump * countB) / all : 0;
  if (!(lump > 0) || (slices >= FEW_SLICES && all / lump > FEW_EVENTS)) return undefined;
  const [lumpsA, lumpsB] = [countA / lump, countB / lump];
  const part = b.counted.seconds / (a.counted.seconds + b.counted.seconds);
  const z = criticalT(confidence, NORMAL);
  const limits = (lumps: number, { seconds }: Counted) =>
    [(byarLow(lumps, z) * lump) / seconds, (byarHigh(lumps, z) * lump) / seconds] as const;
  const [lowA, highA] = limits(lumpsA, a.counted);
  const [lowB, highB] = limits(lumpsB, b.counted);
  const difference = b.value - a.value;
  return {
    low: difference - Math.hypot(b.value - lowB, highA - a.value),
    high: difference + Math.hypot(highB - b.value, a.value - lowA),
    p: Math.min(1, 2 * Math.min(atLeast(lumpsB, lumpsA, part), atLeast(lumpsA, lumpsB, 1 - part))),
  };
}

/** Degrees of freedom of which Student's t is normal. */
const NORMAL = 1e6;

/** Probability that so many or more of all fall on the side with this part of the time. */
function atLeast(lumps: number, others: number, part: number): number {
  return lumps > 0 ? incompleteBeta(lumps, others + 1, part) : 1;
}

function byarLow(count: number, z: number): number {
  return count > 0 ? count * Math.max(0, 1 - 1 / (9 * count) - z / (3 * Math.sqrt(count))) ** 3 : 0;
}

function byarHigh(count: number, z: number): number {
  return (count + 1) * (1 - 1 / (9 * (count + 1)) + z / (3 * Math.sqrt(count + 1))) ** 3;
}
