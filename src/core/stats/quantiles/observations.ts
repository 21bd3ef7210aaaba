import type { Steps } from "../steps.js";
import { CELLS, cellOf, densityAt, moments, type Density } from "./grid.js";
import type { Pool } from "./pool.js";
import type { Regression } from "./regression.js";
import { ROWS_A_STEP, sampleRows, type ActiveBuckets, type Rows } from "./rows.js";
import { tilt } from "./tilt.js";

/** Share of a row's variance from which an observation is looked at by itself. */
const INFORMATIVE = 0.15;
/** Rows looked at per bucket and round; of more, every second, third, … */
const MAX_ROWS = 200;
const ROUNDS = 2;
/** Rows that the rounds before the last learn from. */
const LEARNING_ROWS = 400;
/** Pseudo-observations of the smooth density in what the pooled ones say of a bucket's shape. */
const SHAPE_PRIOR = 8;

/**
 * The values behind the rows, in expectation: an observation alone in its row is exact; where the others of a row leave
 * little room, its posterior is density · probability that the others make up the rest of the sum; all else keeps its
 * bucket's density, moved to the mean that the rows' residuals leave for it. The densities follow from the posteriors
 * (expectation-maximisation: Dempster, Laird and Rubin 1977), so a few rounds are made.
 *
 * @param shapes `shapes[w · buckets + a]`, with the moments of `fit`.
 */
export function* poolObservations(
  rows: Rows,
  window: Int32Array,
  active: ActiveBuckets,
  shapes: readonly Density[],
  fit: Regression,
): Steps<Pool[]> {
  const some = sampleRows(rows, LEARNING_ROWS);
  const windowOfSome = Int32Array.from(some.picked, (r) => window[r] ?? 0);
  let posteriors = shapes.map((density) => new BucketPosterior(density));
  for (let round = 1; round <= ROUNDS; round++) {
    countInformative(some.rows, windowOfSome, posteriors, fit);
    if (round === ROUNDS) {
      const factor = rows.length / Math.max(1, some.rows.length);
      for (const own of posteriors) own.informative *= factor;
      yield* observeRows(rows, window, active, posteriors, fit);
    } else {
      yield* observeRows(some.rows, windowOfSome, active, posteriors, fit);
      posteriors = posteriors.map((own, i) => new BucketPosterior(learn(own, shapes[i] ?? own.density)));
    }
  }
  const pools: Pool[] = [];
  for (let a = 0; a < active.index.length; a++) {
    pools.push(
      gather(
        posteriors.filter((_, i) => i % fit.buckets === a),
        a,
        active,
      ),
    );
    yield;
  }
  return pools;
}

/** What one round sees of one bucket in one window. */
class BucketPosterior {
  readonly mean: number;
  readonly variance: number;
  readonly atoms: number[] = [];
  readonly weights: number[] = [];
  readonly posterior = new Float64Array(CELLS);
  /** Observations that tell nothing of their own, and the sum of their expected distances from the mean. */
  uninformative = 0;
  shift = 0;
  informative = 0;
  seen = 0;

  constructor(readonly density: Density) {
    const m = moments(density);
    this.mean = m.mean;
    this.variance = m.variance;
  }
}

function learn(own: BucketPosterior, prior: Density): Density {
  const mass = Float64Array.from(own.posterior);
  own.atoms.forEach((x, i) => {
    const k = cellOf(prior.edges, x);
    mass[k] = (mass[k] ?? 0) + (own.weights[i] ?? 0);
  });
  let total = SHAPE_PRIOR;
  for (const p of mass) total += p;
  return { edges: prior.edges, mass: mass.map((p, k) => (p + SHAPE_PRIOR * (prior.mass[k] ?? 0)) / total) };
}

/** Moments and ends of every own, side by side: what the passes over the rows read. */
interface Stand {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
  readonly sd: Float64Array;
  readonly bottom: Float64Array;
  readonly top: Float64Array;
}

