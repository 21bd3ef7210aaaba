/** 0 of nothing. */
export function sum(values: Iterable<number>): number {
  let all = 0;
  for (const value of values) all += value;
  return all;
}

/** Arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/**
 * Median distance of successive times, the upper one of two; 0 for fewer than two times.
 * @param most about so many distances, spread over the times, stand for all
 */
export function medianInterval(times: Float64Array, most = Infinity): number {
  const all = Math.max(0, times.length - 1);
  const step = Math.max(1, Math.floor(all / most));
  const intervals = new Float64Array(Math.ceil(all / step));
  for (let i = 0; i < intervals.length; i++) intervals[i] = (times[i * step + 1] ?? 0) - (times[i * step] ?? 0);
  intervals.sort();
  return intervals[intervals.length >> 1] ?? 0;
}
