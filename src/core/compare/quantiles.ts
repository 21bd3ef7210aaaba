import { estimateQuantiles, linearQuantile, type QuantileEstimate } from "../stats/index.js";
import {
  errorOfDifference,
  notBelowZero,
  sharesOf,
  withIntervals,
  type Difference,
  type ErrorOfMean,
} from "./difference.js";
import type { HistogramSlices } from "./slices.js";

export const COMPARED_QUANTILES = [
  { key: "p50", q: 0.5 },
  { key: "p90", q: 0.9 },
  { key: "p99", q: 0.99 },
] as const;

/** Blocks that the slices are resampled in, and how often. */
const BLOCKS = 30;
export const REPLICATES = 200;
/** Observations beyond a quantile below which it is a matter of luck. */
const FEWEST_BEYOND = 5;
/** Intervals that estimates are made from: all slices, as a rule. */
const ESTIMATE_INTERVALS = 240;
/**
 * Of more histograms than this, estimates are made from totals and sum alone, which is eight times as fast: a table
 * within seconds is worth digits.
 */
const MANY_HISTOGRAMS = 150;

/** How many intervals each histogram is estimated from when there are so many of them. */
export function estimateIntervals(histograms: number): number {
  return histograms > MANY_HISTOGRAMS ? 1 : ESTIMATE_INTERVALS;
}

/** One quantile of one run. */
export interface QuantileValue {
  /** The product's estimate; beyond the last bucket its bound. NaN without observations. */
  readonly value: number;
  readonly atLeast: boolean;
  /** By linear interpolation, from the same buckets. */
  readonly linear: number;
}

export interface QuantileDifference extends Difference {
  readonly reason?: string;
}

/** Values of COMPARED_QUANTILES; undefined without observations or bounds. */
export function quantileValues(slices: HistogramSlices, intervals: number): readonly QuantileValue[] | undefined {
  if (slices.uppers.length < 2) return undefined;
  const totals = Float64Array.from(slices.counts, sumOf);
  if (!(sumOf(totals) > 0)) return undefined;
  const estimates = estimateQuantiles(
    coarse(slices, intervals),
    COMPARED_QUANTILES.map(({ q }) => q),
  );
  return COMPARED_QUANTILES.map(({ q }, i) => valueOf(estimates[i], linearQuantile(slices.uppers, totals, q)));
}

function valueOf(estimate: QuantileEstimate | undefined, linear: number): QuantileValue {
  if (estimate === undefined) return { value: NaN, atLeast: false, linear };
  return estimate.upper === Infinity
    ? { value: estimate.lower, atLeast: true, linear }
    : { value: estimate.value, atLeast: false, linear };
}

/** Slices joined to a few intervals, of whole observations. */
function coarse({ uppers, counts, sums, observed }: HistogramSlices, intervals: number) {
  const n = observed.length;
  const k = Math.min(intervals, n);
  const cuts = Array.from({ length: k + 1 }, (_, i) => Math.round((i * n) / k));
  // Fractions from interpolation between scrapes go to the interval in which the running number passes the next whole
  // one.
  const join = (slices: Float64Array, whole: boolean) => {
    const out = new Float64Array(k);
    let running = 0;
    let given = 0;
    for (let i = 0; i < k; i++) {
      for (let s = cuts[i] ?? 0; s < (cuts[i + 1] ?? 0); s++) running += numberOr0(slices[s]);
      const now = whole ? Math.round(running) : running;
      out[i] = now - given;
      given = now;
    }
    return out;
  };
  return {
    uppers,
    times: Float64Array.from({ length: k }, (_, i) => i + 1),
    counts: counts.map((slices) => join(slices, true)),
    sums: join(sums, false),
  };
}

/**
 * Differences of the quantiles of two histograms with their intervals. Slices are resampled in blocks (moving scrape
 * intervals together keeps their correlation; Künsch 1989), the same blocks on both sides when paired; the quantile of
 * a resample is the linear one, for speed. What correlation reaches beyond a block is made good by the long-run
 * variance of the quantile's influence, which also gives the degrees of freedom. A difference is significant only when
 * both the estimate and plain interpolation show it, and the interval covers both: within one bucket they are models,
 * and may disagree.
 */
