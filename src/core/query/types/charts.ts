import type { Labels, OffsetNs, Problem, SeriesId } from "../../model/index.js";

/** Which series of a family are asked about. */
export interface SeriesQuery {
  readonly family: string;
  /** Absent: all. */
  readonly series?: readonly SeriesId[];
  /** Only those of these endpoints, by their URLs; absent: of all. */
  readonly endpoints?: readonly string[];
}

/** Gauges are drawn as values, counters as rates, histograms as quantiles per slice plus the average. */
export interface ChartQuery extends SeriesQuery {
  /** The first in the family's order, where `series` chooses none. */
  readonly maxSeries: number;
  /** A histogram's series are drawn as one, however many they are: what all of them observed. */
  readonly together?: boolean;
  /** Absent: the whole run. */
  readonly from?: OffsetNs;
  readonly to?: OffsetNs;
  /** Points per line at the most; extremes are kept. */
  readonly maxPoints: number;
}

/**
 * The buckets that must contain estimated quantiles, position by position as the values they go with. NaN where the
 * value is no estimate; upper Infinity beyond the last bound.
 */
export interface EstimateBounds {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** Of several series together it has the first one's id, no endpoint ("") and no labels. */
export interface ChartLine {
  readonly series: SeriesId;
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** In a chart of several families. */
  readonly family?: string;
  /** What the line shows of its series. */
  readonly quantity: "value" | "rate" | "p50" | "p90" | "p99" | "avg" | "p10" | "median";
  /** OffsetNs, ascending. */
  readonly times: Float64Array;
  /** NaN breaks the line: a gap. */
  readonly values: Float64Array;
  /**
   * Over the time asked for: of values their mean, of rates the rise by its time, of a histogram's averages the sum by
   * the count, of percentiles the mean of their slices. Not that of the points drawn, which keep the extremes.
   */
  readonly average?: number;
  /** Points after it come from a slice that is not complete yet, and are set apart. */
  readonly incompleteFrom?: OffsetNs;
  /**
   * Of a histogram's quantiles. Where `upper` is Infinity the quantile is only known to be at least `lower`, and the
   * value an extrapolation.
   */
  readonly bounds?: EstimateBounds;
}

export interface ChartData {
  readonly family: string;
  readonly unit?: string;
  readonly lines: readonly ChartLine[];
  readonly seriesTotal: number;
  /** Why percentiles of series that were asked for together are drawn one by one, up to `maxSeries`. */
  readonly apart?: string;
  /** Why there is nothing to draw, when there is not. */
  readonly empty?: Problem;
}

/** Observations of a histogram family by bucket and time; several series are added up. */
export interface HeatmapQuery extends SeriesQuery {
  readonly from?: OffsetNs;
  readonly to?: OffsetNs;
  /** Columns of time at the most. */
  readonly maxColumns: number;
}

export interface HeatmapData {
  readonly family: string;
  readonly unit?: string;
  /** Upper bounds of the rows, ascending; the last is Infinity. */
  readonly uppers: Float64Array;
  /** Bounds of the columns, OffsetNs: one more than there are columns. */
  readonly edges: Float64Array;
  /**
   * Observations per second, column by column, a row for each bound. NaN in all rows of a column without a scrape:
   * nothing is known of it.
   */
  readonly rates: Float64Array;
  readonly empty?: Problem;
}

export interface DistributionData {
  readonly family: string;
  readonly unit?: string;
  readonly uppers: Float64Array;
  /** Observations in each bucket over the window. */
  readonly counts: Float64Array;
  readonly quantiles: readonly {
    readonly q: number;
    readonly value: number;
    readonly lower: number;
    readonly upper: number;
  }[];
  readonly empty?: Problem;
}
