export type WatchLevel = "none" | "warning" | "critical";

/** A statistic over a window, and its course. */
export interface TileReading {
  /** NaN while nothing can be said; `note` then tells why. */
  readonly value: number;
  /** What it is now, of a run that goes on; NaN where nothing was observed lately. */
  readonly current?: number;
  /** Value is only a lower limit: the quantile lies beyond the last bucket. */
  readonly atLeast?: boolean;
  /** Holds the percentile in 90 % of the cases. */
  readonly interval?: readonly [low: number, high: number];
  /** How it is made of several series: "sum of 2". Absent of one. */
  readonly combined?: string;
  readonly note?: string;
  readonly sparkline: Float64Array;
}

export interface Tile extends TileReading {
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
  readonly direction: "up" | "down" | "neutral";
  readonly watch: WatchLevel;
  /** Why it is watched: "above 0.9: capacity limit". */
  readonly watchReason?: string;
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

/** A metric of a panel, or of one value of the label that splits it. */
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
  /** The rows are parts of one whole, and their sparklines those of averages: to be shown piled up. */
  readonly stacked?: true;
  readonly rows: readonly PanelRow[];
  /** Titles of rows that are left out: their metrics are exposed, but had no value. */
  readonly withoutValues: readonly string[];
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