export function quantileDifferences(
  a: HistogramSlices,
  b: HistogramSlices,
  values: { readonly a: readonly QuantileValue[]; readonly b: readonly QuantileValue[] },
  options: { readonly paired: boolean; readonly confidence: number; readonly seed: number },
): readonly QuantileDifference[] {
  const resampled = resample(a, b, options.paired, options.seed);
  const totals = { a: Float64Array.from(a.counts, sumOf), b: Float64Array.from(b.counts, sumOf) };
  const running = { a: cumulative(a), b: cumulative(b) };
  return COMPARED_QUANTILES.map(({ q, key }, i) => {
    const [va, vb] = [values.a[i], values.b[i]];
    if (va === undefined || vb === undefined) throw new RangeError(`no value of ${key}`);
    const own = { a: influence(a, running.a, totals.a, q), b: influence(b, running.b, totals.b, q) };
    const long = errorOfDifference(own.a, own.b, options.paired);
    const stretch = blockStretch(own.a, own.b, options.paired, long);
    const se = (resampled[i] ?? NaN) * stretch;
    const error = { se, df: long.df };
    const best = withIntervals(va.value, vb.value, error, options.confidence);
    const plain = withIntervals(va.linear, vb.linear, error, options.confidence);
    const beyond = Math.min(sumOf(totals.a), sumOf(totals.b)) * Math.min(q, 1 - q);
    const reason =
      va.atLeast && vb.atLeast
        ? `${key} lies beyond the last bucket on both sides`
        : beyond < FEWEST_BEYOND
          ? `${key} rests on fewer than ${FEWEST_BEYOND} observations beyond it`
          : undefined;
    const [low, high] = [Math.min(best.low, plain.low), Math.max(best.high, plain.high)];
    const intervals = { low, high, ...sharesOf(va.value, best.difference, low, high) };
    const positive = Math.min(a.uppers[0] ?? 0, b.uppers[0] ?? 0) >= 0 && Math.min(va.value, vb.value) >= 0;
    return {
      ...best,
      ...(positive ? notBelowZero(intervals, va.value) : intervals),
      p: best.difference * plain.difference < 0 ? 1 : Math.max(best.p, plain.p),
      effective: long.effective,
      slices: long.slices,
      basis: options.paired ? "paired-slices" : "slices",
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

/** Running sums over buckets of each slice's observations; the last are all of them. */
function cumulative({ counts }: HistogramSlices): readonly Float64Array[] {
  const sums: Float64Array[] = [];
  for (const slices of counts) {
    const below = sums.at(-1);
    sums.push(below === undefined ? slices : slices.map((n, s) => n + (below[s] ?? 0)));
  }
  return sums;
}

/**
 * Share of observations at or below the quantile that a slice has too few, times the local width of the distribution.
 */
function influence(
  { uppers, counts }: HistogramSlices,
  running: readonly Float64Array[],
  totals: Float64Array,
  q: number,
): Float64Array {
  const all = sumOf(totals);
  let below = 0;
  let k = 0;
  while (k < totals.length - 1 && below + (totals[k] ?? 0) < q * all) below += totals[k++] ?? 0;
  const part = (totals[k] ?? 0) > 0 ? (q * all - below) / (totals[k] ?? 1) : 1;
  const lower = k === 0 ? Math.min(0, uppers[0] ?? 0) : (uppers[k - 1] ?? 0);
  const width = Number.isFinite(uppers[k] ?? Infinity) ? (uppers[k] ?? 0) - lower : Math.abs(lower);
  const observed = running.at(-1) ?? new Float64Array(0);
  const slope = (width / Math.max(1, totals[k] ?? 0)) * observed.length;
  const under = running[k - 1];
  const inside = counts[k];
  return observed.map((n, s) => (q * n - (under?.[s] ?? 0) - part * (inside?.[s] ?? 0)) * slope);
}

/** How much wider the long-run error is than that of independent blocks. */
function blockStretch(a: Float64Array, b: Float64Array, paired: boolean, long: ErrorOfMean): number {
  const own = paired
    ? blockVariance(a.map((x, s) => (b[s] ?? NaN) - x).slice(0, Math.min(a.length, b.length)))
    : blockVariance(a) + blockVariance(b);
  return own > 0 && Number.isFinite(long.se) ? Math.max(0.7, Math.min(8, long.se / Math.sqrt(own))) : 1;
}

/** Variance of the mean that resampling blocks gives. */
function blockVariance(values: Float64Array): number {
  const blocks = blockCuts(values.length);
  const k = blocks.length - 1;
  const mean = sumOf(values) / values.length;
  let squares = 0;
  for (let i = 0; i < k; i++) {
    let deviation = 0;
    for (let s = blocks[i] ?? 0; s < (blocks[i + 1] ?? 0); s++)
      deviation += Number.isNaN(values[s] ?? NaN) ? 0 : (values[s] ?? 0) - mean;
    squares += deviation ** 2;
  }
  return squares / values.length ** 2;
}

function blockCuts(n: number): number[] {
  const k = Math.max(1, Math.min(BLOCKS, n));
  return Array.from({ length: k + 1 }, (_, i) => Math.round((i * n) / k));
}

/** Standard deviations of the differences of linear quantiles over the resamples. */
function resample(a: HistogramSlices, b: HistogramSlices, paired: boolean, seed: number): Float64Array {
  const n = paired ? Math.min(a.observed.length, b.observed.length) : 0;
  const blocks = { a: blockSums(a, paired ? n : a.observed.length), b: blockSums(b, paired ? n : b.observed.length) };
  const draws = { a: drawsOf(blocks.a.length, seed), b: drawsOf(blocks.b.length, paired ? seed : seed + 1) };
  const differences = COMPARED_QUANTILES.map(() => new Spread());
  const totals = { a: new Float64Array(a.uppers.length), b: new Float64Array(b.uppers.length) };
  const [from, to] = [new Float64Array(COMPARED_QUANTILES.length), new Float64Array(COMPARED_QUANTILES.length)];
  for (let r = 0; r < REPLICATES; r++) {
    drawInto(totals.a, blocks.a, draws.a, r);
    drawInto(totals.b, blocks.b, draws.b, r);
    linearQuantiles(a.uppers, totals.a, from);
    linearQuantiles(b.uppers, totals.b, to);
    for (let i = 0; i < from.length; i++) {
      const difference = (to[i] ?? NaN) - (from[i] ?? NaN);
      if (!Number.isNaN(difference)) differences[i]?.add(difference);
    }
  }
  return Float64Array.from(differences, (spread) => spread.deviation);
}

/** `linearQuantile` of all COMPARED_QUANTILES in one pass: there are hundreds of thousands of resamples. */
export function linearQuantiles(uppers: Float64Array, totals: Float64Array, out: Float64Array): void {
  const last = uppers.length - 1;
  let all = 0;
  for (let b = 0; b <= last; b++) all += totals[b] ?? 0;
  let below = 0;
  let b = 0;
  for (let i = 0; i < COMPARED_QUANTILES.length; i++) {
    const rank = (COMPARED_QUANTILES[i]?.q ?? NaN) * all;
    while (b < last && below + (totals[b] ?? 0) < rank) below += totals[b++] ?? 0;
    const end = uppers[b] ?? NaN;
    const start = b === 0 ? 0 : (uppers[b - 1] ?? 0);
    if (!(all > 0)) out[i] = NaN;
    else if (b === last) out[i] = start;
    else out[i] = b === 0 && end <= 0 ? end : start + (end - start) * ((rank - below) / (totals[b] ?? 0));
  }
}

function blockSums({ counts }: HistogramSlices, n: number): Float64Array[] {
  const cuts = blockCuts(n);
  return cuts.slice(1).map((end, i) =>
    Float64Array.from(counts, (slices) => {
      let sum = 0;
      for (let s = cuts[i] ?? 0; s < end; s++) sum += numberOr0(slices[s]);
      return sum;
    }),
  );
}

function drawInto(totals: Float64Array, blocks: readonly Float64Array[], draws: Uint8Array, replicate: number): void {
  totals.fill(0);
  const k = blocks.length;
  for (let d = 0; d < k; d++) {
    const block = blocks[draws[replicate * k + d] ?? 0];
    if (block === undefined) continue;
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] ?? 0) + (block[i] ?? 0);
  }
}

const drawTables = new Map<string, Uint8Array>();

/**
 * Which blocks each resample takes: the same for every histogram, so that a result does not hang on the order they come
 * in.
 */
function drawsOf(blocks: number, seed: number): Uint8Array {
  const key = `${blocks} ${seed}`;
  let table = drawTables.get(key);
  if (table === undefined) {
    if (drawTables.size > 16) drawTables.clear();
    const random = uniform(seed);
    table = Uint8Array.from({ length: blocks * REPLICATES }, () => Math.floor(random() * blocks));
    drawTables.set(key, table);
  }
  return table;
}

/** Seeded uniform numbers in [0, 1) (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Running standard deviation (Welford 1962). */
class Spread {
  private n = 0;
  private mean = 0;
  private squares = 0;

  add(value: number): void {
    this.n++;
    const from = value - this.mean;
    this.mean += from / this.n;
    this.squares += from * (value - this.mean);
  }

  get deviation(): number {
    return this.n > 1 ? Math.sqrt(this.squares / (this.n - 1)) : NaN;
  }
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += numberOr0(value);
  return sum;
}

function numberOr0(value: number | undefined): number {
  return value === undefined || Number.isNaN(value) ? 0 : value;
}
