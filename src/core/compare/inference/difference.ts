import { mean } from "../../math/index.js";
import { differenceOfCounts } from "./few-events.js";
import type { Influence } from "./influence.js";
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

/** How far the mean of correlated values may be trusted. */
export interface LongRunVariance {
  readonly mean: number;
  /** Values that are there (not NaN). */
  readonly n: number;
  /** Variance of the mean; NaN for fewer than four values. */
  readonly varianceOfMean: number;
  /** Degrees of freedom of `varianceOfMean`. */
  readonly df: number;
  /** How many independent values would know the mean as well, at most n. n for a constant. */
  readonly effective: number;
}

const COSINES = 10;
const MIN_VALUES = 4;
/** Correlation of neighbours beyond which a series is as good as a random walk, of which one run tells little. */
const MAX_CORRELATION = 0.9;

/**
 * Variance of the mean of an autocorrelated series: the mean square of its first few cosine transforms, which see its
 * slow movements whatever makes them, with as many degrees of freedom as there are cosines (EWC; Müller 2004, Lazarus,
 * Lewis, Stock & Watson 2018). What a correlation of neighbours lets them miss of the slowest is added, as prewhitening
 * by it would (Andrews & Monahan 1992).
 * @param values in time order; NaN is left out
 */
export function longRunVariance(values: Float64Array): LongRunVariance {
  const y = values.some(Number.isNaN) ? values.filter((value) => !Number.isNaN(value)) : values;
  const n = y.length;
  let mean = 0;
  for (let i = 0; i < n; i++) mean += y[i] ?? 0;
  mean /= n;
  if (n < MIN_VALUES) return { mean, n, varianceOfMean: NaN, df: 1, effective: n };
  let squares = 0;
  let products = 0;
  for (let i = 0; i < n; i++) {
    const centred = (y[i] ?? 0) - mean;
    squares += centred * centred;
    if (i > 0) products += centred * ((y[i - 1] ?? 0) - mean);
  }
  if (squares <= n * (1e-14 * mean) ** 2) return { mean, n, varianceOfMean: 0, df: n - 1, effective: n };
  const cosines = Math.min(COSINES, n >> 1);
  const rho = correlation(products / squares, n);
  const share = shareSeen(rho, n, cosines);
  const longRun = cosineVariance(y, mean, cosines) / share;
  // What the correlation's own uncertainty adds to that of the cosines, by the delta method.
  const step = 1e-4;
  const sensitivity = (Math.log(share) - Math.log(shareSeen(rho - step, n, cosines))) / step;
  return {
    mean,
    n,
    varianceOfMean: longRun / n,
    df: rho === 0 ? cosines : 1 / (1 / cosines + (sensitivity ** 2 * (1 - rho * rho)) / (2 * n)),
    effective: longRun > 0 ? Math.min(n, squares / longRun) : n,
  };
}

/** Of neighbours, freed from bias (Marriott & Pope 1954). A negative one is left to the cosines. */
function correlation(seen: number, n: number): number {
  return Math.max(0, Math.min(MAX_CORRELATION, (n * seen + 1) / Math.max(1, n - 3)));
}

/** Of the variance that an AR(1) process has at frequency 0, what the first cosines see on average. */
function shareSeen(rho: number, n: number, cosines: number): number {
  let share = 0;
  for (let j = 1; j <= cosines; j++)
    share += (1 - rho) ** 2 / (1 + rho * rho - 2 * rho * Math.cos((Math.PI * j) / n)) / cosines;
  return share;
}

/** Mean of the squared projections on the first `count` cosines. */
function cosineVariance(values: Float64Array, mean: number, count: number): number {
  const n = values.length;
  const table = cosineTable(n, count);
  let total = 0;
  for (let j = 0; j < count; j++) {
    let projection = 0;
    for (let i = 0, at = j * n; i < n; i++, at++) projection += ((values[i] ?? 0) - mean) * (table[at] ?? 0);
    total += projection * projection;
  }
  return (2 * total) / n / count;
}

let cached: { readonly n: number; readonly count: number; readonly table: Float64Array } | undefined;

/** Nearly all series of a comparison have the same length. */
function cosineTable(n: number, count: number): Float64Array {
  if (cached?.n !== n || cached.count !== count) {
    const table = new Float64Array(n * count);
    for (let j = 0; j < count; j++)
      for (let i = 0; i < n; i++) table[j * n + i] = Math.cos((Math.PI * (j + 1) * (i + 0.5)) / n);
    cached = { n, count, table };
  }
  return cached.table;
}
