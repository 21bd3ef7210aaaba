import { solveDense } from "./cholesky.js";
import type { Pool } from "./pool.js";
import type { ActiveBuckets, Rows } from "./rows.js";

/** Cells of the shape, values of the level, and cells of a bucket's answer. */
const NODES = 64;
const LEVELS = 12;
const CELLS = 48;
const MIN_ROWS = 20;
const ROUNDS = 15;
const ROUGHNESS = (30 * (NODES / 20) ** 5) / 1e3;
/** Third differences. */
const DIFFERENCES = [-1, 3, -3, 1];
/** Observations of a bucket in an interval from which their number tells something of the level. */
const MIN_EXPECTED = 0.5;
/** Dispersion of the counts about the model below which it is believed. */
const MAX_DISPERSION = 2.5;

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
  if (
    buckets < 2 ||
    !((active.lower[0] ?? -1) >= 0) ||
    active.upper[buckets - 1] === Infinity ||
    rows.length < MIN_ROWS
  )
    return undefined;
  const level = new Float64Array(rows.length);
  let all = 0;
  let total = 0;
  for (let r = 0; r < rows.length; r++) {
    const [size, sum] = [rows.size[r] ?? 0, rows.sum[r] ?? 0];
    if (!(sum > 0)) return undefined;
    all += size;
    total += sum;
    level[r] = Math.log(sum / size);
  }
  if (!crossesBounds(active, rows, all)) return undefined;
  const center = Math.log(total / all);
  for (let r = 0; r < rows.length; r++) level[r] = (level[r] ?? 0) - center;
  const groups = groupRows(rows, level, all, buckets);
  const shape = fitShape(active, groups, center);
  return dispersionAbout(shape, active, rows, level) < MAX_DISPERSION ? pools(shape, active, groups) : undefined;
}

/** Do most intervals have observations in two buckets or more? Else no bound crosses the shape as the level moves. */
function crossesBounds(active: ActiveBuckets, rows: Rows, all: number): boolean {
  let filled = -rows.length;
  for (const total of active.total)
    for (let r = 0; r < rows.length; r++) if ((rows.size[r] ?? 0) * total >= MIN_EXPECTED * all) filled++;
  return filled >= rows.length / 2;
}

/** Intervals of about one level together: as many observations in each group. */
interface Groups {
  readonly shift: Float64Array;
  readonly size: Float64Array;
  /** `counts[group · buckets + a]`. */
  readonly counts: Float64Array;
}

function groupRows(rows: Rows, level: Float64Array, all: number, buckets: number): Groups {
  const order = Int32Array.from(level.keys()).sort((a, b) => (level[a] ?? 0) - (level[b] ?? 0));
  const shift = new Float64Array(LEVELS);
  const weight = new Float64Array(LEVELS);
  const counts = new Float64Array(LEVELS * buckets);
  let seen = 0;
  for (const r of order) {
    const size = rows.size[r] ?? 0;
    const k = Math.min(LEVELS - 1, Math.floor(((seen + size / 2) / all) * LEVELS));
    seen += size;
    weight[k] = (weight[k] ?? 0) + size;
    shift[k] = (shift[k] ?? 0) + size * (level[r] ?? 0);
    for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
      const at = k * buckets + (rows.bucket[e] ?? 0);
      counts[at] = (counts[at] ?? 0) + (rows.count[e] ?? 0);
    }
  }
  for (let k = 0; k < LEVELS; k++) shift[k] = (shift[k] ?? 0) / Math.max(1, weight[k] ?? 0);
  return { shift, size: weight, counts };
}

/** Shares of the logarithm of values over their level, in even cells. */
class Shape {
  readonly share = new Float64Array(NODES);
  /** Of all cells before each. */
  readonly before = new Float64Array(NODES + 1);

  constructor(
    readonly from: number,
    readonly cell: number,
  ) {}

