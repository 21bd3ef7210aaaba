/** Arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Median distance of successive times, the upper one of two; 0 for fewer than two times. */
export function medianInterval(times: Float64Array): number {
  const intervals = Float64Array.from(times.subarray(1), (time, i) => time - (times[i] ?? 0)).sort();
  return intervals[intervals.length >> 1] ?? 0;
}
