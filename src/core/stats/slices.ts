import { NS_PER_SECOND, offsetNs, toEpoch, type EpochNs, type SliceTimes } from "../model/index.js";
import type { StatisticsWindow } from "./window.js";

/** One slice of the window on the run's axis, OffsetNs. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly complete: boolean;
}

/** More slices than this would be a mistake in the slice length, not a wish. */
export const MAX_SLICES = 1_000_000;

/**
 * Cuts [start, end] into slices of `seconds`; the last one is shorter and incomplete when they do not divide evenly.
 * @throws RangeError for a slice length that is not positive or gives over a million slices.
 */
export function cutSlices(start: number, end: number, seconds: number): Slice[] {
  const length = Math.round(seconds * NS_PER_SECOND);
  if (!(length > 0)) throw new RangeError(`slice duration must be positive, not ${seconds} s`);
  if ((end - start) / length > MAX_SLICES)
    throw new RangeError(
      `the window of ${Math.round((end - start) / NS_PER_SECOND)} s would have over ${MAX_SLICES} slices of ${seconds} s. Choose a shorter window, in nanoseconds since the epoch, or longer slices`,
    );
  const slices: Slice[] = [];
  for (let from = start; from < end; from += length) {
    const to = from + length;
    slices.push(to <= end ? { start: from, end: to, complete: true } : { start: from, end, complete: false });
  }
  return slices;
}

/** A slice with its times as the artifacts write them. */
export interface TimedSlice extends Slice {
  readonly times: SliceTimes;
}

/** All series of an endpoint share one window, and the times of its slices. */
const known = new WeakMap<StatisticsWindow, { readonly origin: EpochNs; readonly slices: readonly TimedSlice[] }>();

/** The slices of a window; undefined of one without. @throws RangeError as `cutSlices` does */
export function slicesOf(window: StatisticsWindow, origin: EpochNs): readonly TimedSlice[] | undefined {
  if (window.sliceSeconds === undefined || window.sliceSeconds === 0) return undefined;
  let cut = known.get(window);
  if (cut?.origin !== origin) {
    const slices = cutSlices(window.start, window.end, window.sliceSeconds);
    cut = { origin, slices: slices.map((slice) => ({ ...slice, times: sliceTimes(slice, origin) })) };
    known.set(window, cut);
  }
  return cut.slices;
}

function sliceTimes(slice: Slice, origin: EpochNs): SliceTimes {
  return {
    start_ns: toEpoch(offsetNs(slice.start), origin),
    end_ns: toEpoch(offsetNs(slice.end), origin),
    ...(slice.complete ? {} : { is_complete: false as const }),
  };
}

/** Index of the last sample with time ≤ each boundary; −1 before the first. `times` and `boundaries` ascend. */
export function indicesAtBoundaries(times: Float64Array, boundaries: readonly number[]): number[] {
  let i = -1;
  return boundaries.map((boundary) => {
    while (i + 1 < times.length && (times[i + 1] ?? Infinity) <= boundary) i++;
    return i;
  });
}

/** Slices wished for: more would add nothing but correlation between them. */
const WISHED = 240;
const ENOUGH = 100;
const SCRAPES_EACH = 3;
const MIN_SCRAPES_EACH = 2;

/**
 * Slice length to compare runs or parts of a run by: about 240 slices of at least three scrapes each; of
 * two, where that is what it takes to get 100.
 * @param windows length of each run's window and mean time between its scrapes, seconds
 */
export function chooseSliceSeconds(
  windows: readonly { readonly seconds: number; readonly interval: number }[],
): number {
  const shortest = Math.min(...windows.map(({ seconds }) => seconds));
  const interval = Math.max(...windows.map((window) => window.interval));
  const scrapes = shortest / interval;
  const count = Math.min(WISHED, Math.max(scrapes / SCRAPES_EACH, Math.min(ENOUGH, scrapes / MIN_SCRAPES_EACH)));
  return shortest / Math.max(1, Math.floor(count + 1e-9));
}