  /** Place of a bound at a level, in cells. */
  place(bound: number, level: number): number {
    return bound <= 0 ? 0 : Math.max(0, Math.min(NODES, (Math.log(bound) - level - this.from) / this.cell));
  }

  /** Share at or below a bound. */
  below(bound: number, level: number): number {
    const at = this.place(bound, level);
    const m = Math.min(NODES - 1, Math.floor(at));
    return (this.before[m] ?? 0) + (at - m) * (this.share[m] ?? 0);
  }
}

function fitShape(active: ActiveBuckets, { shift, size, counts }: Groups, center: number): Shape {
  const buckets = active.index.length;
  const highest = Math.log(active.upper[buckets - 1] ?? 1);
  const lowest = Math.log(Math.max(active.lower[0] ?? 0, (active.upper[0] ?? 1) / 5));
  const span = highest - lowest;
  const from = lowest - (shift[LEVELS - 1] ?? 0);
  const shape = new Shape(from, (highest - (shift[0] ?? 0) - from) / NODES);
  const { share, cell } = shape;
  const low = new Float64Array(counts.length);
  const high = new Float64Array(counts.length);
  for (let i = 0; i < counts.length; i++) {
    low[i] = shape.place(active.lower[i % buckets] ?? 0, shift[Math.floor(i / buckets)] ?? 0);
    high[i] = shape.place(active.upper[i % buckets] ?? 0, shift[Math.floor(i / buckets)] ?? 0);
  }
  const values = new Float64Array(NODES);
  const theta = new Float64Array(NODES);
  for (let m = 0; m < NODES; m++) {
    values[m] = Math.exp(from + (m + 0.5) * cell - center);
    theta[m] = -((((m + 0.5) * cell + from - center) / (0.2 * span)) ** 2) / 2;
  }
  const all = size.reduce((sum, n) => sum + n, 0);
  const step = new Float64Array(NODES);
  const matrix = new Float64Array(NODES * NODES);
  const part = new Float64Array(NODES);
  normalise(theta, share);
  for (let round = 0; round < ROUNDS; round++) {
    matrix.fill(0);
    step.fill(0);
    for (let i = 0; i < counts.length; i++) {
      const start = low[i] ?? 0;
      const end = high[i] ?? 0;
      const first = Math.floor(start);
      const last = Math.min(NODES - 1, Math.ceil(end) - 1);
      let p = 1e-9;
      for (let m = first; m <= last; m++) p += part[m] = (share[m] ?? 0) * (Math.min(end, m + 1) - Math.max(start, m));
      const n = size[Math.floor(i / buckets)] ?? 0;
      addOuter(matrix, step, part, first, last, n / p, (counts[i] ?? 0) / p - n);
    }
    // The shape's mean is the level's: one equation that holds nearly exactly.
    let mean = 0;
    for (let m = 0; m < NODES; m++) mean += (share[m] ?? 0) * (values[m] ?? 0);
    for (let m = 0; m < NODES; m++) part[m] = (share[m] ?? 0) * ((values[m] ?? 0) - mean);
    addOuter(matrix, step, part, 0, NODES - 1, 10 * all, 10 * all * (1 - mean));
    for (let m = 0; m + 3 < NODES; m++) {
      const bend = (theta[m + 3] ?? 0) - (theta[m] ?? 0) + 3 * ((theta[m + 1] ?? 0) - (theta[m + 2] ?? 0));
      for (let i = 0; i < 4; i++) {
        const pull = ROUGHNESS * (DIFFERENCES[i] ?? 0);
        step[m + i] = (step[m + i] ?? 0) - pull * bend;
        for (let j = 0; j <= i; j++) {
          const at = (m + i) * NODES + m + j;
          matrix[at] = (matrix[at] ?? 0) + pull * (DIFFERENCES[j] ?? 0);
        }
      }
    }
    for (let m = 0; m < NODES; m++) matrix[m * NODES + m] = (matrix[m * NODES + m] ?? 0) + 1e-6 * all;
    solveDense(matrix, step);
    let largest = 0;
    for (const d of step) largest = Math.max(largest, Math.abs(d));
    const damp = Math.min(1, 1 / largest);
    for (let m = 0; m < NODES; m++) theta[m] = (theta[m] ?? 0) + damp * (step[m] ?? 0);
    if (largest < 1e-3) break;
    normalise(theta, share);
  }
  for (let m = 0; m < NODES; m++) shape.before[m + 1] = (shape.before[m] ?? 0) + (share[m] ?? 0);
  return shape;
}

