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
