import type { Density } from "./grid.js";

/** What is known of one bucket's observations: some exactly, the others as densities. */
export interface Pool {
  /** Ascending, with the running number of observations they stand for. */
  readonly atoms: Float64Array;
  readonly running: Float64Array;
  /** Each density's mass sums to the number of observations it stands for. */
  readonly densities: readonly Density[];
}

const HALVINGS = 60;

/** The value at or below which `rank` observations of the pool lie, by bisection. */
export function valueAt(pool: Pool, rank: number): number {
  let low = pool.atoms[0] ?? Infinity;
  let high = pool.atoms[pool.atoms.length - 1] ?? -Infinity;
  for (const { edges, mass } of pool.densities) {
    low = Math.min(low, edges[0] ?? Infinity);
    high = Math.max(high, edges[mass.length] ?? -Infinity);
  }
  for (let i = 0; i < HALVINGS && high > low; i++) {
    const middle = low + (high - low) / 2;
    if (below(pool, middle) >= rank) high = middle;
    else low = middle;
  }
  return high;
}

/** Observations at or below x. */
function below({ atoms, running, densities }: Pool, x: number): number {
  const at = upperIndex(atoms, x) - 1;
  let total = at >= 0 ? (running[at] ?? 0) : 0;
  for (const { edges, mass } of densities) {
    for (let k = 0; k < mass.length; k++) {
      const from = edges[k] ?? 0;
      if (x <= from) break;
      const to = edges[k + 1] ?? 0;
      total += x >= to ? (mass[k] ?? 0) : ((mass[k] ?? 0) * (x - from)) / (to - from);
    }
  }
  return total;
}

/** Position of the first of ascending values above x. */
export function upperIndex(ascending: Float64Array, x: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}
