import { applyInverse, factorise, type Factorised } from "./cholesky.js";
import type { Rows } from "./rows.js";
import type { Spectrum } from "./spectrum.js";

/** Mean and variance of every bucket in every time window: `mean[w · buckets + a]`. */
export interface WindowMoments {
  readonly windows: number;
  readonly buckets: number;
  readonly mean: Float64Array;
  readonly variance: Float64Array;
}

/** Rows, the time window of each, and what the smooth densities say of every window's buckets. */
export interface Model {
  readonly rows: Rows;
  readonly window: Int32Array;
  readonly prior: WindowMoments;
  /** Observations that come as one: by how much the variance of a row's sum is larger than of independent ones. */
  readonly batch: number;
}

/**
 * With d a row's counts times its standard deviations, D their sum, y what the prior means leave of its sum and V its
 * variance.
 */
export interface NormalEquations {
  readonly buckets: number;
  readonly windows: number;
  /** Σ d d' / V, row-major; Σ d y / V; Σ y² / V; Σ log V. */
  readonly matrix: Float64Array;
  readonly vector: Float64Array;
  readonly square: number;
  readonly logVariance: number;
  /** Per window: Σ D² / V, Σ D y / V and Σ D d / V. */
  readonly weight: Float64Array;
  readonly pull: Float64Array;
  readonly cross: Float64Array;
}

/**
 * Sums up a system's rows.
 * @param factors by which each bucket's variance is multiplied
 * @param shared part of a row's variance that its observations have in common, 0 to 1
 */
export function normalEquations(
  { rows, window, prior, batch }: Model,
  factors: Float64Array,
  shared: number,
): NormalEquations {
  const n = prior.buckets;
  const sd = prior.variance.map(Math.sqrt);
  const matrix = new Float64Array(n * n);
  const vector = new Float64Array(n);
  const weight = new Float64Array(prior.windows);
  const pull = new Float64Array(prior.windows);
  const cross = new Float64Array(prior.windows * n);
  const root = factors.map(Math.sqrt);
  const d = new Float64Array(n);
  let square = 0;
  let logVariance = 0;
  for (let r = 0; r < rows.length; r++) {
    const from = rows.start[r] ?? 0;
    const to = rows.start[r + 1] ?? 0;
    const w = window[r] ?? 0;
    const at = w * n;
    let rest = rows.sum[r] ?? 0;
    let own = 0;
    let common = 0;
    let all = 0;
    for (let e = from; e < to; e++) {
      const a = rows.bucket[e] ?? 0;
      const c = rows.count[e] ?? 0;
      const s = sd[at + a] ?? 0;
      rest -= c * (prior.mean[at + a] ?? 0);
      d[e - from] = c * s;
      all += c * s;
      own += c * s * s * (factors[a] ?? 1);
      common += c * s * (root[a] ?? 1);
    }
    const variance = Math.max((1 - shared) * batch * own + shared * common * common + (rows.noise[r] ?? 0), 1e-290);
    const precision = 1 / variance;
    square += rest * rest * precision;
    logVariance += Math.log(variance);
    weight[w] = (weight[w] ?? 0) + all * all * precision;
    pull[w] = (pull[w] ?? 0) + all * rest * precision;
    for (let e = from; e < to; e++) {
      const a = rows.bucket[e] ?? 0;
      const wd = precision * (d[e - from] ?? 0);
      vector[a] = (vector[a] ?? 0) + wd * rest;
      cross[at + a] = (cross[at + a] ?? 0) + wd * all;
      const line = a * n;
      for (let f = from; f <= e; f++) {
        const cell = line + (rows.bucket[f] ?? 0);
        matrix[cell] = (matrix[cell] ?? 0) + wd * (d[f - from] ?? 0);
      }
    }
  }
  for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) matrix[b * n + a] = matrix[a * n + b] ?? 0;
  return { buckets: n, windows: prior.windows, matrix, vector, square, logVariance, weight, pull, cross };
}

