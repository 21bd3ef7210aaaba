import type { SeriesRows } from "./rows.js";

/** Rows [from, to) of a series. */
export interface RowSlice {
  readonly series: SeriesRows;
  readonly from: number;
  readonly to: number;
}

/** The rows of one row group, in order. */
export interface RowGroup {
  readonly rows: number;
  readonly slices: readonly RowSlice[];
}

export interface RowGroupLimits {
  /** Metrics share a group up to this many rows. */
  readonly shared: number;
  /** A group of a single metric holds at most this many. */
  readonly single: number;
}

/** Small enough to read one metric alone, large enough that the footer of a ten-million-row file stays small. */
export const ROW_GROUP_LIMITS: RowGroupLimits = { shared: 16_384, single: 65_536 };

/**
 * Cuts rows into row groups at the borders of metrics (one family of one endpoint): small metrics share a group, a
 * large one has groups of its own. At most one metric is in memory at a time.
 */
export function* rowGroups(series: Iterable<SeriesRows>, limits = ROW_GROUP_LIMITS): Generator<RowGroup> {
  let shared = new Group();
  let metric = new Group();
  let current: SeriesRows | undefined;
  for (const rows of series) {
    if (current !== undefined && !sameMetric(current, rows)) {
      if (shared.rows + metric.rows > limits.shared) {
        if (shared.rows > 0) yield shared;
        shared = metric;
      } else {
        shared.append(metric);
      }
      metric = new Group();
    }
    current = rows;
    for (let from = 0; from < rows.rows;) {
      const to = Math.min(rows.rows, from + limits.single - metric.rows);
      metric.add({ series: rows, from, to });
      from = to;
      if (metric.rows < limits.single) continue;
      if (shared.rows > 0) yield shared;
      shared = new Group();
      yield metric;
      metric = new Group();
    }
  }
  if (shared.rows + metric.rows <= limits.shared) {
    shared.append(metric);
    metric = new Group();
  }
  if (shared.rows > 0) yield shared;
  if (metric.rows > 0) yield metric;
}

class Group implements RowGroup {
  rows = 0;
  readonly slices: RowSlice[] = [];

  add(slice: RowSlice): void {
    this.slices.push(slice);
    this.rows += slice.to - slice.from;
  }

  append(other: Group): void {
    for (const slice of other.slices) this.add(slice);
  }
}

function sameMetric(a: SeriesRows, b: SeriesRows): boolean {
  return (
    a.key.endpoint === b.key.endpoint &&
    a.key.family.name === b.key.family.name &&
    a.key.family.type === b.key.family.type
  );
}