function standOf(posteriors: readonly BucketPosterior[]): Stand {
  return {
    mean: Float64Array.from(posteriors, (own) => own.mean),
    variance: Float64Array.from(posteriors, (own) => own.variance),
    sd: Float64Array.from(posteriors, (own) => Math.sqrt(own.variance)),
    bottom: Float64Array.from(posteriors, (own) => own.density.edges[0] ?? 0),
    top: Float64Array.from(posteriors, (own) => own.density.edges[CELLS] ?? 0),
  };
}

/** What a pass over the rows reads and writes. */
interface Pass {
  readonly rows: Rows;
  /** Of each row. */
  readonly window: Int32Array;
  readonly active: ActiveBuckets;
  readonly posteriors: readonly BucketPosterior[];
  readonly fit: Regression;
  readonly stand: Stand;
  /** Of the row that is looked at. */
  readonly row: RowMoments;
  /** Of the observation that is looked at, by the cells of its density. */
  readonly posterior: Float64Array;
}

/**
 * Each step has a function of its own: V8 compiled all of them in one generator eleven times while two runs of an hour
 * were compared, and half as much code again.
 */
function* observeRows(
  rows: Rows,
  window: Int32Array,
  active: ActiveBuckets,
  posteriors: readonly BucketPosterior[],
  fit: Regression,
): Steps<void> {
  const stand = standOf(posteriors);
  const row: RowMoments = { mean: 0, variance: 0, common: 0, least: 0, most: 0 };
  const posterior = new Float64Array(CELLS);
  const pass: Pass = { rows, window, active, posteriors, fit, stand, row, posterior };
  for (let from = 0; from < rows.length; from += ROWS_A_STEP) {
    if (from > 0) yield;
    observeStretch(pass, from, Math.min(rows.length, from + ROWS_A_STEP));
  }
}

function observeStretch(pass: Pass, from: number, to: number): void {
  for (let r = from; r < to; r++) observeRow(pass, r);
}

function observeRow(pass: Pass, r: number): void {
  const { rows, window, posteriors, fit, stand, row } = pass;
  const at = (window[r] ?? 0) * fit.buckets;
  const from = rows.start[r] ?? 0;
  const to = rows.start[r + 1] ?? 0;
  if (rows.size[r] === 1) {
    const own = posteriors[at + (rows.bucket[from] ?? 0)];
    own?.atoms.push(rows.sum[r] ?? 0);
    own?.weights.push(1);
    return;
  }
  rowMoments(rows, r, at, stand, fit.shared, row);
  for (let e = from; e < to; e++) observeEntry(pass, r, at, e);
}

/** The observations of one bucket in a row of several. @param at place of the row's window among the posteriors */
function observeEntry(
  { rows, active, posteriors, fit, stand, row, posterior }: Pass,
  r: number,
  at: number,
  e: number,
) {
  const { shared, windows } = fit;
  const a = rows.bucket[e] ?? 0;
  const c = rows.count[e] ?? 0;
  const sum = rows.sum[r] ?? 0;
  const own = posteriors[at + a];
  if (own === undefined) return;
  const slope = slopeOf(stand.sd[at + a] ?? 0, row.common, shared);
  const variance = stand.variance[at + a] ?? 0;
  if (!(variance * slope * slope >= INFORMATIVE * row.variance) || row.variance === 0) {
    own.uninformative += c;
    own.shift += row.variance > 0 ? (c * variance * slope * (sum - row.mean)) / row.variance : 0;
    return;
  }
  const stride = Math.max(1, Math.ceil((own.informative * windows) / MAX_ROWS));
  if (own.seen++ % stride !== 0) return;
  // What the sum leaves for this one, when the others move along with it by what an interval's observations share.
  const target = own.mean + (sum - row.mean) / slope;
  const rest = Math.max(0, row.variance - variance * slope * slope) / (slope * slope);
  const { edges } = own.density;
  const near = cellOf(edges, target);
  const width = (edges[near + 1] ?? 0) - (edges[near] ?? 0);
  if (rest < 0.04 * width * width) {
    own.atoms.push(Math.max(active.lower[a] ?? -Infinity, Math.min(active.upper[a] ?? Infinity, target)));
    own.weights.push(c * stride);
    return;
  }
  const [from, to] = [rows.start[r] ?? 0, rows.start[r + 1] ?? 0];
  const other =
    rows.size[r] === 2 && shared < 0.05
      ? posteriors[at + (rows.bucket[e === from && c === 1 ? to - 1 : from] ?? 0)]?.density
      : undefined;
  const lowest = sum - (row.most - (stand.top[at + a] ?? 0));
  const highest = sum - (row.least - (stand.bottom[at + a] ?? 0));
  let total = cellsLeft(own.density, { lowest, highest, target, rest, other, sum }, posterior);
  // What observations share moves all of them alike: their posteriors' means must then make up the sum, whatever the
  // density.
  if (total > 0 && shared >= SHARING)
    total = tiltTo(posterior, edges, own.mean + (variance * slope * (sum - row.mean)) / row.variance);
  if (total > 0) addScaled(own.posterior, (c * stride) / total, posterior);
  else own.uninformative += c * stride;
}

