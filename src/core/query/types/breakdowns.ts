import type { Labels, Problem, SeriesId } from "../../model/index.js";
import type { EstimateBounds, SeriesQuery } from "./charts.js";
import type { TableColumn } from "./tables.js";

/** The series of a family that have most of one statistic over the window. */
export interface RankingQuery extends SeriesQuery {
  /** As the statistics table spells it; absent, or none of the family's: the average, or the rate. */
  readonly statistic?: string;
  /** How many. */
  readonly count: number;
}

export interface RankingData {
  readonly family: string;
  /** What it is ranked by. */
  readonly statistic: TableColumn;
  /** What it could be ranked by. */
  readonly statistics: readonly TableColumn[];
  /** The greatest first. */
  readonly rows: readonly {
    readonly series: SeriesId;
    readonly endpointUrl: string;
    readonly labels: Labels;
    readonly note?: string;
  }[];
  /** A value a row. */
  readonly values: Float64Array;
  /** Of a histogram's quantiles: the bucket that must contain each. */
  readonly bounds?: EstimateBounds;
  readonly seriesTotal: number;
  /** Series that have no such statistic in the window, and are not ranked. */
  readonly unranked: number;
  readonly empty?: Problem;
}

/** How a family's load falls on endpoints, or on the values of a label. */
export interface SharesQuery extends SeriesQuery {
  /** The label to split by; absent: by endpoint. */
  readonly by?: string;
}

/** Counters by their increase over the window, histograms by their observations, gauges by their mean. */
export type LoadMeasure = "increase" | "observations" | "mean";

export interface SharesData {
  readonly family: string;
  readonly unit?: string;
  readonly measure: LoadMeasure;
  /** What it was split by; absent: by endpoint. */
  readonly by?: string;
  /** Labels with several values, by which it could be split. */
  readonly labels: readonly string[];
  /** URLs or values of the label, in order. */
  readonly parts: readonly { readonly name: string; readonly series: number; readonly note?: string }[];
  /** A number a part. Of several series: the sum, or where they do not add up (shares, temperatures) their mean. */
  readonly values: Float64Array;
  /** Per second; NaN for gauges. */
  readonly rates: Float64Array;
  /** 0 to 1, of the sum of all parts; NaN where that is 0 or a value is negative. */
  readonly shares: Float64Array;
  /** Of two parts or more, with anything to share. */
  readonly imbalance?: Imbalance;
  readonly empty?: Problem;
}

export interface Imbalance {
  /** Greatest over mean: 1 is even, the number of parts is all on one. */
  readonly maxOverMean: number;
  /** Coefficient of variation: standard deviation (of these parts, n) over mean; 0 is even. */
  readonly variation: number;
}

/**
 * A family whose label is an index, such as vLLM's counters by draft position, as one vector. Several series of one
 * position are added up.
 */
export type VectorQuery = SeriesQuery;

export interface VectorData {
  readonly family: string;
  readonly unit?: string;
  /** The label that is the index. */
  readonly label: string;
  readonly measure: LoadMeasure;
  /** Values of the label, in numeric order. */
  readonly positions: readonly string[];
  /** Over the window, a number a position. */
  readonly values: Float64Array;
  /** Per second; NaN for gauges. */
  readonly rates: Float64Array;
  /** Bounds of the timeslices, OffsetNs: one more than there are; empty without slices. */
  readonly edges: Float64Array;
  /** Rates (of a gauge: means) slice by slice, a number for each position; NaN where there was none. */
  readonly cells: Float64Array;
  /** Why there are no slices. */
  readonly unsliced?: Problem;
  readonly empty?: Problem;
}