/** How well a posterior explains the rows. */
export interface Explained {
  /** Of the posterior's precision over the prior's. */
  readonly logdet: number;
  /** Σ residual² / V, without the factor. */
  readonly misfit: number;
  /** What the marginal likelihood has in place of the misfit. */
  readonly explained: number;
  /** Parameters that the rows, not the priors, decide. */
  readonly freedom: number;
}

export interface Solution extends Explained {
  readonly beta: Float64Array;
  readonly delta: Float64Array;
  /** Of the precision of β in units of κ; δ eliminated. */
  readonly factorised: Factorised;
}

/**
 * As `solve` without δ (τ = 0), along the eigenvectors of the equations: one decomposition serves every κ and factor.
 */
export function solveAlong(
  { values, squares }: Spectrum,
  { square }: NormalEquations,
  kappa: number,
  factor: number,
): Explained {
  const k2 = kappa * kappa;
  const ratio = k2 / factor;
  let logdet = 0;
  let freedom = 0;
  let met = 0;
  let penalty = 0;
  for (let i = 0; i < values.length; i++) {
    const gain = ratio * (values[i] ?? 0);
    const step = ratio / (1 + gain);
    const part = (squares[i] ?? 0) * step;
    logdet += Math.log1p(gain);
    freedom += gain / (1 + gain);
    met += part;
    penalty += (part * step) / k2;
  }
  const misfit = Math.max(0, square - met - penalty * factor);
  return { logdet, misfit, explained: penalty + misfit / factor, freedom };
}

/** Posterior of β and δ when the rows' variances are `factor` times those of the equations; δ is eliminated first. */
export function solve(equations: NormalEquations, kappa: number, tau: number, factor: number): Solution {
  const { buckets: n, windows, weight, pull, cross } = equations;
  const k2 = kappa * kappa;
  const matrix = Float64Array.from(equations.matrix);
  const vector = Float64Array.from(equations.vector);
  let square = equations.square;
  let logdet = 0;
  let freedom = 0;
  const t2 = tau * tau;
  for (let w = 0; w < windows && tau > 0; w++) {
    const p = weight[w] ?? 0;
    const q = pull[w] ?? 0;
    const gain = 1 / (p + factor / t2);
    logdet += Math.log1p((t2 * p) / factor);
    freedom += p * gain;
    square -= q * q * gain;
    for (let a = 0; a < n; a++) {
      const c = (cross[w * n + a] ?? 0) * gain;
      if (c === 0) continue;
      vector[a] = (vector[a] ?? 0) - c * q;
      // The lower triangle is all that is factorised.
      for (let b = 0; b <= a; b++) matrix[a * n + b] = (matrix[a * n + b] ?? 0) - c * (cross[w * n + b] ?? 0);
    }
  }
  const ratio = k2 / factor;
  for (let i = 0; i < matrix.length; i++) matrix[i] = (matrix[i] ?? 0) * ratio;
  for (let a = 0; a < n; a++) matrix[a * n + a] = (matrix[a * n + a] ?? 0) + 1;
  const factorised = factorise(matrix, n);
  const beta = applyInverse(factorised, vector);
  for (let a = 0; a < n; a++) beta[a] = (beta[a] ?? 0) * ratio;
  // n less the trace of the inverse, which is the sum of squares of its root.
  freedom += n;
  for (const value of factorised.root) freedom -= value * value;
  const delta = new Float64Array(windows);
  let penalty = dot(beta, beta) / k2;
  for (let w = 0; w < windows && tau > 0; w++) {
    let rest = pull[w] ?? 0;
    for (let a = 0; a < n; a++) rest -= (cross[w * n + a] ?? 0) * (beta[a] ?? 0);
    const value = rest / ((weight[w] ?? 0) + factor / t2);
    delta[w] = value;
    penalty += (value * value) / t2;
  }
  // A near-perfect fit is a difference of nearly equal numbers, which must not fall below what the priors cost.
  const misfit = Math.max(0, square - dot(beta, vector) - penalty * factor);
  return {
    beta,
    delta,
    factorised,
    logdet: logdet + factorised.logdet,
    misfit,
    explained: penalty + misfit / factor,
    freedom,
  };
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
