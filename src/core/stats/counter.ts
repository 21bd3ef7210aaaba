import {
  NS_PER_SECOND,
  offsetNs,
  toEpoch,
  type CounterResult,
  type CounterSlice,
  type CounterStats,
  type EpochNs,
  type ScalarSamples,
} from "../model/index.js";
import { windowIndices } from "../store/window.js";
import { gapsInside } from "./gauge.js";
import { moments } from "./moments.js";
import { indicesAtBoundaries, slicesOf } from "./slices.js";
import type { StatisticsWindow } from "./window.js";

export type CounterStatistics = Omit<CounterResult, "kind" | "endpointUrl" | "labels">;

/**
 * Rises of a counter against its reference (the last sample before the window, else the first inside);
 * undefined when no sample lies inside. A counter that was born in the window has a 0 for its reference.
 */
export function counterStatistics(
  samples: ScalarSamples,
  window: StatisticsWindow,
  origin: EpochNs,
): CounterStatistics | undefined {
  const { first, end } = windowIndices(samples.times, window.start, window.end);
  const { unborn = 0 } = samples;
  if (first === end || end <= unborn) return undefined;
  const reference = Math.max(0, first - 1);
  const times = samples.times.subarray(reference, end);
  const values = samples.values.subarray(reference, end);
  const zeros = Math.max(0, unborn - reference);
  const { resets } = counterIncrease(values);
  const { stats, slices } = risesOver(times, resets > 0 ? acrossRestarts(values) : values, window, origin);
  const gaps = gapsInside(samples, window);
  return {
    seconds: durationOf(window, timeSpanned(times)) / NS_PER_SECOND,
    ...(zeros > 0 ? { born: toEpoch(offsetNs(times[zeros] ?? 0), origin) } : {}),
    stats: { ...stats, ...(resets > 0 ? { resets } : {}), ...(gaps > 0 ? { gaps } : {}) },
    ...(slices === undefined ? {} : { slices }),
    ...(resets > 0 || zeros > 0
      ? { aiperf: risesOver(times.subarray(zeros), values.subarray(zeros), window, origin) }
      : {}),
  };
}

/** Last value less the first, not below 0, in all and in slices. */
function risesOver(times: Float64Array, values: Float64Array, window: StatisticsWindow, origin: EpochNs) {
  const total = Math.max(0, (values.at(-1) ?? 0) - (values[0] ?? 0));
  const slices = counterSlices(times, values, window, origin);
  const stats: CounterStats = {
    total,
    rate: perSecond(total, durationOf(window, timeSpanned(times))),
    ...rateStats(slices),
  };
  return slices === undefined ? { stats } : { stats, slices };
}

/** From the reference to the last sample. */
function timeSpanned(times: Float64Array): number {
  return (times.at(-1) ?? 0) - (times[0] ?? 0);
}

/** The values as they would stand without restarts: what was counted before each is added to all that follow it. */
function acrossRestarts(values: Float64Array): Float64Array {
  let lost = 0;
  return values.map((value, i) => {
    const before = values[i - 1] ?? 0;
    if (value < before) lost += before;
    return lost + value;
  });
}

/**
 * Sum of rises; after a fall the whole new value has risen since the restart (Prometheus' `increase` without
 * extrapolation).
 */
export function counterIncrease(values: Float64Array): { readonly resets: number; readonly increase: number } {
  let resets = 0;
  let increase = 0;
  for (let i = 1; i < values.length; i++) {
    const before = values[i - 1] ?? 0;
    const now = values[i] ?? 0;
    if (now < before) {
      resets++;
      increase += now;
    } else {
      increase += now - before;
    }
  }
  return { resets, increase };
}

/** What rates of a window divide by, in nanoseconds. @param timeSpanned from the reference to the last sample */
export function durationOf({ seconds }: StatisticsWindow, timeSpanned: number): number {
  return seconds === undefined || timeSpanned <= 0 ? timeSpanned : seconds * NS_PER_SECOND;
}

/** @returns 0 for an empty duration, as the reference does. */
export function perSecond(amount: number, ns: number): number {
  return ns > 0 ? amount / (ns / NS_PER_SECOND) : 0;
}

function counterSlices(
  times: Float64Array,
  values: Float64Array,
  window: StatisticsWindow,
  origin: EpochNs,
): CounterSlice[] | undefined {
  const cut = slicesOf(window, origin);
  if (cut === undefined) return undefined;
  const at = indicesAtBoundaries(times, [window.start, ...cut.map((slice) => slice.end)]);
  // Before the series' first sample the reference's value holds.
  const valueAt = (boundary: number) => values[Math.max(0, at[boundary] ?? 0)] ?? 0;
  return cut.map((slice, s) => {
    const total = Math.max(0, valueAt(s + 1) - valueAt(s));
    return { ...slice.times, total, rate: perSecond(total, slice.end - slice.start) };
  });
}

function rateStats(slices: readonly CounterSlice[] | undefined): Partial<CounterStats> {
  const rates = (slices ?? []).filter((slice) => slice.is_complete === undefined).map((slice) => slice.rate);
  if (rates.length === 0) return {};
  const { avg, min, max, std } = moments(rates);
  return { rate_avg: avg, rate_min: min, rate_max: max, rate_std: std };
}
