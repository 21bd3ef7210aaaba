import { mean } from "../../math/index.js";
import { differenceOfCounts } from "./few-events.js";
import type { Influence } from "./influence.js";
import { longRunVariance } from "./long-run-variance.js";
import type { SliceGrid } from "../slices/slices.js";
import { criticalT, twoSidedP } from "../../stats/index.js";
import type { EstimatedDifference } from "../types.js";

/** Runs that differ by less than this share in their slices are compared slice by slice. */
const PAIRING_TOLERANCE = 0.1;

/** Do both have slices of the same length, and (nearly) as many? */
export function canPair(a: SliceGrid | undefined, b: SliceGrid | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    Math.abs(a.length - b.length) <= 1e-9 * a.length &&
    Math.abs(a.count - b.count) <= PAIRING_TOLERANCE * Math.max(a.count, b.count)
  );
}

/**
 * The error of a difference of influences: its standard error, degrees of freedom and effective sample, of how many
 * slices.
 */
export interface ErrorOfMean {
  readonly se: number;
  readonly df: number;
  readonly effective: number;
  readonly slices: number;
}

/**
 * Error of mean(b) − mean(a). Paired: of the series of differences, which takes out the load that both went through;
 * exact in either case, for the correlation is estimated on the differences themselves. Not paired: Welch's sum,
 * degrees of freedom after Satterthwaite.
 */
export function errorOfDifference(a: Float64Array, b: Float64Array, paired: boolean): ErrorOfMean {
  if (paired) {
    const n = Math.min(a.length, b.length);
    const differences = new Float64Array(n);
    for (let s = 0; s < n; s++) differences[s] = (b[s] ?? NaN) - (a[s] ?? NaN);
    const { varianceOfMean, df, effective, n: slices } = longRunVariance(differences);
    return { se: Math.sqrt(varianceOfMean), df, effective, slices };
  }
  const of = [longRunVariance(a), longRunVariance(b)] as const;
  const variance = of[0].varianceOfMean + of[1].varianceOfMean;
  const df =
    variance === 0
      ? of[0].df + of[1].df
      : variance ** 2 / (of[0].varianceOfMean ** 2 / of[0].df + of[1].varianceOfMean ** 2 / of[1].df);
  return {
    se: Math.sqrt(variance),
    df,
    effective: Math.min(of[0].effective, of[1].effective),
    slices: Math.min(of[0].n, of[1].n),
  };
}

/** A quantity of one run, with what its uncertainty comes from. */
export interface Sided {
  readonly value: number;
  /** `value` is only a lower limit. */
  readonly atLeast: boolean;
  /** What it cannot exceed: 1 of a share. */
  readonly most?: number;
  /** It lies in here, where that is known and `value` is estimated. */
  readonly certain?: readonly [lower: number, upper: number];
  /** Standard error of `value` as a statement of what happened: 0 but for estimates of percentiles. */
  readonly error: number;
  readonly influence: Influence;
}

/**
 * The difference of two quantities of single runs: how much another stretch of the same load would have given another
 * value, from the slices, and how well each value is known at all.
 */
export function sliceDifference(a: Sided, b: Sided, paired: boolean, confidence: number): EstimatedDifference {
  const { se, df, effective, slices } = withFewObservations(
    errorOfDifference(a.influence.values, b.influence.values, paired),
    a.influence,
    b.influence,
  );
  const left = a.error ** 2 + b.error ** 2;
  const outside = outsideSlices(a, b) ** 2;
  const variance = se ** 2 + left + outside;
  const error = {
    se: Math.sqrt(variance),
    df:
      left + outside === 0 || variance === 0
        ? df
        : variance ** 2 / (se ** 4 / df + left ** 2 / ESTIMATE_DF + outside ** 2),
  };
  const intervals = withFewEvents(withIntervals(a.value, b.value, error, confidence), a, b, slices, confidence);
  return {
    ...withinLimits(intervals, a, b),
    effective,
    basis: paired ? "paired-slices" : "slices",
  };
}

/**
 * The part of a difference that slices have no part in: scrapes before the first and behind the last. It was seen once,
 * so that it is its own error, with one degree of freedom.
 */
function outsideSlices(a: Sided, b: Sided): number {
  const outside = b.value - a.value - ((b.influence.inside ?? NaN) - (a.influence.inside ?? NaN));
  return Number.isFinite(outside) && Math.abs(outside) > ROUNDING * Math.max(Math.abs(a.value), Math.abs(b.value))
    ? outside
    : 0;
}

/** A spread takes two. */
const MIN_WORTH = 1.5;

/**
 * Cosines say how slices move, but a few observations in many slices tell no more of their spread than so many
 * observations do (Satterthwaite over both sides), and one tells nothing.
 */
