import { shownUnit, vectorLabelOf } from "../catalog/index.js";
import { labelValue, NS_PER_SECOND, type EpochNs, type Problem, type SeriesResult, noteOf } from "../model/index.js";
import { askedEntries, loadOf, measureOf, noDataProblem } from "./load.js";
import { inOrder } from "./order.js";
import type { ResultEntry } from "./tables.js";
import type { VectorData, VectorQuery } from "./types/index.js";

interface Element {
  readonly position: string;
  readonly result: SeriesResult;
}

/** A family whose label is an index, over the window and slice by slice. Yields the share done. */
export function* vectorSteps(
  all: Iterable<ResultEntry>,
  query: VectorQuery,
  origin: EpochNs,
): Generator<number, VectorData> {
  const label = vectorLabelOf(query.family) ?? "";
  const entries = askedEntries(all, query);
  const elements: Element[] = [];
  for (const [i, entry] of entries.entries()) {
    const { key } = entry;
    const position = labelValue(key.labels, label);
    const computed = entry.result();
    if (position !== undefined && computed !== undefined) elements.push({ position, result: computed });
    yield (i + 1) / entries.length;
  }
  const family = entries[0]?.key.family;
  const unit = family === undefined ? undefined : shownUnit(family);
  const measure = measureOf(family?.type ?? "unknown");
  const positions = inOrder(new Set(elements.map(({ position }) => position)));
  const rowOf = new Map(positions.map((position, row) => [position, row]));
  const values = new Float64Array(positions.length);
  const rates = new Float64Array(positions.length);
  for (const { position, result } of elements) {
    const row = rowOf.get(position) ?? 0;
    const { amount, rate } = loadOf(result);
    values[row] = (values[row] ?? 0) + amount;
    rates[row] = (rates[row] ?? 0) + rate;
  }
  const { edges, cells } = courseOf(elements, rowOf, origin);
  return {
    family: query.family,
    ...(unit === undefined || measure === "observations" ? {} : { unit }),
    label,
    measure,
    positions,
    values,
    rates,
    edges,
    cells,
    ...(edges.length === 0 ? { unsliced: UNSLICED } : {}),
    ...(positions.length > 0 ? {} : { empty: emptiness(query.family, label, entries.length) }),
  };
}

const UNSLICED: Problem = noteOf("There are no timeslices of it, so its course over time cannot be shown.");

function emptiness(family: string, label: string, series: number): Problem {
  if (label === "") return noteOf(`${family} has no label that is an index.`);
  return noDataProblem(family, series);
}

/** Slices of all elements on one axis; one that no element has is a column of its own, without values. */
function courseOf(
  elements: readonly Element[],
  rowOf: ReadonlyMap<string, number>,
  origin: EpochNs,
): Pick<VectorData, "edges" | "cells"> {
  const ends = new Map<number, number>();
  const offset = (time: EpochNs) => Number(time - origin);
  for (const { result } of elements) {
    for (const { start_ns, end_ns } of result.slices ?? [])
      ends.set(offset(start_ns), Math.max(offset(end_ns), ends.get(offset(start_ns)) ?? 0));
  }
  const edges: number[] = [];
  const columnOf = new Map<number, number>();
  let last: number | undefined;
  for (const [start, end] of [...ends].sort(([a], [b]) => a - b)) {
    if (last !== undefined && last < start) edges.push(last);
    columnOf.set(start, edges.length);
    edges.push(start);
    last = end;
  }
  if (last !== undefined) edges.push(last);
  const rows = rowOf.size;
  const cells = new Float64Array(Math.max(0, edges.length - 1) * rows).fill(NaN);
  for (const { position, result } of elements) {
    for (const [start, value] of slicesOf(result)) {
      const cell = (columnOf.get(offset(start)) ?? 0) * rows + (rowOf.get(position) ?? 0);
      cells[cell] = (Number.isNaN(cells[cell]) ? 0 : (cells[cell] ?? 0)) + value;
    }
  }
  return { edges: Float64Array.from(edges), cells };
}

/** Rates of a counter's or histogram's slices, means of a gauge's. */
function slicesOf(result: SeriesResult): (readonly [EpochNs, number])[] {
  switch (result.kind) {
    case "gauge":
      return (result.slices ?? []).map((slice) => [slice.start_ns, slice.avg]);
    case "counter":
      return (result.slices ?? []).map((slice) => [slice.start_ns, slice.rate]);
    case "histogram":
      return (result.slices ?? []).map((slice) => [
        slice.start_ns,
        slice.count / (Number(slice.end_ns - slice.start_ns) / NS_PER_SECOND),
      ]);
  }
}
