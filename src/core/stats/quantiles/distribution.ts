import type { Steps } from "../steps.js";
import { designEffect } from "./effect.js";
import { batchConcurrency, batchedMoments, type Concurrency } from "./batched.js";
import { CELLS, densityAt, moments, regrid, type Density } from "./grid.js";
import type { Model } from "./normal-equations.js";
import { poolObservations } from "./observations.js";
import type { Pool } from "./pool.js";
import { likeliestDepartures, openFactors, regressMoments } from "./regression.js";
import { firstBound, sampleRows, type ActiveBuckets, type Rows } from "./rows.js";
import { movingLevel } from "./level.js";
import { honourSum } from "./total.js";
import { tilt } from "./tilt.js";
import { coarser, cutRun, fittingFrame, mostWindows, windowShapes, type WindowShapes } from "./windows.js";

/**
 * Numbers of time windows tried besides one, as the data allow (each a multiple of the next): more follow a drift,
 * fewer know each window better.
 */
const WINDOWS = [12, 4];
/** Half-width of a narrow density's fine cells, in standard deviations. */
const CORE_REACH = 4;
/** Reach of an open bucket's density beyond its mean, in standard deviations. */
const OPEN_REACH = 10;

/** Rows looked at to choose between models, to find the variances, and the means. */
const CHOOSING_ROWS = 160;
const SPREAD_ROWS = 320;
const MEAN_ROWS = 800;

/** Design effects from which observations may come in batches; below which a moving level may explain the counts. */
const MIN_EFFECT = 1.5;
const MAX_EFFECT = 4;
/** What stands for the design effect where batches are accounted for: measured, as the intervals' other factors. */
const BATCHED_EFFECT = 2;

export interface PooledBuckets {
  /** What is known of each active bucket's observations. */
  readonly pools: readonly Pool[];
  /** Of the counts, 1 where observations are independent: `designEffect`; less where batches are accounted for. */
  readonly effect: number;
}

/**
 * What the buckets of all rows say together of the distribution within each: its densities, and what rows tell of
 * them.
 */
export function* poolBuckets(uppers: Float64Array, active: ActiveBuckets, rows: Rows): Steps<PooledBuckets> {
  const open = Array.from(active.index.keys()).filter(
    (a) => active.upper[a] === Infinity || active.lower[a] === -Infinity,
  );
  const few = sampleRows(rows, CHOOSING_ROWS);
  const effect = designEffect(rows, active.index.length);
  const [seen = 0, sum = NaN] = [rows.size, rows.sum].map((cells) =>
    cells.subarray(0, rows.length).reduce((total, x) => total + x, 0),
  );
  // With intervals left out, the sum of all observations is unknown.
  const complete = seen === active.total.reduce((total, n) => total + n, 0);
  const concurrency = (active.lower[0] ?? -1) >= 0 ? batchConcurrency(rows, effect, firstBound(uppers)) : undefined;
  if (concurrency !== undefined) {
    const pools = yield* batchedPools(uppers, active, rows, concurrency);
    return { pools: complete ? honourSum(pools, active, sum) : pools, effect: BATCHED_EFFECT };
  }
  const moving = complete && effect < MAX_EFFECT ? movingLevel(active, rows) : undefined;
  yield;
  if (moving !== undefined) return { pools: honourSum(moving, active, sum), effect };
  const frame = fittingFrame(uppers, active, few.rows);
  let batch = 1;
  const within = (shapes: WindowShapes, sample: typeof few): Model => ({
    rows: sample.rows,
    window: Int32Array.from(sample.picked, (r) => shapes.of[r] ?? 0),
    prior: shapes.moments,
    batch,
  });
  const most = mostWindows(rows);
  const finest = cutRun(rows, active.index.length, WINDOWS.find((windows) => windows <= most) ?? 1);
  yield;
  let shapes = yield* windowShapes(active, rows, frame, coarser(finest, finest.windows));
  const relative = openFactors(within(shapes, few), open);
  yield;
  let departures = likeliestDepartures(within(shapes, few), relative);
  for (const windows of WINDOWS) {
    if (windows > finest.windows) continue;
    yield;
    const finer = yield* windowShapes(active, rows, frame, coarser(finest, finest.windows / windows));
    const candidate = likeliestDepartures(within(finer, few), relative);
    if (candidate.evidence > departures.evidence) [shapes, departures] = [finer, candidate];
  }
  if (effect > MIN_EFFECT) {
    const independent = departures;
    batch = Math.sqrt(effect);
    yield;
    departures = likeliestDepartures(within(shapes, few), relative);
    if (departures.evidence <= independent.evidence) [batch, departures] = [1, independent];
  }
  const fit = regressMoments(
    within(shapes, sampleRows(rows, MEAN_ROWS)),
    within(shapes, sampleRows(rows, SPREAD_ROWS)),
    departures,
    relative,
    open,
  );
  const densities: Density[] = [];
  for (const [i, shape] of shapes.densities.entries()) {
    const a = i % fit.buckets;
    if (a === 0) yield;
    densities.push(
      fitDensity(
        shape,
        fit.mean[i] ?? 0,
        fit.variance[i] ?? 0,
        active.lower[a] ?? -Infinity,
        active.upper[a] ?? Infinity,
      ),
    );
  }
  const pools = yield* poolObservations(rows, shapes.of, active, densities, fit);
  yield;
  return { pools: complete ? honourSum(pools, active, sum) : pools, effect };
}

