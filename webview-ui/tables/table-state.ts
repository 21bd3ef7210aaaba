import { useMemo } from "preact/hooks";
import { cellOrder } from "../../src/core/text/names.js";
import type { GridColumn } from "./columns.js";

export interface Sorting {
  /** Key of a column. */
  readonly key: string;
  readonly descending: boolean;
}

export interface TableRows<Row> {
  readonly columns: readonly Pick<GridColumn<Row>, "key" | "order" | "unit">[];
  readonly rows: readonly Row[];
}

/** Whether a row is shown; undefined: all are. */
export type RowFilter<Row> = ((row: Row) => boolean) | undefined;

/**
 * The rows that pass a filter, sorted. Numbers of several units are sorted within each unit, absent ones last either
 * way, ties as they came. A sorting by a column that is not there is none.
 */
export function sortedRows<Row>(
  { columns, rows }: TableRows<Row>,
  filter: RowFilter<Row>,
  sorting: Sorting | undefined,
): readonly Row[] {
  const found = filter === undefined ? rows : rows.filter(filter);
  const { order, unit } = columns.find(({ key }) => key === sorting?.key) ?? {};
  if (sorting === undefined || order === undefined) return found;
  const unitOf = (row: Row) => unit?.(row) ?? "";
  // Units in the order in which all rows have them: a filter does not change it.
  const ranks = new Map([...new Set(rows.map(unitOf))].map((name, rank) => [name, rank]));
  const valued = found.map((row) => ({ row, value: order(row), rank: ranks.get(unitOf(row)) ?? 0 }));
  const direction = sorting.descending ? -1 : 1;
  return valued
    .sort((a, b) =>
      a.value === undefined || b.value === undefined
        ? Number(a.value === undefined) - Number(b.value === undefined)
        : a.rank - b.rank || direction * cellOrder(a.value, b.value),
    )
    .map(({ row }) => row);
}

/** Filtered and sorted anew only when the filter, the sorting or the rows change. */
export function useSortedRows<Row>(
  { columns, rows }: TableRows<Row>,
  filter: RowFilter<Row>,
  sorting: Sorting | undefined,
): readonly Row[] {
  return useMemo(() => sortedRows({ columns, rows }, filter, sorting), [columns, rows, filter, sorting]);
}
