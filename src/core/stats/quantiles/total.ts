import type { Density } from "./grid.js";
import type { Pool } from "./pool.js";
import type { ActiveBuckets } from "./rows.js";

/** How far a density may be drawn towards an end of its bucket. */
const FURTHEST = 0.5;
const ROUNDS = 4;

/**
 * Draws the densities towards the ends of their buckets until all observations together have the exact sum: what the
 * grid and the sampling of rows left over is shared out by how uncertain each bucket's observations are. Exact values
 * stay.
 */
export function honourSum(pools: readonly Pool[], active: ActiveBuckets, sum: number): Pool[] {
  let drawn = [...pools];
  for (let round = 0; round < ROUNDS; round++) {
    const parts = drawn.map((pool) => pool.densities.map(sums));
    const room = parts.map((densities) => densities.reduce((total, part) => total + part.spread, 0));
    const total = drawn.reduce(
      (all, pool, a) => all + atomSum(pool) + (parts[a] ?? []).reduce((s, part) => s + part.sum, 0),
      0,
    );
    const missing = sum - total;
    const allRoom = room.reduce((s, r) => s + r, 0);
    if (!(allRoom > 0) || Math.abs(missing) <= 1e-12 * Math.abs(sum)) break;
    drawn = drawn.map((pool, a) => ({
      ...pool,
      densities: pool.densities.map((density, i) => {
        const part = parts[a]?.[i];
        if (part === undefined || part.mass <= 0) return density;
        const shift = (missing * part.spread) / allRoom / part.mass;
        return draw(density, part.sum / part.mass, shift, active.lower[a] ?? -Infinity, active.upper[a] ?? Infinity);
      }),
    }));
  }
  return drawn;
}

function atomSum({ atoms, running }: Pool): number {
  let sum = 0;
  for (let i = 0; i < atoms.length; i++) sum += (atoms[i] ?? 0) * ((running[i] ?? 0) - (running[i - 1] ?? 0));
  return sum;
}

/** Mass, sum of values and sum of squared distances from their mean. */
function sums({ edges, mass }: Density): { readonly mass: number; readonly sum: number; readonly spread: number } {
  const origin = edges[0] ?? 0;
  let all = 0;
  let first = 0;
  let second = 0;
  for (let k = 0; k < mass.length; k++) {
    const p = mass[k] ?? 0;
    const from = (edges[k] ?? 0) - origin;
    const to = (edges[k + 1] ?? 0) - origin;
    all += p;
    first += (p * (from + to)) / 2;
    second += (p * (from * from + from * to + to * to)) / 3;
  }
  return { mass: all, sum: all * origin + first, spread: all > 0 ? Math.max(0, second - (first * first) / all) : 0 };
}

/** Moves the mean by `shift`: linearly towards the end on that side, or away from the bound of an open bucket. */
function draw({ edges, mass }: Density, mean: number, shift: number, lower: number, upper: number): Density {
  const end = shift > 0 ? (upper === Infinity ? lower : upper) : lower === -Infinity ? upper : lower;
  const share = Math.max(-FURTHEST, Math.min(FURTHEST, shift / (end - mean)));
  return { edges: Number.isFinite(share) ? edges.map((x) => x + share * (end - x)) : edges, mass };
}
