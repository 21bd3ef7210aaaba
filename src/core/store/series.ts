import type { BoundText, SeriesKey } from "../model/index.js";
import { Column } from "./column.js";
import type { Slabs } from "./memory.js";

/** The columns of one histogram series under one set of bounds. */
export interface HistogramColumns {
  /** Sorted by value, "+Inf" last. */
  readonly bounds: readonly BoundText[];
  readonly uppers: Float64Array;
  readonly sum: Column;
  readonly count: Column;
  readonly buckets: readonly Column[];
}

export type SeriesColumns =
  | { readonly kind: "scalar"; readonly column: Column }
  | { readonly kind: "histogram"; readonly layouts: Map<string, HistogramColumns> };

export interface StoredSeries {
  key: SeriesKey;
  readonly columns: SeriesColumns;
}

export interface Bound {
  readonly text: BoundText;
  readonly upper: number;
}

/** Bounds that are the same set give the same key, whatever their order. */
export function boundsKey(sorted: readonly Bound[]): string {
  return sorted.map((bound) => bound.text).join(" ");
}

/** By value; of one value written in two ways the first stays. */
export function sortBounds(bounds: readonly Bound[]): readonly Bound[] {
  return [...bounds]
    .sort((a, b) => a.upper - b.upper)
    .filter((bound, i, all) => i === 0 || all[i - 1]?.upper !== bound.upper);
}

/** Empty columns. @param sorted bounds, ascending */
export function makeHistogramColumns(sorted: readonly Bound[], slabs: Slabs): HistogramColumns {
  return {
    bounds: sorted.map((bound) => bound.text),
    uppers: Float64Array.from(sorted, (bound) => bound.upper),
    sum: new Column(slabs),
    count: new Column(slabs),
    buckets: sorted.map(() => new Column(slabs)),
  };
}

/** All columns: sum, count, and the buckets from the lowest on. */
export function layoutColumns(layout: HistogramColumns): readonly Column[] {
  return [layout.sum, layout.count, ...layout.buckets];
}
