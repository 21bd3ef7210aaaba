import type { Labels, MetricType, OffsetNs, QuantileEstimate, SeriesId } from "../../model/index.js";

/** What stands in a row of a table, by the keys of its columns. */
export interface RowCells {
  /** A number that the series has not is absent, or NaN. */
  readonly values: Readonly<Record<string, number>>;
  /** Of a histogram: what is known of those that are estimates. */
  readonly estimates?: Readonly<Record<string, QuantileEstimate>>;
}

/** All series of a single scrape. */
export interface SnapshotTable {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (RowCells & {
    readonly family: string;
    readonly type: MetricType;
    readonly unit?: string;
    readonly endpointUrl: string;
    readonly labels: Labels;
    /** Of a family with a series for each position: their values in order, NaN for one that is missing. */
    readonly positions?: readonly number[];
  })[];
}

export interface TableColumn {
  readonly key: string;
  readonly title: string;
  readonly unit?: string;
}

export interface StatisticsTable {
  readonly type: MetricType;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (RowCells & {
    readonly series: SeriesId;
    readonly family: string;
    readonly endpointUrl: string;
    readonly labels: Labels;
    readonly note?: string;
  })[];
}

export interface TimesliceTable {
  readonly family: string;
  readonly type: MetricType;
  readonly unit?: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (RowCells & {
    readonly series: SeriesId;
    readonly endpointUrl: string;
    readonly labels: Labels;
    readonly start: OffsetNs;
    readonly end: OffsetNs;
    readonly complete: boolean;
  })[];
}
