import { PERCENTILES, type EpochNs, type GaugeSlice, type GaugeStats, type ScalarSamples } from "../model/index.js";
import { lowerBound, windowIndices } from "../store/window.js";
import { moments, percentilesInPlace } from "./moments.js";
import { slicesOf } from "./slices.js";
import type { StatisticsWindow } from "./window.js";

const QS = PERCENTILES.map((p) => p / 100);

/**
 * Statistics of the samples inside the window, each scrape counting once; undefined when there is neither sample nor
 * gap.
 */
export function gaugeStatistics(
  samples: ScalarSamples,
  window: StatisticsWindow,
  origin: EpochNs,
): { readonly stats: GaugeStats; readonly slices?: readonly GaugeSlice[] } | undefined {
  const { times, values } = gaugeInside(samples, window);
  const gaps = gapsInside(samples, window);
  if (values.length === 0) return gaps > 0 ? { stats: { gaps } } : undefined;
  const slices = gaugeSlices(times, values, window, origin);
  return {
    stats: { ...gaugeStats(values), ...(gaps > 0 ? { gaps } : {}) },
    ...(slices === undefined ? {} : { slices }),
  };
}

/**
 * The samples of a gauge that count in a window: those inside it, without those of its pauses. Between two phases a
 * server does what nobody asked about; a counter's total includes it, a gauge's average does not.
 */
export function gaugeInside(
  { times, values }: ScalarSamples,
  { start, end, pauses = [] }: StatisticsWindow,
): { readonly times: Float64Array; readonly values: Float64Array } {
  const inside = windowIndices(times, start, end);
  const all = { times: times.subarray(inside.first, inside.end), values: values.subarray(inside.first, inside.end) };
  if (pauses.length === 0) return all;
  const counts = (time: number) => !pauses.some(({ from, to }) => time >= from && time < to);
  return { times: all.times.filter(counts), values: all.values.filter((_, i) => counts(all.times[i] ?? NaN)) };
}

/** How many samples inside the window were NaN or infinite. */
export function gapsInside(samples: ScalarSamples, window: StatisticsWindow): number {
  const { first, end } = windowIndices(samples.gapTimes, window.start, window.end);
  return end - first;
}

/** @param values at least one finite number */
export function gaugeStats(values: Float64Array): GaugeStats {
  const percentiles = percentilesInPlace(values.slice(), QS);
  const stats: { -readonly [K in keyof GaugeStats]: GaugeStats[K] } = { ...moments(values) };
  PERCENTILES.forEach((p, i) => (stats[`p${p}`] = percentiles[i] ?? NaN));
  return stats;
}

function gaugeSlices(
  times: Float64Array,
  values: Float64Array,
  window: StatisticsWindow,
  origin: EpochNs,
): GaugeSlice[] | undefined {
  const cut = values.length < 2 ? undefined : slicesOf(window, origin);
  if (cut === undefined) return undefined;
  const lastTime = times[times.length - 1];
  const slices: GaugeSlice[] = [];
  const last = cut.at(-1);
  let from = lowerBound(times, cut[0]?.start ?? 0);
  for (const slice of cut) {
    let to = from;
    while (to < times.length && (times[to] ?? Infinity) < slice.end) to++;
    // Half open, but nothing comes after the last slice: it keeps a sample on its end.
    if (slice === last && slice.end === lastTime) to = times.length;
    if (from < to) {
      const { avg, min, max } = moments(values, from, to);
      slices.push({ ...slice.times, avg, min, max });
    }
    from = to;
  }
  return slices;
}
