import { NS_PER_SECOND } from "../../model/index.js";
import { applyInverse, factorise, inverseOf } from "./cholesky.js";
import type { WindowMoments } from "./normal-equations.js";
import { sampleRows, type ActiveBuckets, type Rows } from "./rows.js";

/** Fewer intervals tell too little of how values move with the load. */
const MIN_ROWS = 20;
/** Rows that moments are found from. */
const MAX_ROWS = 800;
/** Below these a series is not taken for batched: requests under way, design effect, and that in requests under way. */
const MIN_LEVEL = 1.2;
const MIN_EFFECT = 1.7;
const MIN_SHARE = 0.6;
/** Share of all observations from which a bucket's mean may move with the load. */
const DRIFTING = 0.02;
/** How far means depart from the smooth density, and move with the load, in standard deviations of their buckets. */
const MEAN_PRIOR = 0.7;
const DRIFT_PRIOR = 0.2;
const MIN_SIGNAL = 0.02;
/** Pseudo-steps of the smooth density's variance, each way: the beta prime prior of `regression.ts`. */
const SPREAD_PRIOR = 4;
const MIN_FACTOR = 1e-4;
/** A closed bucket's values cannot vary more than between its ends: three times an even spread. */
const MAX_FACTOR = 3;
const ROUNDS = 6;

/** Requests under way in each row, and which part of how they vary is not chance. */
export interface Concurrency {
  readonly level: Float64Array;
  readonly signal: number;
}

/** Values of a second: sums are in seconds, or in milliseconds where not even the first bound lies within one. */
const SECONDS = [1];
const SECONDS_OR_MILLISECONDS = [1, 1000];

/**
 * Latencies of which each follows on the one before, such as those between tokens, sum up to the requests under way
 * times the time that passes (Little 1961). Where the counts vary as if that many observations came as one, each step
 * of the server serves all requests under way. Sums in milliseconds would be a thousand times as many requests.
 *
 * @param first the smallest positive bound
 * @returns undefined where observations do not come so
 */
export function batchConcurrency(rows: Rows, effect: number, first: number): Concurrency | undefined {
  if (rows.length < MIN_ROWS || effect < MIN_EFFECT) return undefined;
  for (const ofSecond of first >= 1 ? SECONDS_OR_MILLISECONDS : SECONDS) {
    const found = concurrencyIn(rows, effect, ofSecond);
    if (found !== undefined) return found;
  }
  return undefined;
}

function concurrencyIn(rows: Rows, effect: number, ofSecond: number): Concurrency | undefined {
  const level = new Float64Array(rows.length);
  let [all, first, second, jumps] = [0, 0, 0, 0];
  for (let r = 0; r < rows.length; r++) {
    const size = rows.size[r] ?? 0;
    const k = (level[r] = Math.max(1, ((rows.sum[r] ?? 0) * (NS_PER_SECOND / ofSecond)) / (rows.span[r] ?? 0)));
    all += size;
    first += size * k;
    second += size * k * k;
    if (r > 0) jumps += (k - (level[r - 1] ?? 0)) ** 2 / (rows.length - 1) / 2;
  }
  const mean = first / all;
  if (!(mean > MIN_LEVEL && effect > MIN_SHARE * mean)) return undefined;
  return { level, signal: Math.max(MIN_SIGNAL, 1 - jumps / Math.max(second / all - mean * mean, 1e-12)) };
}

/** A row as an equation: what the prior leaves of the sum of its steps, and how that depends on the parameters. */
interface Equation {
  rest: number;
  variance: number;
  length: number;
  /** Parameter and factor of each term. */
  readonly at: Int32Array;
  readonly factor: Float64Array;
}

/**
 * Mean and variance of each bucket's values where each step gives as many equal ones as there are requests under way:
 * counts and sums over those are steps, independent of each other. A bucket's mean moves with the requests under way
 * (a line and its bend), or intervals with more of them, which have other buckets too, would bias it. Bayesian linear
 * regression; the variances follow from the residuals.
 */
