import type { Steps } from "../steps.js";
import { CELLS, moments, signedLogScale, type Density } from "./grid.js";
import type { WindowMoments } from "./normal-equations.js";
import { lowerBound, type ActiveBuckets, type Rows } from "./rows.js";
import { layoutOf, smoothDensities, type Layout } from "./smooth.js";
import { tilt } from "./tilt.js";

/** The smooth densities of every time window, from its counts alone. */
export interface WindowShapes {
  readonly windows: number;
  /** Window of each row. */
  readonly of: Int32Array;
  /** `densities[w · buckets + a]`. */
  readonly densities: readonly Density[];
  readonly moments: WindowMoments;
}

const ROUGHNESS = 1;
/** Pseudo-observations of the whole run in each window's counts. */
const WHOLE_RUN = 10;
/** A window holds at least so many rows and observations. */
const MIN_ROWS = 6;
const MIN_OBSERVATIONS = 80;

/** Into how many windows rows can be cut at most, so that each says something by itself; at least one. */
export function mostWindows(rows: Rows): number {
  return Math.max(1, Math.floor(Math.min(rows.length / MIN_ROWS, observations(rows) / MIN_OBSERVATIONS)));
}

function observations(rows: Rows): number {
  let total = 0;
  for (let r = 0; r < rows.length; r++) total += rows.size[r] ?? 0;
  return total;
}

/** The run in windows of about equally many observations. */
export interface Cut {
  readonly windows: number;
  /** Window of each row. */
  readonly of: Int32Array;
  /** Observations: `counts[w · buckets + a]`. */
  readonly counts: Float64Array;
}

/** Cuts rows into windows of about as many observations each. */
export function cutRun(rows: Rows, buckets: number, windows: number): Cut {
  const of = new Int32Array(rows.length);
  const counts = new Float64Array(windows * buckets);
  const each = observations(rows) / windows;
  let seen = 0;
  for (let r = 0; r < rows.length; r++) {
    const size = rows.size[r] ?? 0;
    const w = Math.min(windows - 1, Math.max(0, Math.floor((seen + size / 2) / each)));
    of[r] = w;
    seen += size;
    const to = rows.start[r + 1] ?? 0;
    for (let e = rows.start[r] ?? 0; e < to; e++) {
      const at = w * buckets + (rows.bucket[e] ?? 0);
      counts[at] = (counts[at] ?? 0) + (rows.count[e] ?? 0);
    }
  }
  return { windows, of, counts };
}

/** The same cut with every `together` windows made one. */
export function coarser({ windows, of, counts }: Cut, together: number): Cut {
  const buckets = counts.length / windows;
  const fewer = Math.ceil(windows / together);
  const sums = new Float64Array(fewer * buckets);
  counts.forEach((count, i) => {
    const at = Math.floor(i / buckets / together) * buckets + (i % buckets);
    sums[at] = (sums[at] ?? 0) + count;
  });
  return { windows: fewer, of: of.map((w) => Math.floor(w / together)), counts: sums };
}

/** Fits the densities of every window. */
export function* windowShapes(
  active: ActiveBuckets,
  rows: Rows,
  frame: FittingFrame,
  { windows, of, counts }: Cut,
): Steps<WindowShapes> {
  const n = active.index.length;
  let all = 0;
  for (const total of active.total) all += total;
  const densities: Density[] = [];
  for (let w = 0; w < windows; w++) {
    const totals = new Float64Array(frame.layout.buckets);
    active.index.forEach((b, a) => {
      const total = active.total[a] ?? 0;
      totals[b - frame.first] = windows === 1 ? total : (counts[w * n + a] ?? 0) + (WHOLE_RUN * total) / all;
    });
    const fitted = smoothDensities(frame.layout, totals);
    active.index.forEach((b, a) => {
      const density = fitted[b - frame.first] ?? { edges: new Float64Array(CELLS + 1), mass: new Float64Array(CELLS) };
      densities.push(rows.length === 0 ? density : settleOpen(density, active, a, frame));
    });
    yield;
  }
  const each = densities.map(moments);
  return {
    windows,
    of,
    densities,
    moments: {
      windows,
      buckets: n,
      mean: Float64Array.from(each, (m) => m.mean),
      variance: Float64Array.from(each, (m) => m.variance),
    },
  };
}

/**
 * An open bucket's counts say nothing of how far it reaches: its density takes its mean from the sums, and exponential
 * spread at most.
 */
function settleOpen(density: Density, active: ActiveBuckets, a: number, { below, above }: FittingFrame): Density {
  if (active.upper[a] === Infinity)
    return tilt(density, { mean: (active.lower[a] ?? 0) + above.excess, variance: above.excess ** 2 }, "at-most");
  if (active.lower[a] === -Infinity)
    return tilt(density, { mean: (active.upper[a] ?? 0) - below.excess, variance: below.excess ** 2 }, "at-most");
  return density;
}

