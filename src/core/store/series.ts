import type { SeriesKey } from "../model/index.js";
import type { Column } from "./column.js";
import type { HistogramColumns } from "./histogram.js";

export type SeriesColumns =
  | { readonly kind: "scalar"; readonly column: Column }
  | { readonly kind: "histogram"; readonly layouts: Map<string, HistogramColumns> };

export interface StoredSeries {
  key: SeriesKey;
  readonly columns: SeriesColumns;
}
