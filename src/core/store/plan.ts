import { boundText, type SampleBatch, type SampleDef } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import { CHUNK, GAP } from "./chunk.js";
import type { Column } from "./column.js";
import {
  boundsKey,
  makeHistogramColumns,
  sortBounds,
  type Bound,
  type HistogramColumns,
  type StoredSeries,
} from "./series.js";
import type { Slabs } from "./memory.js";
import { positionOf } from "./window.js";

/**
 * Rows that wait for each other: a column is then met once for all of them, which spares most of the time that memory
 * takes.
 */
const WAITING = 16;

/** Where the values of one shape of scrape go; made anew only when the set of samples changes. */
export class Plan {
  private readonly defs: readonly SampleDef[];
  private readonly ids: Int32Array;
  private readonly columns: readonly Column[];
  /** Positions of scalars, whose NaN or infinite value is a gap. */
  private readonly scalars: Int32Array;
  /** Histogram parts that the server left out and another part tells: +Inf bucket and count. */
  readonly copies: readonly { readonly from: number; readonly to: Column }[];
  /** Row by row. */
  private readonly cells: Float64Array;
  private firstRow = 0;
  private waiting = 0;
  /** Which of the rows of cells was appended last. */
  private last = 0;

  /** @param seriesOf finds or makes the series of a sample */
  constructor(batch: SampleBatch, seriesOf: (def: SampleDef) => StoredSeries, slabs: Slabs) {
    this.defs = batch.defs;
    this.ids = batch.ids.slice(0, batch.length);
    const defs = Array.from(this.ids, (id) => defAt(batch, id));
    const { columns, copies } = targetsOf(defs, seriesOf, slabs);
    this.columns = columns;
    this.copies = copies;
    this.scalars = Int32Array.from(defs.flatMap(({ part }, i) => (part.kind === "value" ? [i] : [])));
    this.cells = new Float64Array(WAITING * this.ids.length);
  }

  /** Does a batch hold the samples of this shape, in its order? */
  fits(batch: SampleBatch): boolean {
    const { defs, ids } = this;
    if (defs !== batch.defs || ids.length !== batch.length) return false;
    for (let i = 0; i < ids.length; i++) if (ids[i] !== batch.ids[i]) return false;
    return true;
  }

  /** Takes a row of values; it is in the columns after `flush`. */
  append(row: number, values: Float64Array): void {
    const { cells, ids, scalars } = this;
    const from = this.place(row) * ids.length;
    cells.set(values.subarray(0, ids.length), from);
    for (const position of scalars) if (!Number.isFinite(cells[from + position])) cells[from + position] = GAP;
  }

  /** Takes the values of the last row again. */
  repeat(row: number): void {
    const { length } = this.ids;
    const from = this.last * length;
    const to = this.place(row) * length;
    this.cells.copyWithin(to, from, from + length);
  }

  /** Writes what waits to the columns. */
  flush(): void {
    const { cells, columns, copies, firstRow, waiting } = this;
    if (waiting === 0) return;
    const width = columns.length;
    for (let i = 0; i < width; i++) columns[i]?.write(firstRow, cells, i, width, waiting);
    for (const { from, to } of copies) to.write(firstRow, cells, from, width, waiting);
    this.waiting = 0;
  }

  /** Which of the rows of cells a row becomes: those that wait follow each other in one chunk of the columns. */
  private place(row: number): number {
    if (this.waiting === WAITING || row !== this.firstRow + this.waiting || row % CHUNK === 0) this.flush();
    if (this.waiting === 0) this.firstRow = row;
    this.last = this.waiting;
    return this.waiting++;
  }
}

/** One part of a series at many scrapes. */
export interface PartCells {
  readonly part: SampleDef["part"];
  /** NaN for none. */
  readonly cells: Float64Array;
}

/** Writes samples of a series whose parts stand in columns already: sample i at row `rows[i]`, ascending. */
export function fillColumns(
  series: StoredSeries,
  rows: Int32Array,
  parts: readonly PartCells[],
  { slabs, buckets }: { readonly slabs: Slabs; readonly buckets: boolean },
): void {
  const { family, labels } = series.key;
  const defs = parts.map(({ part }): SampleDef => ({ family, labels, part }));
  const { columns, copies } = targetsOf(defs, () => series, slabs, buckets);
  parts.forEach(({ part, cells }, i) => writeRows(columns[i], rows, part.kind === "value" ? gapped(cells) : cells));
  for (const { from, to } of copies) writeRows(to, rows, parts[from]?.cells);
}