/** One smooth density, its buckets with the moments that the steps' sums tell. */
function* batchedPools(
  uppers: Float64Array,
  active: ActiveBuckets,
  rows: Rows,
  concurrency: Concurrency,
): Steps<Pool[]> {
  const frame = fittingFrame(uppers, active, sampleRows(rows, CHOOSING_ROWS).rows);
  const shapes = yield* windowShapes(active, rows, frame, cutRun(rows, active.index.length, 1));
  const fit = batchedMoments(rows, concurrency, active, shapes.moments);
  yield;
  return shapes.densities.map((shape, a) => {
    const { edges, mass } = fitDensity(
      shape,
      fit.mean[a] ?? 0,
      fit.variance[a] ?? 0,
      active.lower[a] ?? 0,
      active.upper[a] ?? Infinity,
    );
    const total = active.total[a] ?? 0;
    return {
      atoms: new Float64Array(0),
      running: new Float64Array(0),
      densities: [{ edges, mass: mass.map((p) => p * total) }],
    };
  });
}

/**
 * `shape` with the fitted moments. A closed bucket's variance stays below what its mean alone lets expect, of the
 * smooth shape or of an even one: more would make two heaps at its ends, and is far more often noise of the sums than
 * so split a bucket.
 */
function fitDensity(shape: Density, mean: number, variance: number, lower: number, upper: number): Density {
  const inside = Math.max(lower, Math.min(upper, mean));
  const sd = Math.sqrt(variance);
  const reached = upper === Infinity ? openTop(shape, Math.max(inside - lower, 0) + OPEN_REACH * sd) : shape;
  const grid = regrid(reached, inside, CORE_REACH * sd);
  if (upper === Infinity || lower === -Infinity) return tilt(grid, { mean: inside, variance }, "at-most");
  const even = truncatedExponentialVariance(inside, lower, upper);
  if (variance <= even) return tilt(grid, { mean: inside, variance }, "exact");
  const smooth = tilt(grid, { mean: inside, variance }, "at-most");
  const spread = moments(smooth).variance;
  return spread >= Math.min(even, variance)
    ? smooth
    : tilt(grid, { mean: inside, variance: Math.min(variance, even) }, "exact");
}

/** Of the distribution of largest entropy between two ends with a given mean, to within 3 %. */
function truncatedExponentialVariance(mean: number, lower: number, upper: number): number {
  const near = Math.min(mean - lower, upper - mean);
  return near * near * (1 - (8 / 3) * (near / (upper - lower)) ** 2);
}

/** The same density on cells that widen from the last bound to a reach beyond it. */
function openTop(shape: Density, reach: number): Density {
  const lower = shape.edges[0] ?? 0;
  const edges = Float64Array.from(
    { length: CELLS + 1 },
    (_, k) => lower + Math.max(reach, 1e-9 * Math.abs(lower)) * (k / CELLS) ** 1.5,
  );
  const last = densityAt(shape, shape.edges[CELLS] ?? 0);
  const mass = new Float64Array(CELLS);
  let total = 0;
  for (let k = 0; k < CELLS; k++) {
    const [from, to] = [edges[k] ?? 0, edges[k + 1] ?? 0];
    const end = shape.edges[CELLS] ?? 0;
    // Beyond the fitted reach the density goes on falling with the square of the distance.
    const x = (from + to) / 2;
    const p = x <= end ? densityAt(shape, x) : last * ((end - lower) / (x - lower)) ** 2;
    total += mass[k] = Math.max(p, 1e-300) * (to - from);
  }
  return { edges, mass: mass.map((p) => p / total) };
}