function normalise(theta: Float64Array, share: Float64Array): void {
  let mass = 0;
  for (let m = 0; m < NODES; m++) mass += share[m] = Math.exp(theta[m] ?? 0);
  for (let m = 0; m < NODES; m++) share[m] = (share[m] ?? 0) / mass;
}

/** Adds weight · part · part' to the lower triangle and pull · part to the vector. */
function addOuter(
  matrix: Float64Array,
  vector: Float64Array,
  part: Float64Array,
  first: number,
  last: number,
  weight: number,
  pull: number,
): void {
  for (let m = first; m <= last; m++) {
    const d = part[m] ?? 0;
    const line = m * NODES;
    vector[m] = (vector[m] ?? 0) + pull * d;
    for (let o = first; o <= m; o++) matrix[line + o] = (matrix[line + o] ?? 0) + weight * d * (part[o] ?? 0);
  }
}

/** Pearson's χ² of the intervals' counts over its degrees of freedom. */
function dispersionAbout(shape: Shape, active: ActiveBuckets, rows: Rows, level: Float64Array): number {
  let chi = 0;
  let freedom = 0;
  for (let r = 0; r < rows.length; r++) {
    let e = rows.start[r] ?? 0;
    let before = shape.below(active.lower[0] ?? 0, level[r] ?? 0);
    if ((active.lower[0] ?? 0) <= 0) before = 0;
    for (let a = 0; a < active.index.length; a++) {
      const low =
        a > 0 && active.lower[a] !== active.upper[a - 1] ? shape.below(active.lower[a] ?? 0, level[r] ?? 0) : before;
      before = shape.below(active.upper[a] ?? 0, level[r] ?? 0);
      const observed = e < (rows.start[r + 1] ?? 0) && rows.bucket[e] === a ? (rows.count[e++] ?? 0) : 0;
      const want = (rows.size[r] ?? 0) * (before - low);
      if (want < MIN_EXPECTED) continue;
      chi += (observed - want) ** 2 / want;
      freedom++;
    }
    freedom--;
  }
  return chi / freedom;
}

/** Each bucket's part of the shape, of all groups together. */
function pools(shape: Shape, active: ActiveBuckets, { shift, counts }: Groups): Pool[] {
  const buckets = active.index.length;
  return Array.from(active.index, (_, a) => {
    const lower = active.lower[a] ?? 0;
    const upper = active.upper[a] ?? 0;
    const bottom = Math.max(lower, upper / 20);
    const edges = new Float64Array(CELLS + 1);
    for (let i = 0; i <= CELLS; i++)
      edges[i] = i === 0 ? lower : i === CELLS ? upper : bottom * (upper / bottom) ** (i / CELLS);
    const mass = new Float64Array(CELLS);
    for (let k = 0; k < LEVELS; k++) {
      const n = counts[k * buckets + a] ?? 0;
      if (n === 0) continue;
      const level = shift[k] ?? 0;
      const start = shape.below(lower, level);
      const p = shape.below(upper, level) - start;
      let before = start;
      for (let i = 0; i < CELLS; i++) {
        const next = shape.below(edges[i + 1] ?? 0, level);
        mass[i] = (mass[i] ?? 0) + (p > 1e-12 ? (n * (next - before)) / p : n / CELLS);
        before = next;
      }
    }
    return { atoms: new Float64Array(0), running: new Float64Array(0), densities: [{ edges, mass }] };
  });
}
