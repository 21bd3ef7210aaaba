import type { Labels, MetricType, OffsetNs, SeriesId } from "../../model/index.js";
import type { EstimateBounds } from "./charts.js";

/** All series of a single scrape. */
export interface SnapshotTable {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly {
    readonly family: string;
    readonly type: MetricType;
    readonly unit?: string;
    readonly endpointUrl: string;
    readonly labels: Labels;
    /** Of a family with a series for each position: their values in order, NaN for one that is missing. */
    readonly positions?: readonly number[];
  }[];
  /** rows × columns, row by row; NaN for none. */
  readonly values: Float64Array;
  /** Of the quantiles, rows × columns like `values`. */
  readonly estimates: EstimateBounds;
}

export interface TableColumn {
  readonly key: string;
  readonly title: string;
  readonly unit?: string;
}

export interface StatisticsTable {
  readonly type: MetricType;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly {
    readonly series: SeriesId;
    readonly family: string;
    readonly endpointUrl: string;
    readonly labels: Labels;
    readonly note?: string;
  }[];
  /** rows × columns, row by row; NaN for a statistic that the series has not. */
  readonly values: Float64Array;
  /** Of a table of histograms, rows × columns like `values`. */
  readonly estimates?: EstimateBounds;
}

export interface TimesliceTable {
  readonly family: string;
  readonly type: MetricType;
  readonly unit?: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly {
    readonly series: SeriesId;
    readonly endpointUrl: string;
    readonly labels: Labels;
    readonly start: OffsetNs;
    readonly end: OffsetNs;
    readonly complete: boolean;
  }[];
  /** rows × columns, row by row. */
  readonly values: Float64Array;
  /** Of a histogram: what is certain of each cell, NaN where it is no estimate. */
  readonly estimates?: EstimateBounds;
}
