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
