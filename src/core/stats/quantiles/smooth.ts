import { solveBanded } from "./cholesky.js";
import { CELLS, type Density, type Scale } from "./grid.js";

/** Cells per bucket on which the log-density is fitted; each is then split into CELLS / FITTED. */
const FITTED = 8;
const SPLIT = CELLS / FITTED;
const ROUNDS = 30;

/**
 * The smoothest density that explains the counts: log-density θ on fine cells, Poisson counts of the buckets they sum
 * to, and a penalty on the second differences of θ (penalised composite link model: Eilers 2007; Rizzi, Gampe and
 * Eilers 2015), solved by Fisher scoring.
 *
 * @param ends finite ends of successive buckets (buckets + 1, ascending).
 * @param totals observations per bucket, 0 where empty.
 * @param roughness weight of the penalty, in units of the mean bucket's width on the scale.
 * @returns one density per bucket.
 */
export function smoothDensities(ends: Float64Array, totals: Float64Array, scale: Scale, roughness: number): Density[] {
  const buckets = totals.length;
  const u = Float64Array.from(ends, (end) => scale.to(end));
  const unit = ((u[buckets] ?? 1) - (u[0] ?? 0)) / buckets;
  const n = buckets * FITTED;
  const width = new Float64Array(n);
  const center = new Float64Array(n);
  for (let b = 0; b < buckets; b++) {
    const from = (u[b] ?? 0) / unit;
    const step = ((u[b + 1] ?? 0) / unit - from) / FITTED;
    for (let k = 0; k < FITTED; k++) {
      width[b * FITTED + k] = step;
      center[b * FITTED + k] = from + (k + 0.5) * step;
    }
  }
  const penalty = curvaturePenalty(center, roughness);
  const theta = new Float64Array(n);
  for (let j = 0; j < n; j++)
    theta[j] = Math.log(((totals[Math.floor(j / FITTED)] ?? 0) + 0.3) / FITTED / (width[j] ?? 1));
  const band = FITTED;
  const matrix = new Float64Array(n * (band + 1));
  const step = new Float64Array(n);
  const expected = new Float64Array(n);
  for (let round = 0; round < ROUNDS; round++) {
    matrix.fill(0);
    for (let b = 0; b < buckets; b++) {
      let mu = 0;
      for (let j = b * FITTED; j < (b + 1) * FITTED; j++) {
        const e = (expected[j] = Math.exp(theta[j] ?? 0) * (width[j] ?? 0));
        mu += e;
      }
      const excess = (totals[b] ?? 0) / mu - 1;
      for (let j = b * FITTED; j < (b + 1) * FITTED; j++) {
        const e = expected[j] ?? 0;
        step[j] = excess * e;
        for (let k = b * FITTED; k <= j; k++) matrix[j * (band + 1) + (j - k)] = (e * (expected[k] ?? 0)) / mu;
      }
    }
    for (let j = 0; j < n; j++) {
      const at = j * (band + 1);
      for (let d = 0; d <= 2 && d <= j; d++) matrix[at + d] = (matrix[at + d] ?? 0) + (penalty[j * 3 + d] ?? 0);
      matrix[at] = (matrix[at] ?? 0) + 1e-9;
      let pull = (penalty[j * 3] ?? 0) * (theta[j] ?? 0);
      for (let d = 1; d <= 2; d++) {
        if (j >= d) pull += (penalty[j * 3 + d] ?? 0) * (theta[j - d] ?? 0);
        if (j + d < n) pull += (penalty[(j + d) * 3 + d] ?? 0) * (theta[j + d] ?? 0);
      }
      step[j] = (step[j] ?? 0) - pull;
    }
    solveBanded(matrix, step, band);
    let largest = 0;
    for (const d of step) largest = Math.max(largest, Math.abs(d));
    const damp = Math.min(1, 1.5 / largest);
    for (let j = 0; j < n; j++) theta[j] = (theta[j] ?? 0) + damp * (step[j] ?? 0);
    if (largest < 1e-3) break;
  }
  return Array.from(totals, (_, b) => refine(theta, center, u[b] ?? 0, u[b + 1] ?? 0, b, unit, scale));
}

/** Lower band (three diagonals) of roughness · Σ (second divided difference)² · spacing. */
function curvaturePenalty(center: Float64Array, roughness: number): Float64Array {
  const n = center.length;
  const penalty = new Float64Array(n * 3);
  const add = (row: number, column: number, value: number) => {
    penalty[row * 3 + row - column] = (penalty[row * 3 + row - column] ?? 0) + value;
  };
  for (let j = 1; j < n - 1; j++) {
    const before = (center[j] ?? 0) - (center[j - 1] ?? 0);
    const after = (center[j + 1] ?? 0) - (center[j] ?? 0);
    const span = (before + after) / 2;
    const [a, c] = [1 / (before * span), 1 / (after * span)];
    const b = -(a + c);
    const weight = roughness * span;
    add(j - 1, j - 1, weight * a * a);
    add(j, j - 1, weight * a * b);
    add(j, j, weight * b * b);
    add(j + 1, j - 1, weight * a * c);
    add(j + 1, j, weight * b * c);
    add(j + 1, j + 1, weight * c * c);
  }
  return penalty;
}

/** Splits a bucket's fitted cells, the log-density linear between their centres. */
function refine(
  theta: Float64Array,
  center: Float64Array,
  from: number,
  to: number,
  b: number,
  unit: number,
  scale: Scale,
): Density {
  const edges = new Float64Array(CELLS + 1);
  const mass = new Float64Array(CELLS);
  const step = (to - from) / CELLS;
  let total = 0;
  let highest = -Infinity;
  for (let j = b * FITTED; j < (b + 1) * FITTED; j++) highest = Math.max(highest, theta[j] ?? 0);
  for (let k = 0; k <= CELLS; k++)
    edges[k] = k === 0 ? scale.from(from) : k === CELLS ? scale.from(to) : scale.from(from + k * step);
  for (let k = 0; k < CELLS; k++) {
    const at = (from + (k + 0.5) * step) / unit;
    let j = b * FITTED + Math.floor(k / SPLIT);
    if (at < (center[j] ?? 0) && j > 0) j--;
    if (j > theta.length - 2) j = theta.length - 2;
    const share = (at - (center[j] ?? 0)) / ((center[j + 1] ?? 1) - (center[j] ?? 0));
    const log = (theta[j] ?? 0) + share * ((theta[j + 1] ?? 0) - (theta[j] ?? 0));
    const p = Math.exp(Math.min(50, log - highest));
    mass[k] = p;
    total += p;
  }
  for (let k = 0; k < CELLS; k++) mass[k] = (mass[k] ?? 0) / total;
  return { edges, mass };
}
