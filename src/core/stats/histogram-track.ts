import { boundText, type HistogramSamples, type HistogramSegment } from "../model/index.js";
import { positionOf } from "../store/window.js";

/** A histogram's samples on one set of bounds: its own, or those shared by all its segments. */
export interface HistogramTrack extends HistogramSegment {
  /** More than one set of bounds was seen; `bounds` may then be empty. */
  readonly boundsChanged: boolean;
  /** How many of the first samples are zeros before the histogram was born. */
  readonly unborn: number;
}

/**
 * Joins the segments on the bounds that all of them have. With fewer than two finite shared bounds there are none:
 * the track then has count and sum only. Undefined without samples.
 */
export function joinSegments({ segments, unborn = 0 }: HistogramSamples): HistogramTrack | undefined {
  const [only] = segments;
  if (only === undefined) return undefined;
  if (segments.length === 1) {
    // Written out: of a copy V8 knows no shape, and compiles what reads it again and again.
    const { bounds, uppers, times, sums, counts, buckets } = only;
    return { boundsChanged: false, unborn, bounds, uppers, times, sums, counts, buckets };
  }
  const uppers = sharedUppers(segments.map((segment) => segment.uppers));
  return {
    boundsChanged: true,
    unborn,
    bounds: Array.from(uppers, (upper) => only.bounds[positionOf(only.uppers, upper)] ?? boundText(String(upper))),
    uppers,
    times: concat(segments.map((segment) => segment.times)),
    sums: concat(segments.map((segment) => segment.sums)),
    counts: concat(segments.map((segment) => segment.counts)),
    buckets: Array.from(uppers, (upper) =>
      concat(segments.map((segment) => segment.buckets[positionOf(segment.uppers, upper)] ?? new Float64Array(0))),
    ),
  };
}

function concat(parts: readonly Float64Array[]): Float64Array {
  const out = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/**
 * The bounds that several histograms share, by value ("1.0" and "1" are the same bound).
 * Empty when fewer than two finite ones are shared, which is too few for percentiles.
 * @param layouts upper bounds, ascending
 */
export function sharedUppers(layouts: readonly Float64Array[]): Float64Array {
  const [first = new Float64Array(0)] = layouts;
  const shared = first.filter((upper) => layouts.every((layout) => positionOf(layout, upper) >= 0));
  return shared.length >= 3 ? shared : new Float64Array(0);
}