function withFewObservations(error: ErrorOfMean, a: Influence, b: Influence): ErrorOfMean {
  if (Math.min(a.worth, b.worth) < MIN_WORTH) return { ...error, se: NaN };
  const [va, vb] = [meanSquare(a.values), meanSquare(b.values)];
  if (va + vb === 0) return error;
  return { ...error, df: Math.min(error.df, (va + vb) ** 2 / (va ** 2 / (a.worth - 1) + vb ** 2 / (b.worth - 1))) };
}

/** Of rates that few events make up: the wider of what the slices and the numbers of events say. */
function withFewEvents(intervals: Intervals, a: Sided, b: Sided, slices: number, confidence: number): Intervals {
  const [countedA, countedB] = [a.influence.counted, b.influence.counted];
  if (countedA === undefined || countedB === undefined) return intervals;
  const counts = differenceOfCounts(
    { value: a.value, counted: countedA },
    { value: b.value, counted: countedB },
    slices,
    confidence,
  );
  if (counts === undefined) return intervals;
  const low = Math.min(intervals.low, counts.low);
  const high = Math.max(intervals.high, counts.high);
  return {
    ...intervals,
    low,
    high,
    ...sharesOf(a.value, intervals.difference, low, high),
    p: Math.max(intervals.p, counts.p),
    se: Math.max(intervals.se, (high - low) / 2 / criticalT(confidence, intervals.df)),
  };
}

function meanSquare(values: Float64Array): number {
  let sum = 0;
  let n = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    sum += value * value;
    n++;
  }
  return sum / Math.max(1, n);
}

/** Of a value: what sums in another order may differ by. */
const ROUNDING = 1e-9;

/** Degrees of freedom that the error of an estimate counts as. */
const ESTIMATE_DF = 30;

/**
 * How far a value lies beyond a limit is not seen. What is never negative cannot fall by more than all of it, and what
 * has a limit cannot rise beyond that: neither by more than is certain of the baseline.
 */
function withinLimits(intervals: Intervals, a: Sided, b: Sided): Intervals {
  const negative = [a.influence.min, b.influence.min, a.value, b.value].some((least) => least < 0);
  const [least, most] = a.certain ?? [a.value, a.value];
  const fall = negative ? -Infinity : -most;
  const rise = (a.most ?? Infinity) - least;
  return {
    ...intervals,
    low: a.atLeast ? -Infinity : Math.max(intervals.low, fall),
    high: b.atLeast ? Infinity : Math.min(intervals.high, rise),
    shareLow: a.atLeast ? -Infinity : Math.max(intervals.shareLow, shareOf(fall, a.value)),
    shareHigh: b.atLeast ? Infinity : Math.min(intervals.shareHigh, shareOf(rise, a.value)),
  };
}

type Intervals = Omit<EstimatedDifference, "effective" | "basis">;

/** Shares are of the baseline as it was measured: its own error counts once, in the difference. */
export function withIntervals(
  a: number,
  b: number,
  { se, df }: Pick<ErrorOfMean, "se" | "df">,
  confidence: number,
): Intervals {
  const difference = b - a;
  const reach = criticalT(confidence, df) * se;
  const [low, high] = [difference - reach, difference + reach];
  return {
    difference,
    low,
    high,
    ...sharesOf(a, difference, low, high),
    p: se === 0 ? (difference === 0 ? 1 : 0) : twoSidedP(difference / se, df),
    se,
    df,
  };
}

/** What a cell without a difference holds. */
export const NO_DIFFERENCE: EstimatedDifference = {
  difference: NaN,
  low: NaN,
  high: NaN,
  share: NaN,
  shareLow: NaN,
  shareHigh: NaN,
  p: NaN,
  se: NaN,
  df: NaN,
  effective: NaN,
  basis: "values",
};

/** ±Infinity from a baseline of 0. */
export function sharesOf(
  baseline: number,
  difference: number,
  low: number,
  high: number,
): Pick<EstimatedDifference, "share" | "shareLow" | "shareHigh"> {
  const share = (x: number) => shareOf(x, baseline);
  return { share: share(difference), shareLow: share(low), shareHigh: share(high) };
}

function shareOf(x: number, baseline: number): number {
  return x === 0 ? 0 : x / Math.abs(baseline);
}

/**
 * The difference of two sets of repeats: each run is one value, the spread between repeats (pooled over both sets: a
 * configuration with one run borrows the other's) is its error. Student's t with as many degrees of freedom as there
 * are runs beyond one in each set.
 * @returns undefined when neither set has two runs
 */
export function betweenRunsDifference(
  a: readonly number[],
  b: readonly number[],
  confidence: number,
): EstimatedDifference | undefined {
  const df = a.length + b.length - 2;
  if (a.length === 0 || b.length === 0 || df < 1) return undefined;
  const [meanA, meanB] = [mean(a), mean(b)];
  const squares = (values: readonly number[], center: number) =>
    values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const variance = (squares(a, meanA) + squares(b, meanB)) / df;
  const se = Math.sqrt(variance / a.length + variance / b.length);
  return {
    ...withIntervals(meanA, meanB, { se, df }, confidence),
    effective: a.length + b.length,
    basis: "between-runs",
  };
}
