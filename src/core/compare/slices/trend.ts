import type { SeriesSlices } from "./slices.js";

const POINTS = 48;

/** A small multiple: slices (of a histogram their averages) joined to at most 48 points. */
export function trendOf(slices: SeriesSlices | undefined): Float64Array {
  if (slices === undefined) return new Float64Array(0);
  return slices.kind === "values" ? joined(slices.values) : joined(slices.sums, slices.observed);
}

/** A small multiple of the ratio of two counters; empty where a side has none. */
export function ratioTrend(above: SeriesSlices | undefined, below: SeriesSlices | undefined): Float64Array {
  return above?.kind === "values" && below?.kind === "values"
    ? joined(above.values, below.values)
    : new Float64Array(0);
}

function joined(above: Float64Array, below?: Float64Array): Float64Array {
  const points = Math.min(POINTS, above.length);
  return Float64Array.from({ length: points }, (_, i) => {
    let sum = 0;
    let weight = 0;
    for (let s = Math.round((i * above.length) / points); s < Math.round(((i + 1) * above.length) / points); s++) {
      const value = above[s] ?? NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      weight += below === undefined ? 1 : (below[s] ?? 0);
    }
    return weight > 0 ? sum / weight : NaN;
  });
}