export interface FittingFrame {
  /** The first bucket fitted. */
  readonly first: number;
  readonly layout: Layout;
  readonly below: OpenEnd;
  readonly above: OpenEnd;
}

/**
 * The buckets that a density is fitted over: those with observations, and an empty one on either side which says so.
 */
export function fittingFrame(uppers: Float64Array, active: ActiveBuckets, rows: Rows): FittingFrame {
  const first = Math.max(0, (active.index[0] ?? 0) - 1);
  const last = Math.min(uppers.length - 1, (active.index[active.index.length - 1] ?? 0) + 1);
  const below = openEnd(uppers, active, rows, -1);
  const above = openEnd(uppers, active, rows, 1);
  const ends = new Float64Array(last - first + 2);
  for (let b = first; b <= last; b++) {
    const lower = lowerBound(uppers, b, active.lower[0] === -Infinity);
    ends[b - first] = lower === -Infinity ? below.end : lower;
    ends[b - first + 1] = b === uppers.length - 1 ? above.end : (uppers[b] ?? above.end);
  }
  let unit = Infinity;
  for (const upper of uppers) if (upper !== 0) unit = Math.min(unit, Math.abs(upper));
  const scale = signedLogScale(Number.isFinite(unit) ? unit : extent(uppers, rows).size);
  return { first, layout: layoutOf(ends, scale, ROUGHNESS), below, above };
}

/** The finite bounds' ends and size; of a histogram that has only +Inf, the size of its values. */
function extent(
  uppers: Float64Array,
  rows: Rows,
): { readonly low: number; readonly high: number; readonly size: number } {
  const finite = uppers.filter(Number.isFinite);
  const low = finite[0] ?? 0;
  const high = finite[finite.length - 1] ?? 0;
  const seen = rows.length > 0 ? Math.abs(rows.sum[0] ?? 0) / (rows.size[0] ?? 1) : 0;
  return { low, high, size: Math.max(Math.abs(low), Math.abs(high)) || seen || 1 };
}

/** Mean excesses that the stand-in of an open end reaches beyond its bound. */
const OPEN_REACH = 8;
const EXCESS_ROUNDS = 3;

interface OpenEnd {
  /** Mean distance of the open bucket's values from its bound, about. */
  readonly excess: number;
  /** Finite stand-in for the end. */
  readonly end: number;
}

/** `side` 1: above the last bound, −1: below the first. */
function openEnd(uppers: Float64Array, active: ActiveBuckets, rows: Rows, side: 1 | -1): OpenEnd {
  const { low, high, size } = extent(uppers, rows);
  const bound = side === 1 ? high : low;
  const isOpen = (a: number) => (side === 1 ? active.upper[a] === Infinity : active.lower[a] === -Infinity);
  const guess = exponentialExcess(uppers, active, side, size);
  let excess = guess;
  // What the sums leave for the open bucket when all others lie in their middles, rows by how little those can differ
  // from them.
  for (let round = 0; round < EXCESS_ROUNDS; round++) {
    // The guess weighs as one observation.
    let sum = 1 / guess;
    let weight = 1 / (guess * guess);
    for (let r = 0; r < rows.length; r++) {
      let rest = rows.sum[r] ?? 0;
      let slack = 0;
      let open = 0;
      for (let e = rows.start[r] ?? 0; e < (rows.start[r + 1] ?? 0); e++) {
        const a = rows.bucket[e] ?? 0;
        const c = rows.count[e] ?? 0;
        const lower = Math.max(active.lower[a] ?? 0, low - size);
        const upper = Math.min(active.upper[a] ?? 0, high + size);
        if (isOpen(a)) {
          open += c;
          rest -= c * bound;
          slack += c * excess * excess;
        } else {
          rest -= (c * (lower + upper)) / 2;
          slack += (c * (upper - lower) ** 2) / 12;
        }
      }
      if (open === 0 || slack === 0) continue;
      sum += (side * rest * open) / slack;
      weight += (open * open) / slack;
    }
    excess = Math.max(0.05 * guess, sum / weight);
  }
  return { excess, end: bound + side * OPEN_REACH * excess };
}

/** The mean excess of an exponential tail that the open bucket's count and its neighbour's agree with. */
function exponentialExcess(uppers: Float64Array, active: ActiveBuckets, side: 1 | -1, size: number): number {
  const open = side === 1 ? uppers.length - 1 : 0;
  const total = (b: number) => active.total[active.index.indexOf(b)] ?? 0;
  const near = uppers[side === 1 ? open - 1 : open] ?? size;
  const far = uppers[side === 1 ? open - 2 : open + 1] ?? (side === 1 ? Math.min(0, near) : near + size);
  const width = Math.abs(near - far);
  const ratio = total(open - side) / Math.max(1, total(open));
  return Math.min(2 * size, Math.max(width, Number.MIN_VALUE) / Math.log1p(Math.max(ratio, 1e-3)));
}
