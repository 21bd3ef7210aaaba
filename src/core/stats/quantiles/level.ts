import { factorise, applyInverse } from "./cholesky.js";
import type { Pool } from "./pool.js";
import type { ActiveBuckets, Rows } from "./rows.js";

/** Cells of the shape, values of the level, and cells of a bucket's answer. */
const NODES = 64;
const LEVELS = 12;
const CELLS = 48;
const ROUNDS = 15;
const ROUGHNESS = 30;
/** Dispersion of the counts about the model below which it is believed. */
const MOST_DISPERSION = 2.5;

/**
 * Many observations in every interval that share one shape around a level that moves: the level is read off each
 * interval's mean, and as it moves the bounds sweep over the shape, which its counts then show far more finely than the
 * buckets do (penalised composite link: Eilers 2007). Means and counts move together, so nothing is ascribed to a
 * bucket that is due to the level (ecological bias: Robinson 1950).
 *
 * @returns undefined where the level does not explain how the counts vary, or does not move
 */
export function movingLevel(active: ActiveBuckets, rows: Rows): Pool[] | undefined {
  const buckets = active.index.length;
  if (buckets < 2 || !((active.lower[0] ?? -1) >= 0) || active.upper[buckets - 1] === Infinity || rows.length < 20)
    return undefined;
  const all = rows.size.subarray(0, rows.length).reduce((sum, n) => sum + n, 0);
  const total = rows.sum.subarray(0, rows.length).reduce((sum, s) => sum + s, 0);
  const center = Math.log(total / all);
  const level = Float64Array.from(
    { length: rows.length },
    (_, r) => Math.log((rows.sum[r] ?? 0) / (rows.size[r] ?? 1)) - center,
  );
  if (!level.every(Number.isFinite)) return undefined;
  // Levels in groups of about equally many observations.
  const order = Array.from(level.keys()).sort((a, b) => (level[a] ?? 0) - (level[b] ?? 0));
  const group = new Int32Array(rows.length);
  const shift = new Float64Array(LEVELS);
  const weight = new Float64Array(LEVELS);
  const counts = new Float64Array(LEVELS * buckets);
  let seen = 0;
  for (const r of order) {
    const size = rows.size[r] ?? 0;
    const k = (group[r] = Math.min(LEVELS - 1, Math.floor(((seen + size / 2) / all) * LEVELS)));
    seen += size;
    weight[k] = (weight[k] ?? 0) + size;
    shift[k] = (shift[k] ?? 0) + size * (level[r] ?? 0);
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
      const at = k * buckets + (rows.bucket[e] ?? 0);
      counts[at] = (counts[at] ?? 0) + (rows.count[e] ?? 0);
    }
  }
  for (let k = 0; k < LEVELS; k++) shift[k] = (shift[k] ?? 0) / Math.max(1, weight[k] ?? 0);
  const highest = Math.log(active.upper[buckets - 1] ?? 1);
  const lowest = Math.log(Math.max(active.lower[0] ?? 0, (active.upper[0] ?? 1) / 5));
  const span = highest - lowest;
  const from = lowest - (shift[LEVELS - 1] ?? 0);
  const cell = (highest - (shift[0] ?? 0) - from) / NODES;
  /** Share of each cell that a group's bucket covers: ends in cells. */
  const endOf = (bound: number, k: number) =>
    bound <= 0 ? 0 : Math.max(0, Math.min(NODES, (Math.log(bound) - (shift[k] ?? 0) - from) / cell));
  const theta = new Float64Array(NODES);
  for (let m = 0; m < NODES; m++)
    theta[m] = Math.log(1 / NODES) - (((m + 0.5) * cell + from - center) / (0.2 * span)) ** 2 / 2;
  const shape = new Float64Array(NODES);
  const step = new Float64Array(NODES);
  const lambda = (ROUGHNESS * (NODES / 20) ** 5) / 1e3;
  for (let round = 0; round < ROUNDS; round++) {
    let mass = 0;
    for (let m = 0; m < NODES; m++) mass += shape[m] = Math.exp(theta[m] ?? 0);
    for (let m = 0; m < NODES; m++) shape[m] = (shape[m] ?? 0) / mass;
    const matrix = new Float64Array(NODES * NODES);
    step.fill(0);
    for (let k = 0; k < LEVELS; k++) {
      for (let a = 0; a < buckets; a++) {
        const low = endOf(active.lower[a] ?? 0, k);
        const high = endOf(active.upper[a] ?? 0, k);
        const first = Math.floor(low);
        const last = Math.min(NODES - 1, Math.ceil(high) - 1);
        if (last < first) continue;
        const part = (m: number) => (shape[m] ?? 0) * (Math.min(high, m + 1) - Math.max(low, m));
        let p = 1e-9;
        for (let m = first; m <= last; m++) p += part(m);
        const n = weight[k] ?? 0;
        const excess = (counts[k * buckets + a] ?? 0) / (n * p) - 1;
        for (let m = first; m <= last; m++) {
          const d = n * part(m);
          step[m] = (step[m] ?? 0) + excess * d;
          for (let o = first; o <= m; o++) matrix[m * NODES + o] = (matrix[m * NODES + o] ?? 0) + (d * part(o)) / p;
        }
      }
    }
    const mean = Math.exp(center);
    // The shape's mean is the level's: one equation that holds nearly exactly.
    let moment = 0;
    for (let m = 0; m < NODES; m++) moment += (shape[m] ?? 0) * Math.exp(from + (m + 0.5) * cell);
    const strength = (10 * all) / mean ** 2;
    for (let m = 0; m < NODES; m++) {
      const d = (shape[m] ?? 0) * (Math.exp(from + (m + 0.5) * cell) - moment);
      step[m] = (step[m] ?? 0) + strength * (mean - moment) * d;
      for (let o = 0; o <= m; o++)
        matrix[m * NODES + o] =
          (matrix[m * NODES + o] ?? 0) + strength * d * (shape[o] ?? 0) * (Math.exp(from + (o + 0.5) * cell) - moment);
    }
    for (let m = 0; m + 3 < NODES; m++) {
      const c = [-1, 3, -3, 1];
      const bend = c.reduce((sum, w, i) => sum + w * (theta[m + i] ?? 0), 0);
      for (let i = 0; i < 4; i++) {
        step[m + i] = (step[m + i] ?? 0) - lambda * bend * (c[i] ?? 0);
        for (let j = 0; j <= i; j++) {
          const at = (m + i) * NODES + m + j;
          matrix[at] = (matrix[at] ?? 0) + lambda * (c[i] ?? 0) * (c[j] ?? 0);
        }
      }
    }
    for (let m = 0; m < NODES; m++) matrix[m * NODES + m] = (matrix[m * NODES + m] ?? 0) + 1e-6 * all;
    const moved = applyInverse(factorise(matrix, NODES), step);
    let largest = 0;
    for (const d of moved) largest = Math.max(largest, Math.abs(d));
    const damp = Math.min(1, 1 / largest);
    for (let m = 0; m < NODES; m++) theta[m] = (theta[m] ?? 0) + damp * (moved[m] ?? 0);
    if (largest < 1e-3) break;
  }
  const below = new Float64Array(NODES + 1);
  for (let m = 0; m < NODES; m++) below[m + 1] = (below[m] ?? 0) + (shape[m] ?? 0);
  const share = (at: number) => {
    const m = Math.max(0, Math.min(NODES - 1, Math.floor(at)));
    return (below[m] ?? 0) + Math.max(0, Math.min(1, at - m)) * (shape[m] ?? 0);
  };
  let chi = 0;
  let freedom = 0;
  const held = new Float64Array(buckets);
  for (let r = 0; r < rows.length; r++) {
    held.fill(0);
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) held[rows.bucket[e] ?? 0] = rows.count[e] ?? 0;
    const at = (bound: number) => (bound <= 0 ? 0 : share((Math.log(bound) - (level[r] ?? 0) - from) / cell));
    for (let a = 0; a < buckets; a++) {
      const want = (rows.size[r] ?? 0) * (at(active.upper[a] ?? 0) - (a === 0 ? 0 : at(active.lower[a] ?? 0)));
      if (want < 0.5) continue;
      chi += ((held[a] ?? 0) - want) ** 2 / want;
      freedom++;
    }
    freedom--;
  }
  const dispersion = chi / freedom;
  if (!(dispersion < MOST_DISPERSION)) return undefined;
  return Array.from(active.index, (_, a) => {
    const lower = active.lower[a] ?? 0;
    const upper = active.upper[a] ?? 0;
    const bottom = Math.max(lower, upper / 20);
    const edges = Float64Array.from({ length: CELLS + 1 }, (_, i) =>
      i === 0 ? lower : i === CELLS ? upper : bottom * (upper / bottom) ** (i / CELLS),
    );
    const mass = new Float64Array(CELLS);
    for (let k = 0; k < LEVELS; k++) {
      const n = counts[k * buckets + a] ?? 0;
      if (n === 0) continue;
      const ends = Array.from(edges, (edge) =>
        edge <= 0 ? 0 : share((Math.log(edge) - (shift[k] ?? 0) - from) / cell),
      );
      const p = (ends[CELLS] ?? 0) - (ends[0] ?? 0);
      for (let i = 0; i < CELLS; i++)
        mass[i] = (mass[i] ?? 0) + (p > 1e-12 ? (n * ((ends[i + 1] ?? 0) - (ends[i] ?? 0))) / p : n / CELLS);
    }
    return { atoms: new Float64Array(0), running: new Float64Array(0), densities: [{ edges, mass }] };
  });
}
