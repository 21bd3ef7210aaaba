/** Mean (never outside the extremes), extremes and sample standard deviation (n−1; 0 for one value). */
export interface Moments {
  readonly avg: number;
  readonly min: number;
  readonly max: number;
  readonly std: number;
}

/** Two passes, so that large offsets do not cancel. @param values at least one finite number in [from, to) */
export function moments(values: ArrayLike<number>, from = 0, to = values.length): Moments {
  const n = to - from;
  let sum = 0;
  let min = Infinity;
  let max = -Infinity;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? NaN;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  // Rounding may carry a sum of equal values beyond them: 0.1 added up 43 times is less than 43 times 0.1.
  const avg = Math.min(max, Math.max(min, sum / n));
  let squares = 0;
  for (let i = from; i < to; i++) squares += ((values[i] ?? NaN) - avg) ** 2;
  return { avg, min, max, std: n > 1 ? Math.sqrt(squares / (n - 1)) : 0 };
}

/**
 * Percentiles by linear interpolation between order statistics at rank q·(n−1) (Hyndman & Fan type 7, numpy's default).
 * @param values finite numbers, at least one; sorted in place
 * @param qs in [0, 1]
 */
export function percentilesInPlace(values: Float64Array, qs: readonly number[]): number[] {
  values.sort();
  const last = values.length - 1;
  return qs.map((q) => {
    const rank = q * last;
    const below = values[Math.floor(rank)] ?? NaN;
    const above = values[Math.ceil(rank)] ?? NaN;
    return below + (above - below) * (rank - Math.floor(rank));
  });
}