/** What a row leaves for one of its observations. */
interface Left {
  readonly lowest: number;
  readonly highest: number;
  /** The others make up the rest of the sum, about normal around this value, with this variance. */
  readonly target: number;
  readonly rest: number;
  /** There is but one other, and the sum of both. */
  readonly other: Density | undefined;
  readonly sum: number;
}

/** Density · probability of what the others then are. @returns the mass of all cells */
function cellsLeft({ edges, mass }: Density, left: Left, out: Float64Array): number {
  const { lowest, highest, target, rest, other, sum } = left;
  let total = 0;
  for (let k = 0; k < CELLS; k++) {
    const bottom = edges[k] ?? 0;
    const top = edges[k + 1] ?? 0;
    const start = Math.max(bottom, lowest);
    const end = Math.min(top, highest);
    let p = 0;
    if (end > start) {
      const x = (start + end) / 2;
      p =
        (((mass[k] ?? 0) * (end - start)) / (top - bottom)) *
        (other === undefined ? Math.exp((-0.5 * (x - target) * (x - target)) / rest) : densityAt(other, sum - x));
    }
    out[k] = p;
    total += p;
  }
  return total;
}

function addScaled(out: Float64Array, factor: number, cells: Float64Array): void {
  for (let k = 0; k < CELLS; k++) out[k] = (out[k] ?? 0) + factor * (cells[k] ?? 0);
}

/** Shared part of the variance from which posteriors are fixed to the sum. */
const SHARING = 0.25;
const LEANING_ROUNDS = 4;

/** Tilts a posterior in place by exp(a·x) so that its mean is `mean`, by Newton steps. Returns its mass. */
function tiltTo(posterior: Float64Array, edges: Float64Array, mean: number): number {
  let total = 0;
  for (let round = 0; ; round++) {
    total = 0;
    let first = 0;
    let second = 0;
    for (let k = 0; k < CELLS; k++) {
      const x = ((edges[k] ?? 0) + (edges[k + 1] ?? 0)) / 2 - mean;
      const p = posterior[k] ?? 0;
      total += p;
      first += p * x;
      second += p * x * x;
    }
    const variance = second / total - (first / total) ** 2;
    if (round === LEANING_ROUNDS || !(variance > 0)) return total;
    // At most to and fro by two standard deviations at once: beyond, a step knows too little of the shape.
    const miss = Math.max(-2, Math.min(2, -first / total / Math.sqrt(variance)));
    const a = miss / Math.sqrt(variance);
    for (let k = 0; k < CELLS; k++) {
      const x = ((edges[k] ?? 0) + (edges[k + 1] ?? 0)) / 2 - mean;
      posterior[k] = (posterior[k] ?? 0) * Math.exp(Math.max(-50, Math.min(50, a * x)));
    }
  }
}

interface RowMoments {
  mean: number;
  variance: number;
  /** Σ count · standard deviation. */
  common: number;
  least: number;
  most: number;
}

