import { sharedUppers } from "../../stats/index.js";
import type { HistogramSlices, SeriesSlices } from "./slices.js";

/**
 * Several series as one: rates and counts summed, gauges summed or averaged, buckets merged on the bounds that all
 * share.
 */
export function aggregateSlices(parts: readonly SeriesSlices[], gauges: "sum" | "mean"): SeriesSlices | undefined {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first;
  if (first.kind === "values") {
    const values = parts.flatMap((part) => (part.kind === "values" ? [part] : []));
    return {
      kind: "values",
      values: sumPresent(
        values.map((part) => part.values),
        gauges,
      ),
      resets: values.reduce((sum, part) => sum + part.resets, 0),
    };
  }
  const histograms = parts.flatMap((part) => (part.kind === "histogram" ? [part] : []));
  const uppers = sharedUppers(histograms.map((part) => part.uppers));
  const onShared = histograms.map((part) => rebin(part, uppers));
  return {
    kind: "histogram",
    uppers,
    counts: Array.from(uppers, (_, b) =>
      sumPresent(
        onShared.map((counts) => counts[b] ?? new Float64Array(0)),
        "sum",
      ),
    ),
    observed: sumPresent(
      histograms.map((part) => part.observed),
      "sum",
    ),
    sums: sumPresent(
      histograms.map((part) => part.sums),
      "sum",
    ),
    resets: histograms.reduce((sum, part) => sum + part.resets, 0),
  };
}

/** NaN only where all are. */
function sumPresent(parts: readonly Float64Array[], how: "sum" | "mean"): Float64Array {
  return Float64Array.from(parts[0] ?? [], (_, s) => {
    let sum = 0;
    let present = 0;
    for (const part of parts) {
      const value = part[s] ?? NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      present++;
    }
    return present === 0 ? NaN : how === "mean" ? sum / present : sum;
  });
}

/** A histogram's counts on bounds that are among its own: a finer bucket belongs to the next bound that stays. */
export function rebin(
  { uppers, counts }: Pick<HistogramSlices, "uppers" | "counts">,
  onto: Float64Array,
): readonly Float64Array[] {
  if (onto.length === uppers.length) return counts;
  const out = Array.from(onto, () => new Float64Array(counts[0]?.length ?? 0));
  counts.forEach((slices, b) => {
    const target = out[onto.findIndex((upper) => upper >= (uppers[b] ?? Infinity))];
    if (target !== undefined) slices.forEach((n, s) => (target[s] = (target[s] ?? 0) + n));
  });
  return out;
}

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
