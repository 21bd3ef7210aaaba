import type { Derivation, KeyStatistic } from "../catalog/index.js";
import type { EpochNs, Family, Problem, QuantileEstimate, SeriesKey } from "../model/index.js";
import type { IntervalSequence, RunWindow, Steps } from "../stats/index.js";
import type { ChartLine, ChartQuery, TileReading } from "./types/index.js";

/** A run as views read it, whatever is known of it: its samples, or what a file stores of it. Offsets are OffsetNs. */
export interface RunView {
  /** Time of offset 0. */
  readonly origin: EpochNs;
  /** When slices begin, their length in ns, and where the run ends. */
  readonly slices: { readonly start: number; readonly length: number; readonly end: number };
  /** As they are shown. */
  readonly families: readonly Family[];
  /** Their families as they are shown. */
  keys(): Iterable<SeriesKey>;
  /** The newest value that is known of a series. */
  last(key: SeriesKey): number;
  /** The values of a gauge, or the rates of a counter. */
  line(key: SeriesKey, query: ChartQuery): Pick<ChartLine, "times" | "values" | "average" | "incompleteFrom">;
  /** What a histogram observed from scrape to scrape, or from slice to slice; undefined where that is not known. */
  observed(key: SeriesKey): IntervalSequence | undefined;
  /** Bounds of a heatmap's columns. */
  edges(from: number, to: number, most: number): Float64Array;
  /** Why nothing can be drawn of a family that the run has. */
  undrawn(query: Pick<ChartQuery, "family" | "from" | "to">): Problem;
  /** What the series did over a window; absent: the run's. What a file stores is over the file's. */
  over(window?: RunWindow): SeriesReadings;
}

/** What series did over a window, as tiles and panels show it. Undefined of a series that has nothing in it. */
export interface SeriesReadings {
  /** When each point of a course ends, since the run's start (ns), so that the courses of all series end together. */
  readonly courseEnds: Float64Array;
  counter(key: SeriesKey): ScalarReading | undefined;
  gauge(key: SeriesKey): ScalarReading | undefined;
  histogram(key: SeriesKey): HistogramReading | undefined;
  /** The average over the window of what servers average since their start. */
  average(
    keysOf: (family: string) => readonly SeriesKey[],
    of: Derivation & { kind: "lifetime-average" },
  ): Steps<TileReading>;
}

export interface ScalarReading {
  /** What a counter rose by, or the mean of a gauge. */
  readonly amount: number;
  /** The same in each stretch of the window. */
  amounts(): Float64Array;
  /** Rates of a counter, means of a gauge. */
  course(): Float64Array;
  /** Total or rate, maximum or mean. */
  value(statistic: KeyStatistic): number;
  readonly restarted?: boolean;
}

export interface HistogramReading {
  /** All that it observed. */
  readonly whole: IntervalSequence;
  /** The same as its course. */
  readonly course: IntervalSequence;
  readonly restarted: boolean;
  /** A percentile that a file states. */
  readonly known?: (statistic: KeyStatistic) => QuantileEstimate | undefined;
}
