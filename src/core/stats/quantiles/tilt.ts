import { moments, type Density, type Moments } from "./grid.js";

const ROUNDS = 60;

/**
 * How the variance is met: exactly, or at most. An open bucket's density never gets a larger variance than the mean
 * asks for, which could only be had by a second heap at the far end of the grid.
 */
export type Spread = "exact" | "at-most";

/**
 * The density nearest to `prior` (least relative entropy: Csiszár 1975) with the given mean and variance:
 * prior · exp(a·x + b·x²), by damped Newton steps. Where the grid cannot meet a target it is met as nearly as it can.
 */
export function tilt(prior: Density, want: Moments, spread: Spread): Density {
  const { edges, mass } = prior;
  const cells = mass.length;
  const from = edges[0] ?? 0;
  const to = edges[cells] ?? 1;
  const now = moments(prior);
  const reach = Math.max(to - from, Number.MIN_VALUE);
  // Coordinates about the target, in units of its spread: Newton's steps are then of order 1.
  const inner = 0.002 * reach;
  const center = Math.max(
    from + Math.min(inner, Math.sqrt(want.variance)),
    Math.min(to - Math.min(inner, Math.sqrt(want.variance)), want.mean),
  );
  const widest = 0.97 * (center - from) * (to - center);
  const variance = Math.max(1e-24 * reach * reach, Math.min(widest, want.variance));
  const unit = Math.sqrt(variance);
  if (Math.abs(now.mean - center) < 1e-6 * unit && Math.abs(now.variance - variance) < 1e-6 * variance) return prior;
  const z = new Float64Array(cells);
  const z2 = new Float64Array(cells);
  for (let k = 0; k < cells; k++) {
    const l = ((edges[k] ?? 0) - center) / unit;
    const r = ((edges[k + 1] ?? 0) - center) / unit;
    z[k] = (l + r) / 2;
    z2[k] = (l * l + l * r + r * r) / 3;
  }
  const out = new Float64Array(cells);
  // The Gaussian that makes up the difference is a good start where the target is the narrower.
  let b = variance < now.variance ? 0.5 * (variance / now.variance - 1) : 0;
  let a = variance < now.variance ? (-(now.mean - center) / unit) * (variance / now.variance) : 0;
  const objective = (s: number, top: number) => Math.log(s) + top - b;
  let last = Infinity;
  let step = { a: 0, b: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    let highest = -Infinity;
    for (let k = 0; k < cells; k++)
      if ((mass[k] ?? 0) > 0) highest = Math.max(highest, a * (z[k] ?? 0) + b * (z2[k] ?? 0));
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s11 = 0;
    let s12 = 0;
    let s22 = 0;
    for (let k = 0; k < cells; k++) {
      const x = z[k] ?? 0;
      const y = z2[k] ?? 0;
      const p = (out[k] = (mass[k] ?? 0) > 0 ? (mass[k] ?? 0) * Math.exp(a * x + b * y - highest) : 0);
      s0 += p;
      s1 += p * x;
      s2 += p * y;
      s11 += p * x * x;
      s12 += p * x * y;
      s22 += p * y * y;
    }
    // The dual is convex: a step that raises it is halved.
    const value = objective(s0, highest);
    if (!(value <= last + 1e-12) && (step.a !== 0 || step.b !== 0)) {
      step = { a: step.a / 2, b: step.b / 2 };
      a -= step.a;
      b -= step.b;
      continue;
    }
    last = value;
    const m1 = s1 / s0;
    const m2 = s2 / s0;
    if (Math.abs(m1) < 1e-5 && Math.abs(m2 - 1) < 1e-4) break;
    const ridge = 1e-9;
    const c11 = s11 / s0 - m1 * m1 + ridge;
    const c12 = s12 / s0 - m1 * m2;
    const c22 = s22 / s0 - m2 * m2 + ridge;
    const det = Math.max(1e-18, c11 * c22 - c12 * c12);
    let da = (c12 * (m2 - 1) - c22 * m1) / det;
    let db = (c12 * m1 - c11 * (m2 - 1)) / det;
    if (spread === "at-most" && b + db > 0) {
      db = -b;
      da = -(m1 + c12 * db) / c11;
      if (db === 0 && Math.abs(m1) < 1e-5) break;
    }
    const damp = Math.min(1, 3 / Math.max(Math.abs(da), Math.abs(db)));
    step = { a: damp * da, b: damp * db };
    a += step.a;
    b += step.b;
  }
  let total = 0;
  for (const p of out) total += p;
  return { edges, mass: out.map((p) => p / total) };
}
