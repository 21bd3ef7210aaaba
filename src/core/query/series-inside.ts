import type { SeriesKey } from "../model/index.js";
import { gaugeInside, readSeries, type StatisticsWindow } from "../stats/index.js";
import { windowIndices, type Store } from "../store/index.js";
import { breaksOf, longestStep } from "./lines.js";
import { SPARK_POINTS } from "./tile.js";

/** What the readings of one answer share: one moment's series and windows, whatever is captured meanwhile. */
export interface ReadingContext {
  readonly store: Store;
  /** By endpoint. */
  readonly windows: readonly StatisticsWindow[];
  /** When each of the stretches ends that the courses of all series are cut into. */
  readonly ends: Float64Array;
}

/** Samples inside a window, and the stretches that they are cut into. */
interface Inside {
  readonly samples: { readonly times: Float64Array };
  /** Moments at which nothing is known; absent: none. */
  readonly breaks?: () => Float64Array;
  readonly ends: Float64Array;
  readonly first: number;
  readonly last: number;
}

/**
 * When each of equal stretches of time ends; the last one holds whatever comes. One for each scrape of the endpoints,
 * as long as those are few; an endpoint that came late does not count. Scrapes lie in their middle, so that a late one
 * falls into its own stretch.
 */
export function stretchEnds({ endpoints }: Store, windows: readonly StatisticsWindow[]): Float64Array {
  const scraped = endpoints.flatMap((axis, i) => {
    const window = windows[i];
    const times = axis.timeOrder() === undefined ? axis.times.view() : axis.times.view().toSorted();
    const { first, end } = window === undefined ? { first: 0, end: 0 } : windowIndices(times, window.start, window.end);
    return end > first ? [{ count: end - first, first: times[first] ?? NaN, last: times[end - 1] ?? NaN }] : [];
  });
  const most = Math.max(0, ...scraped.map(({ count }) => count));
  const counts = scraped.map(({ count }) => count).filter((count) => 2 * count >= most);
  const count = Math.min(SPARK_POINTS, ...counts);
  const first = Math.min(...scraped.map((one) => one.first));
  const last = Math.max(...scraped.map((one) => one.last));
  return Float64Array.from({ length: count }, (_, s) =>
    s === count - 1 ? Infinity : first + ((last - first) * (s + 0.5)) / (count - 1),
  );
}

/** Samples of a series inside its endpoint's window; undefined of a histogram. */
export function seriesInside({ store, windows, ends }: ReadingContext, key: SeriesKey) {
  const samples = readSeries(store, key);
  const window = windows[key.endpoint];
  if (window === undefined || samples.kind !== "scalar") return undefined;
  const inside = windowIndices(samples.times, window.start, window.end);
  const axis = store.endpoints[key.endpoint];
  const breaks = () => (axis === undefined ? samples.gapTimes : breaksOf(samples, axis));
  return { samples, breaks, ends, first: inside.first, last: inside.end };
}

/** As `seriesInside`, without the samples that do not count of a gauge. */
export function gaugeSeriesInside(context: ReadingContext, key: SeriesKey) {
  const inside = seriesInside(context, key);
  const window = context.windows[key.endpoint];
  if (inside === undefined || window === undefined) return undefined;
  const samples = gaugeInside(inside.samples, window);
  return { ...inside, samples, first: 0, last: samples.values.length };
}

/**
 * Reads the samples inside a window in each stretch; NaN where `read` has none to read. A stretch that only falls
 * between two scrapes, as where a capture begins or a scrape was late, has what the next one tells.
 */
export function stretches(
  { samples: { times }, breaks, ends, first, last }: Inside,
  read: (from: number, to: number) => number,
): Float64Array {
  const course = new Float64Array(ends.length);
  let from = first;
  let breaksBetween = 0;
  let isStep: ReturnType<typeof stepsIn> | undefined;
  for (const [s, end] of ends.entries()) {
    let to = from;
    while (to < last && (times[to] ?? Infinity) <= end) to++;
    const isBetween = to === from && from > first && from < last && (isStep ??= stepsIn(times, breaks?.()))(from);
    course[s] = read(from, to);
    if (!isBetween) course.fill(course[s] ?? NaN, s - breaksBetween, s);
    breaksBetween = isBetween ? breaksBetween + 1 : 0;
    from = to;
  }
  return course;
}

/** Whether a sample follows the one before it, with nothing missing between them. */
function stepsIn(times: Float64Array, breaks: Float64Array = new Float64Array(0)): (next: number) => boolean {
  // Several series as one have several samples at a time.
  const longest = longestStep(times.filter((time, i) => time !== times[i - 1]));
  return (next) => {
    const [from, to] = [times[next - 1] ?? NaN, times[next] ?? NaN];
    return to - from <= longest && !breaks.some((time) => time > from && time < to);
  };
}
