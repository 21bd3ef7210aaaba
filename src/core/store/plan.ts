import { boundText, type SampleBatch, type SampleDef } from "../model/index.js";
import { ABSENT, GAP, type Column, type Slabs } from "./column.js";
import { boundsKey, makeHistogramColumns, sortBounds, type Bound, type HistogramColumns } from "./histogram.js";
import type { StoredSeries } from "./series.js";

/** Where the values of one shape of scrape go; rebuilt only when the set of samples changes. */
export interface Plan {
  readonly defs: readonly SampleDef[];
  readonly ids: Int32Array;
  readonly columns: readonly Column[];
  /** 1: a scalar, whose NaN or infinite value is a gap. */
  readonly scalar: Uint8Array;
  /** Histogram parts that the server left out and another part tells: +Inf bucket and count. */
  readonly copies: readonly { readonly from: number; readonly to: Column }[];
  /** Values of the last scrape, which a duplicate repeats. */
  values: Float64Array;
}

/** Does a batch hold the samples of the plan's shape, in its order? */
export function fits(plan: Plan, batch: SampleBatch): boolean {
  const { defs, ids } = plan;
  if (defs !== batch.defs || ids.length !== batch.length) return false;
  for (let i = 0; i < ids.length; i++) if (ids[i] !== batch.ids[i]) return false;
  return true;
}

/** @param seriesOf finds or makes the series of a sample */
export function makePlan(batch: SampleBatch, seriesOf: (def: SampleDef) => StoredSeries, slabs: Slabs): Plan {
  const ids = batch.ids.slice(0, batch.length);
  const defs = Array.from(ids, (id) => defAt(batch, id));
  const series = defs.map((def) => seriesOf(def));
  const layouts = layoutsOf(defs, series, slabs);
  const scalar = new Uint8Array(ids.length);
  const written = new Set<Column>();
  const columns = defs.map((def, i) => {
    const target = series[i];
    if (target?.columns.kind === "scalar") {
      scalar[i] = 1;
      return target.columns.column;
    }
    const layout = target === undefined ? undefined : layouts.get(target);
    if (layout === undefined) throw new Error(`histogram ${def.family.name} has no bounds`);
    const column = partColumn(layout, def);
    written.add(column);
    return column;
  });
  return { defs: batch.defs, ids, columns, scalar, copies: missingParts(layouts, columns, written), values: batch.values.slice(0, batch.length) };
}

/** Writes the plan's values. */
export function writeRow(plan: Plan, row: number): void {
  const { columns, values, scalar, copies } = plan;
  for (let i = 0; i < columns.length; i++) {
    const value = values[i] ?? ABSENT;
    columns[i]?.set(row, scalar[i] === 1 && !Number.isFinite(value) ? GAP : value);
  }
  for (const { from, to } of copies) to.set(row, values[from] ?? ABSENT);
}

/** The columns that each histogram of a scrape writes to, by the bounds it shows. */
function layoutsOf(defs: readonly SampleDef[], series: readonly StoredSeries[], slabs: Slabs): Map<StoredSeries, HistogramColumns> {
  const bounds = new Map<StoredSeries, Bound[]>();
  defs.forEach(({ part }, i) => {
    const target = series[i];
    if (target?.columns.kind !== "histogram") return;
    let list = bounds.get(target);
    if (list === undefined) bounds.set(target, (list = []));
    if (part.kind === "bucket") list.push({ text: part.bound, upper: part.upper });
  });
  const result = new Map<StoredSeries, HistogramColumns>();
  for (const [target, list] of bounds) {
    if (target.columns.kind !== "histogram") continue;
    if (!list.some((bound) => bound.upper === Infinity)) list.push({ text: boundText("+Inf"), upper: Infinity });
    const sorted = sortBounds(list);
    const key = boundsKey(sorted);
    let layout = target.columns.layouts.get(key);
    if (layout === undefined) target.columns.layouts.set(key, (layout = makeHistogramColumns(sorted, slabs)));
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
      const column = layout.buckets[layout.uppers.indexOf(part.upper)];
      if (column === undefined) throw new Error(`bound ${part.bound} of ${family.name} is not among its bounds`);
      return column;
    }
    case "value":
      throw new Error(`histogram ${family.name} has a sample that is neither bucket, sum nor count`);
  }
}

function missingParts(layouts: Map<StoredSeries, HistogramColumns>, columns: readonly Column[], written: ReadonlySet<Column>) {
  const copies: { from: number; to: Column }[] = [];
  for (const layout of layouts.values()) {
    const infinite = layout.buckets.at(-1);
    if (infinite === undefined) continue;
    if (!written.has(layout.count)) copies.push({ from: columns.lastIndexOf(infinite), to: layout.count });
    if (!written.has(infinite)) copies.push({ from: columns.lastIndexOf(layout.count), to: infinite });
  }
  return copies.filter((copy) => copy.from >= 0);
}
