import {
  columnFilteringFeature,
  constructTable,
  createFilteredRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
  type Row as TableRow,
} from "@tanstack/table-core";
import { storeReactivityBindings } from "@tanstack/table-core/store-reactivity-bindings";
import { cellOrder } from "../../src/core/text/natural-order.js";
import type { GridColumn } from "./columns.js";

const features = tableFeatures({
  coreReactivityFeature: storeReactivityBindings(),
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
});
type Features = typeof features;

export interface Sorting {
  /** Key of a column. */
  readonly key: string;
  readonly descending: boolean;
}

type SortedColumn<Row> = Pick<GridColumn<Row>, "key" | "order" | "unit">;

export interface TableRows<Row> {
  readonly columns: readonly SortedColumn<Row>[];
  readonly rows: readonly Row[];
}

/** Whether a row is shown; undefined: all are. */
export type RowFilter<Row> = ((row: Row) => boolean) | undefined;

/** Filters and sorts rows; both results are kept until the filter, the sorting or the rows change. */
export interface Table<Row> {
  set(rows: TableRows<Row>): void;
  /**
   * Numbers of several units are sorted within each unit, absent ones last either way, ties as they came. A sorting by
   * a column that is not there is none.
   */
  rows(filter: RowFilter<Row>, sorting: Sorting | undefined): readonly Row[];
}

/** Ends the id of a column of units, which sorts before the column whose units they are. */
const UNIT = "/:unit";
/** The filter looks at a row as a whole, through the first column. */
const WHOLE = ":row";

function compare<Row extends object>(a: TableRow<Features, Row>, b: TableRow<Features, Row>, id: string): number {
  return cellOrder(a.getValue(id), b.getValue(id));
}

function definitions<Row extends object>({ columns, rows }: TableRows<Row>): ColumnDef<Features, Row>[] {
  const column = (id: string, accessorFn: (row: Row) => string | number | undefined): ColumnDef<Features, Row> => ({
    id,
    accessorFn,
    sortFn: compare,
    sortUndefined: "last" as const,
    enableGlobalFilter: id === WHOLE,
  });
  return [
    column(WHOLE, () => ""),
    ...columns.flatMap(({ key, order, unit }) => {
      if (order === undefined) return [];
      if (unit === undefined) return [column(key, order)];
      const ranks = new Map<string, number>();
      for (const row of rows) {
        const name = unit(row) ?? "";
        if (!ranks.has(name)) ranks.set(name, ranks.size);
      }
      // A row without a number has no place in its unit: it goes last of all.
      const rank = (row: Row) => (order(row) === undefined ? undefined : ranks.get(unit(row) ?? ""));
      return [...(ranks.size > 1 ? [column(key + UNIT, rank)] : []), column(key, order)];
    }),
  ];
}

export function makeTable<Row extends object>(first: TableRows<Row>): Table<Row> {
  let current = first;
  let columns = definitions(first);
  let known:
    | { readonly filter: RowFilter<Row>; readonly sorting: Sorting | undefined; readonly rows: readonly Row[] }
    | undefined;
  const table = constructTable<Features, Row>({
    features,
    columns,
    data: first.rows,
    globalFilterFn: (row, _columnId, filter: NonNullable<RowFilter<Row>>) => filter(row.original),
    getColumnCanGlobalFilter: () => true,
  });
  return {
    set(next) {
      if (next.rows === current.rows && next.columns === current.columns) return;
      current = next;
      known = undefined;
      columns = definitions(next);
      table.setOptions((options) => ({ ...options, columns, data: next.rows }));
    },
    rows(filter, sorting) {
      if (known !== undefined && known.filter === filter && known.sorting === sorting) return known.rows;
      // A function would be taken for one that makes the filter from the last one.
      table.setGlobalFilter(() => filter);
      const has = (id: string) => columns.some((column) => column.id === id);
      table.setSorting(
        sorting === undefined || !has(sorting.key)
          ? []
          : [
              ...(has(sorting.key + UNIT) ? [{ id: sorting.key + UNIT, desc: false }] : []),
              { id: sorting.key, desc: sorting.descending },
            ],
      );
      const rows = table.getRowModel().rows.map((row) => row.original);
      known = { filter, sorting, rows };
      return rows;
    },
  };
}
