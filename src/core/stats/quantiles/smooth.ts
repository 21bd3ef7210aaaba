import { solveBanded } from "./cholesky.js";
import { CELLS, type Density, type Scale } from "./grid.js";

/** Cells per bucket on which the log-density is fitted; each is then split into CELLS / FITTED. */
const FITTED = 8;
const SPLIT = CELLS / FITTED;
const ROUNDS = 30;

/** What the fits over the same buckets have in common, whatever was observed: a run is fitted window by window. */
export interface Layout {
  readonly buckets: number;
  /** Of the fitted cells, on the scale. */
  readonly width: Float64Array;
  readonly penalty: Float64Array;
  /** First column of each row of the equations: a bucket's cells depend on each other, and on two cells before. */
  readonly first: Int32Array;
  /** Ends of the CELLS cells of each bucket's density, as values. */
  readonly edges: readonly Float64Array[];
  /** The fitted cell at or below each cell's centre, and how far it is to the next one. */
  readonly below: Int32Array;
  readonly beyond: Float64Array;
  /** Overwritten by each fit. */
  readonly scratch: { readonly matrix: Float64Array; readonly step: Float64Array; readonly expected: Float64Array };
}

/**
 * @param ends finite ends of successive buckets (buckets + 1, ascending).
 * @param roughness weight of the penalty, in units of the mean bucket's width on the scale.
 */
export function layoutOf(ends: Float64Array, scale: Scale, roughness: number): Layout {
  const buckets = ends.length - 1;
  const u = Float64Array.from(ends, (end) => scale.to(end));
  const unit = ((u[buckets] ?? 1) - (u[0] ?? 0)) / buckets;
  const n = buckets * FITTED;
  const width = new Float64Array(n);
  const center = new Float64Array(n);
  const first = new Int32Array(n);
  for (let b = 0; b < buckets; b++) {
    const from = (u[b] ?? 0) / unit;
    const step = ((u[b + 1] ?? 0) / unit - from) / FITTED;
    for (let k = 0; k < FITTED; k++) {
      width[b * FITTED + k] = step;
      center[b * FITTED + k] = from + (k + 0.5) * step;
      first[b * FITTED + k] = Math.max(0, b * FITTED + Math.min(0, k - 2));
    }
  }
  const below = new Int32Array(buckets * CELLS);
  const beyond = new Float64Array(buckets * CELLS);
  const edges = Array.from({ length: buckets }, (_, b) => {
    const [from, to] = [u[b] ?? 0, u[b + 1] ?? 0];
    const step = (to - from) / CELLS;
    for (let k = 0; k < CELLS; k++) {
      const at = (from + (k + 0.5) * step) / unit;
      let j = b * FITTED + Math.floor(k / SPLIT);
      if (at < (center[j] ?? 0) && j > 0) j--;
      if (j > n - 2) j = n - 2;
      below[b * CELLS + k] = j;
      beyond[b * CELLS + k] = (at - (center[j] ?? 0)) / ((center[j + 1] ?? 1) - (center[j] ?? 0));
    }
    return Float64Array.from({ length: CELLS + 1 }, (_, k) => scale.from(k === CELLS ? to : from + k * step));
  });
  const scratch = {
    matrix: new Float64Array(n * (FITTED + 1)),
    step: new Float64Array(n),
    expected: new Float64Array(n),
  };
  return { buckets, width, penalty: curvaturePenalty(center, roughness), first, edges, below, beyond, scratch };
}

/**
 * The smoothest density that explains the counts: log-density θ on fine cells, Poisson counts of the buckets they sum
 * to, and a penalty on the second differences of θ (penalised composite link model: Eilers 2007; Rizzi, Gampe and
 * Eilers 2015), solved by Fisher scoring.
 *
 * @param totals observations per bucket, 0 where empty.
 * @returns one density per bucket.
 */
export function smoothDensities(layout: Layout, totals: Float64Array): Density[] {
  const { buckets, width, penalty, first, edges } = layout;
  const { matrix, step, expected } = layout.scratch;
  const n = width.length;
  const theta = new Float64Array(n);
  for (let j = 0; j < n; j++)
    theta[j] = Math.log(((totals[Math.floor(j / FITTED)] ?? 0) + 0.3) / FITTED / (width[j] ?? 1));
  const band = FITTED;
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
    solveBanded(matrix, step, band, first);
    let largest = 0;
    for (let j = 0; j < n; j++) largest = Math.max(largest, Math.abs(step[j] ?? 0));
    const damp = Math.min(1, 1.5 / largest);
    for (let j = 0; j < n; j++) theta[j] = (theta[j] ?? 0) + damp * (step[j] ?? 0);
    if (largest < 1e-3) break;
  }
  return edges.map((own, b) => ({ edges: own, mass: refine(layout, theta, b) }));
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
function refine({ below, beyond }: Layout, theta: Float64Array, b: number): Float64Array {
  const mass = new Float64Array(CELLS);
  let total = 0;
  let highest = -Infinity;
  for (let j = b * FITTED; j < (b + 1) * FITTED; j++) highest = Math.max(highest, theta[j] ?? 0);
  for (let k = 0; k < CELLS; k++) {
    const j = below[b * CELLS + k] ?? 0;
    const log = (theta[j] ?? 0) + (beyond[b * CELLS + k] ?? 0) * ((theta[j + 1] ?? 0) - (theta[j] ?? 0));
    const p = Math.exp(Math.min(50, log - highest));
    mass[k] = p;
    total += p;
  }
  for (let k = 0; k < CELLS; k++) mass[k] = (mass[k] ?? 0) / total;
  return mass;
}
