import type { ChartData, ChartLine } from "../../src/protocol/index.js";
import { quantile } from "../dashboards/deviation.js";
import { distinguishingNames, type EndpointLabel } from "../format/text.js";

/**
 * Many series as one picture: p90, p10 and median of all at each time, then the outliers, named by what tells them
 * from the other series.
 */
export interface Band {
  readonly data: ChartData;
  readonly names: readonly string[];
  readonly outliers: number;
}

const MAX_BINS = 200;
const MAX_OUTLIERS = 4;
/** Robust standard deviations of a series' mean from the median of all that make it an outlier… */
const FAR = 3.5;
const MAD = 1.4826;
/** …if it is also this share of the median away. */
const LEAST = 0.1;

/** The middle of many lines, how far they spread, and which are elsewhere. Undefined without values. */
export function bandOf(data: ChartData, labelled: readonly EndpointLabel[] = []): Band | undefined {
  const { lines } = data;
  const [first] = lines;
  if (first === undefined) return undefined;
  const lengths = lines.map(({ times }) => times.length).sort((a, b) => a - b);
  const bins = Math.min(MAX_BINS, lengths[lengths.length >> 1] ?? 0);
  const from = Math.min(...lines.map(({ times }) => times[0] ?? Infinity));
  const to = Math.max(...lines.map(({ times }) => times.at(-1) ?? -Infinity));
  if (bins < 2 || !(to > from)) return undefined;
  const width = (to - from) / bins;
  const binned = lines.map((line) => binsOf(line, from, width, bins));
  const times = Float64Array.from({ length: bins }, (_, i) => from + (i + 0.5) * width);
  const of = (quantity: "p90" | "p10" | "median", q: number): ChartLine => ({
    series: first.series,
    endpointUrl: "",
    labels: [],
    quantity,
    times,
    values: Float64Array.from({ length: bins }, (_, i) =>
      quantile(
        binned.map((bin) => bin[i] ?? NaN),
        q,
      ),
    ),
  });
  const names = distinguishingNames(lines, labelled);
  const outliers = outliersOf(lines);
  return {
    data: {
      ...data,
      lines: [of("p90", 0.9), of("p10", 0.1), of("median", 0.5), ...outliers.flatMap((at) => lines[at] ?? [])],
    },
    names: ["", "", "", ...outliers.map((at) => names[at] ?? "")],
    outliers: outliers.length,
  };
}

/** Means of equal stretches of time; NaN where a line has nothing. */
function binsOf({ times, values }: ChartLine, from: number, width: number, bins: number): Float64Array {
  const sums = new Float64Array(bins);
  const counts = new Float64Array(bins);
  for (const [i, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    const bin = Math.min(bins - 1, Math.floor(((times[i] ?? from) - from) / width));
    sums[bin] = (sums[bin] ?? 0) + value;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return sums.map((sum, i) => sum / (counts[i] ?? 0));
}

/** Positions of the lines whose means are far from the others', the farthest first. */
function outliersOf(lines: readonly ChartLine[]): readonly number[] {
  const means = lines.map(({ values }) => {
    const known = values.filter((value) => !Number.isNaN(value));
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  });
  const median = quantile(means, 0.5);
  const distances = means.map((mean) => Math.abs(mean - median));
  const limit = Math.max(FAR * MAD * quantile(distances, 0.5), LEAST * Math.abs(median));
  return [...distances.keys()]
    .filter((at) => (distances[at] ?? 0) > limit)
    .sort((a, b) => (distances[b] ?? 0) - (distances[a] ?? 0))
    .slice(0, MAX_OUTLIERS);
}
