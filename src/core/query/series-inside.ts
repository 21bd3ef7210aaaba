import type { SeriesKey } from "../model/index.js";
import { gaugeInside, type StatisticsWindow } from "../stats/index.js";
import { windowIndices, type Store } from "../store/index.js";
import { SPARK_POINTS } from "./tile.js";

/** What the readings of one answer share: one moment's series and windows, whatever is captured meanwhile. */
export interface ReadingContext {
  readonly store: Store;
  readonly keysOf: (family: string) => readonly SeriesKey[];
  /** By endpoint. */
  readonly windows: readonly StatisticsWindow[];
  readonly stretches: Stretches;
}

/** Equal stretches of time that the courses of all series are cut into. */
export interface Stretches {
  readonly count: number;
  /** Middle of the first and of the last one: where scrapes lie, so that a late one falls into its own stretch. */
  readonly first: number;
  readonly last: number;
}

/** One for each scrape of the endpoints, as long as those are few; an endpoint that came late does not count. */
export function stretchesOf({ endpoints }: Store, windows: readonly StatisticsWindow[]): Stretches {
  const scraped = endpoints.flatMap((axis, i) => {
    const window = windows[i];
    const times = axis.timeOrder() === undefined ? axis.times.view() : axis.times.view().toSorted();
    const { first, end } = window === undefined ? { first: 0, end: 0 } : windowIndices(times, window.start, window.end);
    return end > first ? [{ count: end - first, first: times[first] ?? NaN, last: times[end - 1] ?? NaN }] : [];
  });
  const most = Math.max(0, ...scraped.map(({ count }) => count));
  const counts = scraped.map(({ count }) => count).filter((count) => 2 * count >= most);
  return {
    count: Math.min(SPARK_POINTS, ...counts),
    first: Math.min(...scraped.map(({ first }) => first)),
    last: Math.max(...scraped.map(({ last }) => last)),
  };
}

/** Samples of a series inside its endpoint's window; undefined of a histogram. */
export function seriesInside({ store, windows, stretches: common }: ReadingContext, key: SeriesKey) {
  const samples = store.read(key.id);
  const window = windows[key.endpoint];
  if (window === undefined || samples.kind !== "scalar") return undefined;
  const inside = windowIndices(samples.times, window.start, window.end);
  return { samples, common, first: inside.first, last: inside.end };
}

/** As `seriesInside`, without the samples that do not count of a gauge. */
export function gaugeSeriesInside({ store, windows, stretches: common }: ReadingContext, key: SeriesKey) {
  const samples = store.read(key.id);
  const window = windows[key.endpoint];
  if (window === undefined || samples.kind !== "scalar") return undefined;
  const counting = gaugeInside(samples, window);
  return { samples: counting, common, first: 0, last: counting.values.length };
}

/** Reads the samples inside a window in each stretch; NaN where `read` has none to read. */
export function stretches(
  inside: {
    readonly samples: { readonly times: Float64Array };
    readonly common: Stretches;
    readonly first: number;
    readonly last: number;
  },
  read: (from: number, to: number) => number,
): Float64Array {
  const { times } = inside.samples;
  const { count, first, last } = inside.common;
  let from = inside.first;
  return Float64Array.from({ length: count }, (_, s) => {
    const until = s === count - 1 ? Infinity : first + ((last - first) * (s + 0.5)) / (count - 1);
    let to = from;
    while (to < inside.last && (times[to] ?? Infinity) <= until) to++;
    const value = read(from, to);
    from = to;
    return value;
  });
}
