import type { Labels, MetricType, OffsetNs, Problem, SeriesId } from "../model/index.js";

/*
 * What a view may ask of a run and what it gets. Times are OffsetNs relative to the run's origin; values are plain
 * doubles, NaN for "none"; everything survives postMessage (no bigint, no Map).
 */

/** A fact of the model's or server's configuration, shown once in the header. */
export interface StaticFact {
  readonly name: string;
  readonly value: string;
  readonly endpointUrl: string;
}

/** How a family is told apart from another in tree and tables. */
export interface FamilySummary {
  readonly name: string;
  /** The catalogue's title ("Requests running"), else the name in words ("My App | Queue Depth"). */
  readonly displayName: string;
  /** The catalogue's title; absent for a family that it does not list. */
  readonly title?: string;
  /** What it means and what to watch for, where the catalogue knows. */
  readonly hint?: string;
  /** The server computes it over time of its own: how. */
  readonly computed?: string;
  readonly type: MetricType;
  readonly unit?: string;
  readonly description: string;
  /** Catalogue group: "Latency", "Queue and batch", … ; "Other" when unknown. */
  readonly group: string;
  readonly server?: string;
  /** At least one, of a family whose samples have not been read yet. */
  readonly seriesCount: number;
  readonly isInfo: boolean;
  /** Known to the catalogue as a key metric. */
  readonly isKey: boolean;
  readonly direction: "up" | "down" | "neutral";
}

export interface SeriesSummary {
  readonly id: SeriesId;
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** Gauge: last value. Counter: last value. Histogram: observations so far. NaN when none. */
  readonly last: number;
}

/** How many series of a family carry one value of one label. */
export interface LabelCount {
  readonly family: string;
  readonly label: string;
  readonly value: string;
  readonly seriesCount: number;
}

/** A member of a configuration. */
export type ConfigNode = { readonly key: string } & (
  | { readonly kind: "object" | "list"; readonly children: readonly ConfigNode[] }
  /** A literal is a number, true, false or null. */
  | { readonly kind: "text" | "literal"; readonly text: string }
);

