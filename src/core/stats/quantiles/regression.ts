import { inverseOf } from "./cholesky.js";
import {
  normalEquations,
  solve,
  solveAlong,
  type Model,
  type NormalEquations,
  type WindowMoments,
} from "./normal-equations.js";
import { spectrumOf } from "./spectrum.js";

export interface Regression extends WindowMoments {
  /** Share of the variance that the observations of one interval have in common (intraclass correlation). */
  readonly shared: number;
}

/** How far the rows let means and variances depart from the smooth densities. */
export interface Departures {
  readonly kappa: number;
  readonly tau: number;
  readonly factor: number;
  readonly shared: number;
  /** Log marginal likelihood of the sums given the counts: compares priors for the same rows. */
  readonly evidence: number;
}

/**
 * The prior of a variance's factor is a beta prime around 1, φ^α / (1 + φ)^2α in log φ: it steadies a few rows, and
 * lets many that fit exactly say that there is no spread at all.
 */
const SPREAD_PRIOR = 3;
/** The same of one bucket's factor around the common one. */
const BUCKET_PRIOR = 4;
const KAPPAS = [0.06, 0.2, 0.6, 2];
const TAUS = [0, 0.5];
const SHARED = [0, 0.02, 0.1, 0.3, 0.7, 0.95];
const MIN_FACTOR = 1e-8;
/** A closed bucket's values cannot vary more than between its ends: three times an even spread. */
const MAX_FACTOR = 3;
const OPEN_ROUNDS = 4;
const FACTOR_ROUNDS = 12;
const SPREAD_ROUNDS = 3;

/**
 * The departures under which the rows are likeliest (empirical Bayes).
 *
 * @param relative variance factors of the buckets relative to each other (`openFactors`).
 */
export function likeliestDepartures(model: Model, relative: Float64Array): Departures {
  let best: Departures = { kappa: 1, tau: 0, factor: 1, shared: 0, evidence: -Infinity };
  for (const shared of SHARED) {
    const equations = normalEquations(model, relative, shared);
    const spectrum = spectrumOf(equations.matrix, equations.vector);
    let factor = 1;
    for (const tau of equations.windows > 1 ? TAUS : [0]) {
      for (const kappa of KAPPAS) {
        const fitted = () =>
          tau === 0 ? solveAlong(spectrum, equations, kappa, factor) : solve(equations, kappa, tau, factor);
        let fit = fitted();
        for (let round = 0; round < FACTOR_ROUNDS; round++) {
          const wanted =
            (fit.misfit + factor * (fit.freedom + 2 * SPREAD_PRIOR)) /
            (model.rows.length + (4 * SPREAD_PRIOR * factor) / (1 + factor));
          const next = Math.max(MIN_FACTOR, Math.min(MAX_FACTOR, wanted));
          const settled = Math.abs(Math.log(next / factor)) < 0.05;
          factor = next;
          fit = fitted();
          if (settled) break;
        }
        const prior = SPREAD_PRIOR * (Math.log(factor) - 2 * Math.log1p(factor));
        const evidence =
          prior - 0.5 * (model.rows.length * Math.log(factor) + equations.logVariance + fit.logdet + fit.explained);
        if (evidence > best.evidence) best = { kappa, tau, factor, shared, evidence };
      }
    }
  }
  return best;
}

/**
 * Mean and variance of each bucket's values from the rows: a row's sum is Σ count · mean, and its variance comes from
 * each observation and from what an interval's observations share (generalised least squares, with a random effect per
 * interval). A bucket's mean departs from its smooth prior by β standard deviations in all windows, plus δ in one
 * window for all its buckets (a drift within the buckets); β and δ are shrunk towards 0 by normal priors of κ and τ.
 * Each bucket's own variance follows from the residuals.
 *
 * @param some fewer rows of the same run, for the variances.
 */
