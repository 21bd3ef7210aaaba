import {
  NS_PER_SECOND,
  type HistogramResult,
  type SeriesId,
  type SeriesKey,
  type SeriesResult,
  type SeriesSamples,
} from "../model/index.js";
import { lowerBound } from "../store/window.js";
import type { Run } from "../store/index.js";
import { perSecond } from "./counter.js";
import type { RunWindow } from "./window.js";

/**
 * A series' result, with what the run's file says of it beyond its samples. Over another window than the file's the
 * result stands as it was computed.
 * @param from where its endpoint's window begins, an offset
 */
export function withFileStatistics(
  run: Run,
  key: SeriesKey,
  samples: SeriesSamples,
  result: SeriesResult | undefined,
  window: RunWindow,
  from: number,
): SeriesResult | undefined {
  const { fileStatistics } = run;
  if (fileStatistics === undefined || result === undefined) return result;
  const assumed = assumedReference(run);
  const timed =
    assumed === undefined || window.seconds !== undefined ? result : fromFirstInside(samples, result, assumed, from);
  const gaps = gapsInFile(run, key.id, window);
  return gaps === undefined || timed.kind === "histogram" ? timed : withGaps(timed, gaps);
}

/** The gaps of a series that the run's file tells of its own window; undefined of any other. */
export function gapsInFile({ fileStatistics }: Run, id: SeriesId, window: RunWindow): number | undefined {
  return fileStatistics?.start === window.start && fileStatistics.end === window.end
    ? fileStatistics.gaps.get(id)
    : undefined;
}

function withGaps(result: Exclude<SeriesResult, HistogramResult>, gaps: number): SeriesResult {
  return result.kind === "counter"
    ? { ...result, stats: { ...result.stats, gaps } }
    : { ...result, stats: { ...result.stats, gaps } };
}

/** Rates of a series whose reference's time is unknown run from its first sample inside the window, from `start` on. */
function fromFirstInside(samples: SeriesSamples, result: SeriesResult, assumed: number, start: number): SeriesResult {
  if (result.kind === "gauge" || result.seconds === undefined) return result;
  const times = samples.kind === "scalar" ? samples.times : (samples.segments[0]?.times ?? new Float64Array(0));
  const first = firstInside(times, Math.max(0, lowerBound(times, start) - 1), assumed);
  if (first === undefined) return result;
  const ns = Math.round(result.seconds * NS_PER_SECOND) - (first - assumed);
  const seconds = ns / NS_PER_SECOND;
  if (result.kind === "counter")
    return { ...result, seconds, stats: { ...result.stats, rate: perSecond(result.stats.total, ns) } };
  const { count, sum } = result.stats;
  if (sum === undefined) return result;
  return {
    ...result,
    seconds,
    stats: { ...result.stats, count_rate: perSecond(count, ns), sum_rate: perSecond(sum, ns) },
  };
}

/**
 * From when a rate runs whose reference is the sample at `reference`, if that only stands for one of unknown time.
 * @param assumed the time that such a reference has in the run
 */
export function firstInside(times: Float64Array, reference: number, assumed: number | undefined): number | undefined {
  return assumed !== undefined && times[reference] === assumed ? times[reference + 1] : undefined;
}

/** The time of the run's assumed references, as an offset. */
export function assumedReference({ fileStatistics, store }: Run): number | undefined {
  return fileStatistics?.assumedReference === undefined
    ? undefined
    : Number(fileStatistics.assumedReference - store.origin);
}
