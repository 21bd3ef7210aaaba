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

/** Samples inside an inclusive window: indices [first, end). */
export function windowIndices(
  times: Float64Array,
  start: number,
  end: number,
): { readonly first: number; readonly end: number } {
  return { first: lowerBound(times, start), end: upperBound(times, end) };
}