export function regressMoments(
  all: Model,
  some: Model,
  departures: Departures,
  relative: Float64Array,
  open: readonly number[],
): Regression {
  const { prior } = all;
  const n = prior.buckets;
  const { kappa, tau, factor, shared } = departures;
  const anchor = relative.map((f) => f * factor);
  let factors: Float64Array = anchor;
  for (let round = 0; round < SPREAD_ROUNDS; round++) {
    const next = spreadFactors(some, normalEquations(some, factors, shared), factors, kappa, tau, shared, anchor);
    factors = next.map((f, a) => (open.includes(a) ? f : Math.min(MAX_FACTOR, f)));
  }
  const { beta, delta } = solve(normalEquations(all, factors, shared), kappa, tau, 1);
  // Written out: of a copy V8 knows no shape, and compiles what reads it again and again.
  return {
    windows: prior.windows,
    buckets: n,
    mean: prior.mean.map(
      (m, i) => m + Math.sqrt(prior.variance[i] ?? 0) * ((beta[i % n] ?? 0) + (delta[Math.floor(i / n)] ?? 0)),
    ),
    variance: prior.variance.map((v, i) => v * (factors[i % n] ?? 1)),
    shared,
  };
}

/** Variance factors of open buckets, whose smooth density knows little of their spread; 1 for the others. */
export function openFactors(model: Model, open: readonly number[]): Float64Array {
  const n = model.prior.buckets;
  const ones = new Float64Array(n).fill(1);
  let factors: Float64Array = ones;
  for (let round = 0; round < OPEN_ROUNDS && open.length > 0; round++) {
    const next = spreadFactors(model, normalEquations(model, factors, 0), factors, 1, 0, 0, ones);
    factors = ones.map((one, a) => (open.includes(a) ? Math.max(1e-6, next[a] ?? one) : one));
  }
  return factors;
}

/** One multiplicative step of each bucket's variance factor towards the likeliest, leaning on `anchor`. */
function spreadFactors(
  { rows, window, prior, batch }: Model,
  equations: NormalEquations,
  factors: Float64Array,
  kappa: number,
  tau: number,
  shared: number,
  anchor: Float64Array,
): Float64Array {
  const n = prior.buckets;
  const sd = prior.variance.map(Math.sqrt);
  const fit = solve(equations, kappa, tau, 1);
  // Of β with δ as it is: what δ takes from β it gives back in the row's mean.
  const covariance = inverseOf(solve(equations, kappa, 0, 1).factorised, n).map((value) => value * kappa * kappa);
  const seen = new Float64Array(n).fill(2 * BUCKET_PRIOR);
  const expected = factors.map((factor, a) => (4 * BUCKET_PRIOR * factor) / ((anchor[a] ?? 1) + factor));
  const root = factors.map(Math.sqrt);
  const d = new Float64Array(n);
  for (let r = 0; r < rows.length; r++) {
    const from = rows.start[r] ?? 0;
    const to = rows.start[r + 1] ?? 0;
    const at = (window[r] ?? 0) * n;
    let rest = rows.sum[r] ?? 0;
    let own = 0;
    let common = 0;
    let uncertain = 0;
    for (let e = from; e < to; e++) {
      const a = rows.bucket[e] ?? 0;
      const c = rows.count[e] ?? 0;
      const s = sd[at + a] ?? 0;
      rest -= c * ((prior.mean[at + a] ?? 0) + s * ((fit.beta[a] ?? 0) + (fit.delta[window[r] ?? 0] ?? 0)));
      own += c * s * s * (factors[a] ?? 1);
      common += c * s * (root[a] ?? 1);
      const da = (d[e - from] = c * s);
      let half = 0;
      for (let f = from; f < e; f++) half += (d[f - from] ?? 0) * (covariance[a * n + (rows.bucket[f] ?? 0)] ?? 0);
      uncertain += da * (2 * half + da * (covariance[a * n + a] ?? 0));
    }
    const variance = Math.max((1 - shared) * batch * own + shared * common * common + (rows.noise[r] ?? 0), 1e-290);
    const ratio = (rest * rest + uncertain) / variance;
    for (let e = from; e < to; e++) {
      const a = rows.bucket[e] ?? 0;
      const da = (d[e - from] ?? 0) * (root[a] ?? 1);
      const part = ((1 - shared) * batch * da * (sd[at + a] ?? 0) * (root[a] ?? 1) + shared * da * common) / variance;
      seen[a] = (seen[a] ?? 0) + part * ratio;
      expected[a] = (expected[a] ?? 0) + part;
    }
  }
  return factors.map((factor, a) => Math.max(MIN_FACTOR, factor * ((seen[a] ?? 1) / (expected[a] ?? 1))));
}