function rowMoments(rows: Rows, r: number, at: number, stand: Stand, shared: number, out: RowMoments): void {
  let mean = 0;
  let own = 0;
  let common = 0;
  let least = 0;
  let most = 0;
  const to = rows.start[r + 1] ?? 0;
  for (let e = rows.start[r] ?? 0; e < to; e++) {
    const i = at + (rows.bucket[e] ?? 0);
    const c = rows.count[e] ?? 0;
    mean += c * (stand.mean[i] ?? 0);
    own += c * (stand.variance[i] ?? 0);
    common += c * (stand.sd[i] ?? 0);
    least += c * (stand.bottom[i] ?? 0);
    most += c * (stand.top[i] ?? 0);
  }
  out.mean = mean;
  out.variance = (1 - shared) * own + shared * common * common + (rows.noise[r] ?? 0);
  out.common = common;
  out.least = least;
  out.most = most;
}

/** By how much a row's sum moves with one of its observations. */
function slopeOf(sd: number, common: number, shared: number): number {
  return sd > 0 ? 1 + shared * (common / sd - 1) : 1;
}

function countInformative(
  rows: Rows,
  window: Int32Array,
  posteriors: readonly BucketPosterior[],
  { buckets, shared }: Regression,
): void {
  const stand = standOf(posteriors);
  const row: RowMoments = { mean: 0, variance: 0, common: 0, least: 0, most: 0 };
  for (let r = 0; r < rows.length; r++) {
    if (rows.size[r] === 1) continue;
    const at = (window[r] ?? 0) * buckets;
    rowMoments(rows, r, at, stand, shared, row);
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
      const i = at + (rows.bucket[e] ?? 0);
      const slope = slopeOf(stand.sd[i] ?? 0, row.common, shared);
      const own = posteriors[i];
      if (own !== undefined && (stand.variance[i] ?? 0) * slope * slope >= INFORMATIVE * row.variance)
        own.informative++;
    }
  }
}

/** All windows of one bucket together. Observations of rows that were left out take the shape of the others. */
function gather(posteriors: readonly BucketPosterior[], a: number, active: ActiveBuckets): Pool {
  const known = posteriors.reduce(
    (sum, own) =>
      sum + own.uninformative + own.weights.reduce((s, w) => s + w, 0) + own.posterior.reduce((s, p) => s + p, 0),
    0,
  );
  const total = active.total[a] ?? 0;
  const densities = posteriors.map((own): Density => {
    const { density, uninformative, shift, posterior } = own;
    // A move far below the cells' width is left to the total sum.
    const moved =
      uninformative > 0 && Math.abs(shift) > 0.005 * uninformative * Math.sqrt(own.variance)
        ? tilt(
            density,
            { mean: own.mean + shift / uninformative, variance: own.variance },
            active.upper[a] === Infinity ? "at-most" : "exact",
          )
        : density;
    const share = known > 0 ? uninformative : total / posteriors.length;
    return { edges: density.edges, mass: posterior.map((p, k) => p + share * (moved.mass[k] ?? 0)) };
  });
  const factor = known > 0 ? total / known : 1;
  return {
    ...sortedAtoms(posteriors, factor),
    densities: densities.map(({ edges, mass }) => ({ edges, mass: mass.map((p) => factor * p) })),
  };
}

/**
 * All that is known exactly. Nearly all of it is single observations, and numbers sort much faster than what refers to
 * them.
 */
function sortedAtoms(posteriors: readonly BucketPosterior[], factor: number): Pick<Pool, "atoms" | "running"> {
  const single: number[] = [];
  const others: { readonly x: number; readonly weight: number }[] = [];
  for (const { atoms, weights } of posteriors) {
    for (const [i, x] of atoms.entries()) {
      const weight = weights[i] ?? 0;
      if (weight === 1) single.push(x);
      else others.push({ x, weight });
    }
  }
  const ones = Float64Array.from(single).sort();
  others.sort((a, b) => a.x - b.x);
  const atoms = new Float64Array(ones.length + others.length);
  const running = new Float64Array(atoms.length);
  let sum = 0;
  for (let at = 0, one = 0, other = 0; at < atoms.length; at++) {
    const next = others[other];
    if (next !== undefined && !(one < ones.length && (ones[one] ?? 0) <= next.x)) {
      other++;
      atoms[at] = next.x;
      sum += factor * next.weight;
    } else {
      atoms[at] = ones[one++] ?? 0;
      sum += factor;
    }
    running[at] = sum;
  }
  return { atoms, running };
}
