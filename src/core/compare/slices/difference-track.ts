import { medianInterval } from "../../math/index.js";

/** A line as charts draw it: times in ns ascending, NaN where it breaks. */
export interface Track {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/**
 * Candidate (`b`) less baseline (`a`) over time, on one axis. It has the points of the track with the longer intervals
 * inside the time that both cover; the other track counts with the mean of what it shows around each (up to half way to
 * the next point), else with the straight line between its neighbours. NaN where either is missing.
 */
export function differenceTrack(a: Track, b: Track): { readonly times: Float64Array; readonly values: Float64Array } {
  const finerIsB = medianInterval(b.times) <= medianInterval(a.times);
  const [coarse, fine] = finerIsB ? [a, b] : [b, a];
  const start = Math.max(a.times[0] ?? Infinity, b.times[0] ?? Infinity);
  const end = Math.min(a.times.at(-1) ?? -Infinity, b.times.at(-1) ?? -Infinity);
  const step = medianInterval(coarse.times);
  const times: number[] = [];
  const values: number[] = [];
  let at = 0;
  coarse.times.forEach((time, i) => {
    // Tracks whose scrapes are out of step still meet at their ends.
    if (time < start - step / 2 || time > end + step / 2) return;
    const from = Math.max(time - step, (time + (coarse.times[i - 1] ?? -Infinity)) / 2);
    const to = Math.min(time + step, (time + (coarse.times[i + 1] ?? Infinity)) / 2);
    while (at < fine.times.length && (fine.times[at] ?? Infinity) <= from) at++;
    const own = coarse.values[i] ?? NaN;
    const other = around(fine, at, to) ?? interpolated(fine, at, time);
    times.push(time);
    values.push(finerIsB ? other - own : own - other);
  });
  return { times: Float64Array.from(times), values: Float64Array.from(values) };
}

/**
 * Mean of the points from position `at` up to a time; NaN when the line is broken all along; undefined without points.
 */
function around({ times, values }: Track, at: number, to: number): number | undefined {
  let sum = 0;
  let present = 0;
  let i = at;
  for (; i < times.length && (times[i] ?? Infinity) <= to; i++) {
    const value = values[i] ?? NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    present++;
  }
  return i === at ? undefined : present === 0 ? NaN : sum / present;
}

/** On the straight line from the point before position `at` to the one there; NaN at a break and beyond the ends. */
function interpolated({ times, values }: Track, at: number, time: number): number {
  const [from, to] = [times[at - 1] ?? NaN, times[at] ?? NaN];
  const [low, high] = [values[at - 1] ?? NaN, values[at] ?? NaN];
  return low + ((time - from) / (to - from)) * (high - low);
}
