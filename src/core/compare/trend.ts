import type { SeriesSlices } from "./slices.js";

const POINTS = 48;

/** A small multiple: slices (of a histogram their averages) joined to at most 48 points. */
export function trendOf(slices: SeriesSlices | undefined): Float64Array {
  if (slices === undefined) return new Float64Array(0);
  const above = slices.kind === "values" ? slices.values : slices.sums;
  const below = slices.kind === "values" ? undefined : slices.observed;
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