/** All series of a single scrape. */
export interface MomentTable {
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

export type WatchLevel = "none" | "warning" | "critical";

export interface Tile {
  /** Catalogue id, stable. */
  readonly id: string;
  /** Name of the kind of server that it is of. */
  readonly server: string;
  readonly title: string;
  /** What it means and what to watch for. */
  readonly hint?: string;
  /** As exposed; charted when the tile is activated. */
  readonly family: string;
  /** Statistic shown, as the artifacts spell it ("p99_estimate", "rate"). */
  readonly statistic: string;
  readonly unit?: string;
  /** NaN while nothing can be said; `note` then tells why. */
  readonly value: number;
  /** Value is only a lower limit: the quantile lies beyond the last bucket. */
  readonly atLeast?: boolean;
  /** Holds the percentile in 90 % of the cases. */
  readonly interval?: readonly [low: number, high: number];
  readonly note?: string;
  readonly direction: "up" | "down" | "neutral";
  readonly watch: WatchLevel;
  /** Why it is watched: "above 0.9: capacity limit". */
  readonly watchReason?: string;
  readonly sparkline: Float64Array;
}

/** Gauges are drawn as values, counters as rates, histograms as quantiles per slice plus the average. */
export interface ChartQuery {
  readonly family: string;
  /** Absent: the first `maxSeries` in the family's order. */
  readonly series?: readonly SeriesId[];
  readonly maxSeries: number;
  /** A histogram's series are drawn as one, all of those asked for: what all of them observed. */
  readonly together?: boolean;
  /** Absent: the whole run. */
  readonly from?: OffsetNs;
  readonly to?: OffsetNs;
  /** Points per line at the most; extremes are kept. */
  readonly maxPoints: number;
}

/** How far each estimate of a quantile may be trusted, position by position as the values it goes with. */
export interface EstimateBounds {
  /**
   * The bucket that must contain the quantile. NaN where the value is no estimate; upper Infinity beyond the last
   * bound.
   */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** Its 90 % interval, inside the bucket. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** What Prometheus' `histogram_quantile` gives for the same buckets. */
  readonly linear: Float64Array;
}

/** Of several series together it has the first one's id and endpoint, and no labels. */
export interface ChartLine {
  readonly series: SeriesId;
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** What the line shows of its series. */
  readonly quantity: "value" | "rate" | "p50" | "p90" | "p99" | "avg" | "p10" | "median";
  /** OffsetNs, ascending. */
  readonly times: Float64Array;
  /** NaN breaks the line: a gap. */
  readonly values: Float64Array;
  /** Points after it come from a slice that is not complete yet, and are set apart. */
  readonly incompleteFrom?: OffsetNs;
  /**
   * Of a histogram's quantiles. Where `upper` is Infinity the quantile is only known to be at least `lower`, and the
   * value an extrapolation.
   */
  readonly bounds?: Pick<EstimateBounds, "lower" | "upper">;
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
}

/** Observations of a histogram family by bucket and time; several series are added up. */
export interface HeatmapQuery {
  readonly family: string;
  readonly series?: readonly SeriesId[];
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

/** The series of a family that have most of one statistic over the window. */
export interface RankingQuery {
  readonly family: string;
  readonly series?: readonly SeriesId[];
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
  readonly bounds?: Pick<EstimateBounds, "lower" | "upper">;
  readonly seriesTotal: number;
  /** Series that have no such statistic in the window, and are not ranked. */
  readonly unranked: number;
  readonly empty?: Problem;
}

/** How a family's load falls on endpoints, or on the values of a label. */
export interface SharesQuery {
  readonly family: string;
  readonly series?: readonly SeriesId[];
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
export interface VectorQuery {
  readonly family: string;
  readonly series?: readonly SeriesId[];
}

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

/** One figure of a metric over the window. */
export interface PanelFigure {
  /** As the artifacts spell it. */
  readonly statistic: string;
  readonly unit?: string;
  /** NaN where nothing can be said. */
  readonly value: number;
  /** Only a lower limit. */
  readonly atLeast?: boolean;
}

/** A metric of a panel, or of one value of the label that it is told apart by. */
export interface PanelRow {
  readonly title: string;
  /** As exposed. */
  readonly family: string;
  readonly direction: "up" | "down" | "neutral";
  readonly hint?: string;
  readonly note?: string;
  readonly figures: readonly PanelFigure[];
  /** Of the figure that stands for it. */
  readonly sparkline: Float64Array;
}

export interface Panel {
  /** Stable, unique within a dashboard. */
  readonly id: string;
  readonly title: string;
  readonly rows: readonly PanelRow[];
  /** Families that it would show and that no endpoint exposes. */
  readonly missing: readonly string[];
  /** What makes the server expose them. */
  readonly remedy?: string;
}

/** What a kind of server is doing. */
export interface Dashboard {
  /** Its name; "" for endpoints that the catalogue does not know. */
  readonly server: string;
  readonly panels: readonly Panel[];
}

/** The key metrics of a kind of server, endpoint by endpoint. */
export interface InstanceTable {
  readonly server: string;
  readonly columns: readonly (Pick<Tile, "id" | "title" | "family" | "statistic" | "direction"> & {
    readonly unit?: string;
  })[];
  readonly endpoints: readonly string[];
  /** endpoints × columns, row by row; NaN for none. */
  readonly values: Float64Array;
}

/** One metric of a kind of server over the window, endpoint by endpoint. */
export interface InstanceCourse {
  readonly family: string;
  readonly title: string;
  readonly unit?: string;
  readonly endpoints: readonly string[];
  /** Equal stretches of the window. */
  readonly points: number;
  /** endpoints × points, row by row; NaN for none. */
  readonly values: Float64Array;
}