export function batchedMoments(
  run: Rows,
  { level: levels, signal }: Concurrency,
  active: ActiveBuckets,
  prior: WindowMoments,
): Pick<WindowMoments, "mean" | "variance"> {
  const { rows, picked } = sampleRows(run, MAX_ROWS);
  const level = Float64Array.from(picked, (r) => levels[r] ?? 1);
  const load = standardise(rows, level);
  const n = prior.buckets;
  const sd = prior.variance.map(Math.sqrt);
  const all = active.total.reduce((sum, total) => sum + total, 0);
  const drifting = Array.from(active.total.keys()).filter((a) => (active.total[a] ?? 0) >= DRIFTING * all);
  const size = n + 2 * drifting.length;
  const drift = Int32Array.from({ length: n }, (_, a) => (drifting.includes(a) ? n + 2 * drifting.indexOf(a) : -1));
  const spread = new Float64Array(n).fill(1);
  const equation: Equation = {
    rest: 0,
    variance: 0,
    length: 0,
    at: new Int32Array(3 * n),
    factor: new Float64Array(3 * n),
  };
  const read = (r: number) => {
    const k = level[r] ?? 1;
    const z = load[r] ?? 0;
    equation.rest = (rows.sum[r] ?? 0) / k;
    equation.variance = Math.max((rows.noise[r] ?? 0) / (k * k), 1e-290);
    equation.length = 0;
    const add = (at: number, factor: number) => {
      equation.at[equation.length] = at;
      equation.factor[equation.length++] = factor;
    };
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
      const a = rows.bucket[e] ?? 0;
      const steps = (rows.count[e] ?? 0) / k;
      const s = sd[a] ?? 0;
      const at = drift[a] ?? -1;
      equation.rest -= steps * (prior.mean[a] ?? 0);
      equation.variance += steps * s * s * (spread[a] ?? 1);
      add(a, steps * s);
      if (at < 0) continue;
      add(at, steps * s * z);
      add(at + 1, steps * s * (z * z - 1));
    }
  };
  const driftPrior = DRIFT_PRIOR * signal;
  let parameters: Float64Array = new Float64Array(size);
  for (let round = 0; ; round++) {
    const matrix = new Float64Array(size * size);
    const vector = new Float64Array(size);
    for (let r = 0; r < rows.length; r++) {
      read(r);
      addEquation(equation, matrix, vector);
    }
    for (let i = 0; i < size; i++)
      matrix[i * size + i] = (matrix[i * size + i] ?? 0) + 1 / (i < n ? MEAN_PRIOR : driftPrior) ** 2;
    const factorised = factorise(matrix, size);
    parameters = applyInverse(factorised, vector);
    if (round === ROUNDS) break;
    const covariance = inverseOf(factorised, size);
    const seen = new Float64Array(n).fill(2 * SPREAD_PRIOR);
    const expected = spread.map((factor) => (4 * SPREAD_PRIOR * factor) / (1 + factor));
    for (let r = 0; r < rows.length; r++) {
      read(r);
      const ratio = misfit(equation, parameters, covariance) / equation.variance;
      for (let i = 0; i < equation.length; i++) {
        const a = equation.at[i] ?? 0;
        if (a >= n) continue;
        const part = ((equation.factor[i] ?? 0) * (sd[a] ?? 0) * (spread[a] ?? 1)) / equation.variance;
        seen[a] = (seen[a] ?? 0) + part * ratio;
        expected[a] = (expected[a] ?? 0) + part;
      }
    }
    for (let a = 0; a < n; a++) {
      const factor = (spread[a] ?? 1) * ((seen[a] ?? 1) / (expected[a] ?? 1));
      spread[a] = Math.max(MIN_FACTOR, active.upper[a] === Infinity ? factor : Math.min(MAX_FACTOR, factor));
    }
  }
  const shifts = shiftMoments(rows, load, drift, parameters);
  return {
    mean: prior.mean.map((mean, a) => mean + (sd[a] ?? 0) * (shifts.mean[a] ?? 0)),
    variance: prior.variance.map((variance, a) => variance * ((spread[a] ?? 1) + (shifts.variance[a] ?? 0))),
  };
}

/** Requests under way less their mean over all observations, in standard deviations. */
function standardise(rows: Rows, level: Float64Array): Float64Array {
  let [all, first, second] = [0, 0, 0];
  for (let r = 0; r < rows.length; r++) {
    const [size, k] = [rows.size[r] ?? 0, level[r] ?? 1];
    all += size;
    first += size * k;
    second += size * k * k;
  }
  const mean = first / all;
  const deviation = Math.sqrt(Math.max(second / all - mean * mean, 1e-12));
  return level.map((k) => (k - mean) / deviation);
}

function addEquation(
  { rest, variance, length, at, factor }: Equation,
  matrix: Float64Array,
  vector: Float64Array,
): void {
  for (let i = 0; i < length; i++) {
    const row = at[i] ?? 0;
    const line = row * vector.length;
    const weighted = (factor[i] ?? 0) / variance;
    vector[row] = (vector[row] ?? 0) + weighted * rest;
    // The lower triangle is all that is factorised.
    for (let j = 0; j < length; j++) {
      const column = at[j] ?? 0;
      if (column <= row) matrix[line + column] = (matrix[line + column] ?? 0) + weighted * (factor[j] ?? 0);
    }
  }
}

/** Expected square of what the parameters leave of an equation. */
function misfit({ rest, length, at, factor }: Equation, parameters: Float64Array, covariance: Float64Array): number {
  let left = rest;
  let uncertain = 0;
  for (let i = 0; i < length; i++) {
    const line = (at[i] ?? 0) * parameters.length;
    left -= (factor[i] ?? 0) * (parameters[at[i] ?? 0] ?? 0);
    for (let j = 0; j < length; j++)
      uncertain += (factor[i] ?? 0) * (factor[j] ?? 0) * (covariance[line + (at[j] ?? 0)] ?? 0);
  }
  return left * left + uncertain;
}

/** Mean and variance, over each bucket's observations, of its mean's distance from the prior in standard deviations. */
function shiftMoments(rows: Rows, load: Float64Array, drift: Int32Array, parameters: Float64Array) {
  const n = drift.length;
  const count = new Float64Array(n);
  const mean = new Float64Array(n);
  const square = new Float64Array(n);
  for (let r = 0; r < rows.length; r++) {
    const z = load[r] ?? 0;
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
      const a = rows.bucket[e] ?? 0;
      const c = rows.count[e] ?? 0;
      const at = drift[a] ?? -1;
      const moved = at < 0 ? 0 : z * (parameters[at] ?? 0) + (z * z - 1) * (parameters[at + 1] ?? 0);
      const shift = (parameters[a] ?? 0) + moved;
      count[a] = (count[a] ?? 0) + c;
      mean[a] = (mean[a] ?? 0) + c * shift;
      square[a] = (square[a] ?? 0) + c * shift * shift;
    }
  }
  for (let a = 0; a < n; a++) {
    const seen = Math.max(count[a] ?? 0, 1e-9);
    mean[a] = (mean[a] ?? 0) / seen;
    square[a] = Math.max(0, (square[a] ?? 0) / seen - (mean[a] ?? 0) ** 2);
  }
  return { mean, variance: square };
}
