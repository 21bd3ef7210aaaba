/** Cells per bucket. */
export const CELLS = 32;

/** A density inside one bucket: piecewise constant on cells between ascending edges. */
export interface Density {
  /** CELLS + 1, from the bucket's lower to its upper end (a finite stand-in where the bucket is open). */
  readonly edges: Float64Array;
  /** Mass per cell. */
  readonly mass: Float64Array;
}

export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** Of a density whose mass sums to 1, uniform within each cell. */
export function moments({ edges, mass }: Density): Moments {
  const origin = edges[0] ?? 0;
  let mean = 0;
  let square = 0;
  for (let k = 0; k < mass.length; k++) {
    const from = (edges[k] ?? 0) - origin;
    const to = (edges[k + 1] ?? 0) - origin;
    const p = mass[k] ?? 0;
    mean += (p * (from + to)) / 2;
    square += (p * (from * from + from * to + to * to)) / 3;
  }
  return { mean: origin + mean, variance: Math.max(0, square - mean * mean) };
}

/** Mass per unit at x; 0 outside. */
export function densityAt({ edges, mass }: Density, x: number): number {
  const k = cellOf(edges, x);
  if (x < (edges[0] ?? 0) || x > (edges[mass.length] ?? 0)) return 0;
  const width = (edges[k + 1] ?? 0) - (edges[k] ?? 0);
  return width > 0 ? (mass[k] ?? 0) / width : 0;
}

/** The cell that holds x; the nearest for x outside. */
export function cellOf(edges: Float64Array, x: number): number {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The scale on which densities of latencies and sizes are smooth: logarithmic far from 0, linear near it, odd.
 * `unit` is the distance from 0 where the one goes over into the other.
 */
export interface Scale {
  readonly to: (value: number) => number;
  readonly from: (coordinate: number) => number;
}

/** Linear near 0 and logarithmic far from it, on both sides. @param unit where the one goes over into the other */
export function signedLogScale(unit: number): Scale {
  return {
    to: (value) => Math.sign(value) * Math.log1p(Math.abs(value) / unit),
    from: (coordinate) => Math.sign(coordinate) * Math.expm1(Math.abs(coordinate)) * unit,
  };
}

/** Cells of the finer part of a regridded density; the others cover its flanks evenly. */
const CORE = 24;

/**
 * The same density on cells that resolve a narrow core around `mean`: a tight distribution in a wide bucket would fall
 * between the cells otherwise.
 *
 * @param reach half the width of the core.
 */
export function regrid(density: Density, mean: number, reach: number): Density {
  const { edges, mass } = density;
  const bottom = edges[0] ?? 0;
  const top = edges[mass.length] ?? 0;
  if (!(2 * reach < 0.6 * (top - bottom))) return density;
  // Never so narrow that cells vanish in floating point.
  const half = Math.max(reach, 1e-12 * (Math.abs(mean) + top - bottom));
  const from = Math.max(bottom, mean - half);
  const to = Math.min(top, mean + half);
  const flanks = CELLS - CORE;
  const left = from <= bottom ? 0 : to >= top ? flanks : flanks / 2;
  const right = flanks - left;
  const out = new Float64Array(CELLS + 1);
  for (let k = 0; k < left; k++) out[k] = bottom + ((from - bottom) * k) / left;
  const coreCells = CORE + (left === 0 && right === 0 ? flanks : 0);
  for (let k = 0; k <= coreCells; k++) out[left + k] = from + ((to - from) * k) / coreCells;
  for (let k = 1; k <= right; k++) out[left + coreCells + k] = k === right ? top : to + ((top - to) * k) / right;
  out[0] = bottom;
  out[CELLS] = top;
  const finer = new Float64Array(CELLS);
  let total = 0;
  for (let k = 0; k < CELLS; k++) {
    const a = out[k] ?? 0;
    const b = out[k + 1] ?? 0;
    total += finer[k] = Math.max(densityAt(density, (a + b) / 2), 1e-12 / (top - bottom)) * (b - a);
  }
  return { edges: out, mass: finer.map((p) => p / total) };
}