/** What follows each other in one chunk is written together. */
function writeRows(column: Column | undefined, rows: Int32Array, cells: Float64Array | undefined): void {
  if (column === undefined || cells === undefined) return;
  for (let from = 0; from < rows.length;) {
    const row = rows[from] ?? 0;
    const count = followers(rows, from, Math.min(rows.length - from, CHUNK - (row % CHUNK)));
    column.write(row, cells, from, 1, count);
    from += count;
  }
}

/** How many rows follow each other from one on, at most so many. */
function followers(rows: Int32Array, from: number, most: number): number {
  const row = rows[from] ?? 0;
  // They ascend.
  if (rows[from + most - 1] === row + most - 1) return most;
  let count = 1;
  while (count < most && rows[from + count] === row + count) count++;
  return count;
}

function gapped(cells: Float64Array): Float64Array {
  let finite = true;
  // `every(Number.isFinite)` takes ten times as long.
  for (let i = 0; finite && i < cells.length; i++) finite = Number.isFinite(cells[i]);
  return finite ? cells : cells.map((value) => (Number.isFinite(value) ? value : GAP));
}

/** Where samples go, and the parts of histograms that the server left out and another one tells. */
function targetsOf(
  defs: readonly SampleDef[],
  seriesOf: (def: SampleDef) => StoredSeries,
  slabs: Slabs,
  buckets = true,
): { readonly columns: readonly Column[]; readonly copies: Plan["copies"] } {
  const series = defs.map(seriesOf);
  const layouts = layoutsOf(defs, series, slabs, buckets);
  const columns = series.map((target, i) => {
    if (target.columns.kind === "scalar") return target.columns.column;
    const [layout, def] = [layouts.get(target), defs[i]];
    if (layout === undefined || def === undefined) throw new Error(`histogram ${target.key.family.name} has no bounds`);
    return partColumn(layout, def);
  });
  return { columns, copies: missingParts(layouts, columns) };
}

/** The columns that each histogram of a scrape writes to, by the bounds it shows. */
function layoutsOf(
  defs: readonly SampleDef[],
  series: readonly StoredSeries[],
  slabs: Slabs,
  buckets: boolean,
): Map<StoredSeries, HistogramColumns> {
  const bounds = new Map<StoredSeries, Bound[]>();
  defs.forEach(({ part }, i) => {
    const target = series[i];
    if (target?.columns.kind !== "histogram") return;
    const list = getOrInsert(bounds, target, () => []);
    if (part.kind === "bucket") list.push({ text: part.bound, upper: part.upper });
  });
  const result = new Map<StoredSeries, HistogramColumns>();
  for (const [target, list] of bounds) {
    if (target.columns.kind !== "histogram") continue;
    if (buckets && !list.some((bound) => bound.upper === Infinity))
      list.push({ text: boundText("+Inf"), upper: Infinity });
    const sorted = sortBounds(list);
    const key = boundsKey(sorted);
    const layout = getOrInsert(target.columns.layouts, key, () => makeHistogramColumns(sorted, slabs));
    result.set(target, layout);
  }
  return result;
}

function defAt(batch: SampleBatch, id: number): SampleDef {
  const def = batch.defs[id];
  if (def === undefined) throw new RangeError(`sample id ${id} has no definition among ${batch.defs.length}`);
  return def;
}

function partColumn(layout: HistogramColumns, { part, family }: SampleDef): Column {
  switch (part.kind) {
    case "sum":
      return layout.sum;
    case "count":
      return layout.count;
    case "bucket": {
      const column = layout.buckets[positionOf(layout.uppers, part.upper)];
      if (column === undefined) throw new Error(`bound ${part.bound} of ${family.name} is not among its bounds`);
      return column;
    }
    case "value":
      throw new Error(`histogram ${family.name} has a sample that is neither bucket, sum nor count`);
  }
}

function missingParts(layouts: Map<StoredSeries, HistogramColumns>, columns: readonly Column[]): Plan["copies"] {
  const places = new Map(columns.map((column, i) => [column, i]));
  return [...layouts.values()].flatMap(({ count, buckets }) => {
    const infinite = buckets.at(-1);
    if (infinite === undefined) return [];
    const [ofCount, ofInfinite] = [places.get(count), places.get(infinite)];
    if (ofCount === undefined) return ofInfinite === undefined ? [] : [{ from: ofInfinite, to: count }];
    return ofInfinite === undefined ? [{ from: ofCount, to: infinite }] : [];
  });
}
