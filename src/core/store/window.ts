/** First index whose time is ≥ `time`. */
export function lowerBound(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index whose time is > `time`. */
export function upperBound(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of an ascending number; −1 where it is not among them. */
export function positionOf(ascending: Float64Array, wanted: number): number {
  const at = lowerBound(ascending, wanted);
  return ascending[at] === wanted ? at : -1;
}

/** Samples inside an inclusive window: indices [first, end). */
export function windowIndices(
  times: Float64Array,
  start: number,
  end: number,
): { readonly first: number; readonly end: number } {
  return { first: lowerBound(times, start), end: upperBound(times, end) };
}

/**
 * Thins a line to at most about `maxPoints` points, keeping the extremes of every stretch and the first and last point.
 * Times are cut into equal stretches of which the lowest and highest value stay, in time order; NaN (a gap) is kept
 * where it breaks the line.
 */
export function downsample(
  times: Float64Array,
  values: Float64Array,
  maxPoints: number,
): { times: Float64Array; values: Float64Array } {
  const n = times.length;
  if (n <= maxPoints || maxPoints < 8) return { times: times.slice(), values: values.slice() };
  const first = times[0] ?? 0;
  const span = (times[n - 1] ?? 0) - first;
  // Two extremes and perhaps a gap for each stretch.
  const stretches = Math.floor((maxPoints - 2) / 3);
  const keep: number[] = [0];
  let i = 1;
  for (let s = 1; s <= stretches && i < n - 1; s++) {
    const until = s === stretches ? Infinity : first + (span * s) / stretches;
    let low = -1;
    let high = -1;
    let gap = -1;
    for (; i < n - 1 && (times[i] ?? 0) < until; i++) {
      const value = values[i] ?? NaN;
      if (Number.isNaN(value)) {
        if (gap < 0) gap = i;
        continue;
      }
      if (low < 0 || value < (values[low] ?? NaN)) low = i;
      if (high < 0 || value > (values[high] ?? NaN)) high = i;
    }
    for (const index of [...new Set([low, high, gap])].filter((x) => x >= 0).sort((a, b) => a - b)) keep.push(index);
  }
  keep.push(n - 1);
  return {
    times: Float64Array.from(keep, (k) => times[k] ?? 0),
    values: Float64Array.from(keep, (k) => values[k] ?? NaN),
  };
}
