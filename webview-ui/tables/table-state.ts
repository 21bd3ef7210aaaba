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

/** Filters and sorts rows; the result is kept until the filter, the sorting or the rows change. */
export interface Table<Row> {
  set(rows: TableRows<Row>): void;
  /**
   * Numbers of several units are sorted within each unit, absent ones last either way, ties as they came. A sorting by
   * a column that is not there is none.
   */
  rows(filter: RowFilter<Row>, sorting: Sorting | undefined): readonly Row[];
}

export function makeTable<Row>(first: TableRows<Row>): Table<Row> {
  let current = first;
  let known: { filter: RowFilter<Row>; sorting: Sorting | undefined; rows: readonly Row[] } | undefined;
  return {
    set(next) {
      if (next.rows === current.rows && next.columns === current.columns) return;
      current = next;
      known = undefined;
    },
    rows(filter, sorting) {
      if (known === undefined || known.filter !== filter || known.sorting !== sorting)
        known = { filter, sorting, rows: shownRows(current, filter, sorting) };
      return known.rows;
    },
  };
}

function shownRows<Row>(
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
