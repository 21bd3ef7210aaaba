import type { HistogramSegment, SeriesSamples } from "../model/index.js";
import { ABSENT, GAP } from "./chunk.js";
import type { Column } from "./column.js";
import type { EndpointAxis } from "./endpoint.js";
import type { HistogramColumns } from "./series.js";
import { numbersIn, type Scratch } from "./memory.js";

/** Decoded cells of a column in time order, with their times. */
function inTimeOrder(
  column: Column,
  axis: EndpointAxis,
  scratch?: Scratch,
): { readonly times: Float64Array; readonly cells: Float64Array } {
  const rows = axis.rows;
  const cells = numbersIn(scratch, rows);
  column.read(0, rows, cells);
  const order = axis.timeOrder();
  const times = axis.times.view();
  return order === undefined ? { times, cells } : { times: permute(times, order), cells: permute(cells, order) };
}

/** Indices of the cells that hold a sample. */
function presentIn(cells: Float64Array): Int32Array {
  const indices = new Int32Array(cells.length);
  let n = 0;
  for (let i = 0; i < cells.length; i++) if (!Number.isNaN(cells[i] ?? ABSENT)) indices[n++] = i;
  return indices.subarray(0, n);
}

/** The values at the given indices, in their order. */
function permute(values: Float64Array, order: Int32Array): Float64Array {
  const out = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) out[i] = values[order[i] ?? 0] ?? ABSENT;
  return out;
}

/** As `inTimeOrder`, without rows before the column's first chunk and after its last cell where that is cheaper. */
function writtenInTimeOrder(column: Column, axis: EndpointAxis, scratch?: Scratch): ReturnType<typeof inTimeOrder> {
  if (axis.timeOrder() !== undefined) return inTimeOrder(column, axis, scratch);
  const { firstRow, length } = column;
  const cells = numbersIn(scratch, length - firstRow);
  column.read(firstRow, length, cells);
  return { times: axis.times.view().subarray(firstRow, length), cells };
}

/** The samples of a series in order of time. @param scratch they may lie in */
export function readScalar(column: Column, axis: EndpointAxis, scratch?: Scratch): SeriesSamples {
  const { times, cells } = writtenInTimeOrder(column, axis, scratch);
  let present = 0;
  let gaps = 0;
  let first = -1;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT;
    if (cell === GAP) gaps++;
    else if (!Number.isNaN(cell) && present++ === 0) first = i;
  }
  // Most miss scrapes at the beginning or the end alone: what lies between needs no copy.
  if (
    gaps === 0 &&
    first >= 0 &&
    !Number.isNaN(cells[first + present - 1] ?? ABSENT) &&
    !hasAbsent(cells, first, present)
  ) {
    const end = first + present;
    return {
      kind: "scalar",
      times: times.subarray(first, end),
      values: cells.subarray(first, end),
      gapTimes: new Float64Array(0),
    };
  }
  const result = {
    kind: "scalar" as const,
    times: new Float64Array(present),
    values: new Float64Array(present),
    gapTimes: new Float64Array(gaps),
  };
  let at = 0;
  let gapAt = 0;
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] ?? ABSENT;
    if (cell === GAP) result.gapTimes[gapAt++] = times[i] ?? 0;
    else if (!Number.isNaN(cell)) {
      result.times[at] = times[i] ?? 0;
      result.values[at++] = cell;
    }
  }
  return result;
}

function hasAbsent(cells: Float64Array, from: number, count: number): boolean {
  for (let i = from; i < from + count; i++) if (Number.isNaN(cells[i] ?? ABSENT)) return true;
  return false;
}

/**
 * The samples of a histogram in order of time, a segment for each stretch of equal bounds.
 * @param scratch they may lie in
 */
export function readSegments(
  layouts: readonly HistogramColumns[],
  axis: EndpointAxis,
  scratch?: Scratch,
): HistogramSegment[] {
  const [only] = layouts;
  if (only !== undefined && layouts.length === 1) {
    const count = inTimeOrder(only.count, axis, scratch);
    const present = presentIn(count.cells);
    return present.length === 0 ? [] : [wholeSegment(only, axis, count, present, scratch)];
  }
  // The rows of each stretch of time under the same bounds. Of a set of bounds only the rows that it was written at are
  // decoded: there may be one for every scrape.
  const owners = ownersOf(layouts, axis.rows);
  const order = axis.timeOrder();
  const rows = new Int32Array(axis.rows);
  const segments: HistogramSegment[] = [];
  for (let i = 0; i < rows.length;) {
    let owner = -1;
    let length = 0;
    for (; i < rows.length; i++) {
      const row = order?.[i] ?? i;
      const l = owners[row] ?? -1;
      if (l === -1) continue;
      if (owner !== -1 && l !== owner) break;
      owner = l;
      rows[length++] = row;
    }
    const layout = layouts[owner];
    if (layout !== undefined) segments.push(segmentAt(layout, axis, rows.slice(0, length)));
  }
  return segments;
}

/** Of each row the set of bounds that it has a sample under; -1: none. */
function ownersOf(layouts: readonly HistogramColumns[], rows: number): Int32Array {
  const owners = new Int32Array(rows).fill(-1);
  layouts.forEach(({ count: { firstRow, length }, count }, l) => {
    const cells = new Float64Array(length - firstRow);
    count.read(firstRow, length, cells);
    for (let i = 0; i < cells.length; i++) if (!Number.isNaN(cells[i] ?? ABSENT)) owners[firstRow + i] = l;
  });
  return owners;
}

function segmentAt(layout: HistogramColumns, axis: EndpointAxis, rows: Int32Array): HistogramSegment {
  return {
    bounds: layout.bounds,
    uppers: layout.uppers,
    times: permute(axis.times.view(), rows),
    counts: layout.count.pick(rows),
    sums: layout.sum.pick(rows),
    buckets: layout.buckets.map((column) => column.pick(rows)),
  };
}

function wholeSegment(
  layout: HistogramColumns,
  axis: EndpointAxis,
  { times, cells }: ReturnType<typeof inTimeOrder>,
  indices: Int32Array,
  scratch: Scratch | undefined,
): HistogramSegment {
  const pick = (values: Float64Array) => (indices.length === values.length ? values : permute(values, indices));
  const cellsOf = (column: Column) => pick(inTimeOrder(column, axis, scratch).cells);
  return {
    bounds: layout.bounds,
    uppers: layout.uppers,
    times: pick(times),
    counts: pick(cells),
    sums: cellsOf(layout.sum),
    buckets: layout.buckets.map(cellsOf),
  };
}

/** The value in the last of an endpoint's rows in which any of the columns has one; NaN when none has. */
export function readLast(columns: readonly Column[], rows: number): number {
  let best: { row: number; value: number } | undefined;
  for (const column of columns) {
    for (let row = Math.min(column.length, rows) - 1; row > (best?.row ?? -1); row--) {
      const value = column.get(row);
      if (!Number.isNaN(value) && value !== GAP) best = { row, value };
    }
  }
  return best?.value ?? NaN;
}
