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
