import { mean } from "../math/index.js";
import type { SignalPoint } from "./signals.js";

/** The values of points without their times. */
export function valuesOf(points: readonly SignalPoint[]): readonly number[] {
  return points.map(({ value }) => value);
}

/** Sample standard deviation; 0 for fewer than two. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const m = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - m) ** 2, 0) / (values.length - 1));
}

/** Pearson's correlation of two series on the same slices; NaN where one is constant or fewer than 8 are shared. */
export function correlation(a: readonly SignalPoint[], b: readonly SignalPoint[]): number {
  const others = new Map(b.map(({ startNs, value }) => [startNs, value]));
  const pairs = a.flatMap(({ startNs, value }) => {
    const other = others.get(startNs);
    return other === undefined ? [] : [[value, other] as const];
  });
  if (pairs.length < 8) return NaN;
  const mx = mean(pairs.map(([x]) => x));
  const my = mean(pairs.map(([, y]) => y));
  let [xx, yy, xy] = [0, 0, 0];
  for (const [x, y] of pairs) {
    xx += (x - mx) ** 2;
    yy += (y - my) ** 2;
    xy += (x - mx) * (y - my);
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : NaN;
}

/** Share of points that a test holds for; 0 without points. */
export function share(points: readonly SignalPoint[], test: (value: number) => boolean): number {
  return points.length === 0 ? 0 : points.filter(({ value }) => test(value)).length / points.length;
}

/** Kendall's tau of values against time: 1 rises throughout, −1 falls throughout. */
export function trend(values: readonly number[]): number {
  let concordant = 0;
  let pairs = 0;
  for (let i = 0; i < values.length; i++) {
    for (let j = i + 1; j < values.length; j++) {
      concordant += Math.sign((values[j] ?? 0) - (values[i] ?? 0));
      pairs++;
    }
  }
  return pairs === 0 ? 0 : concordant / pairs;
}

/** Part of the points, by shares of their number. */
export function part(points: readonly SignalPoint[], from: number, to: number): readonly SignalPoint[] {
  return points.slice(Math.floor(points.length * from), Math.max(1, Math.ceil(points.length * to)));
}

/** From `low` at `from` to `high` at `to`, and no further. */
export function ramp(value: number, from: number, to: number, low: number, high: number): number {
  const at = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return low + at * (high - low);
}

/**
 * Standard errors that the largest of so many differences exceeds by chance as seldom as a single one exceeds those
 * given: the tail of a normal distribution falls by a factor of n from z to about √(z² + 2 ln n).
 */
export function adjustedForMany(standardErrors: number, n: number): number {
  return Math.sqrt(standardErrors ** 2 + 2 * Math.log(Math.max(1, n)));
}
