import {
  columnFilteringFeature,
  constructTable,
  createFilteredRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  rowSortingFeature,
  tableFeatures,
  type ColumnDef,
  type Row,
} from "@tanstack/table-core";
import { storeReactivityBindings } from "@tanstack/table-core/store-reactivity-bindings";
import { matches, type RowFilter } from "./filter.js";
import type { GridModel, GridRow } from "./model.js";

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
  /** Key of a text or number column. */
  readonly key: string;
  readonly descending: boolean;
}

/** Filters and sorts the rows of one model; both results are kept until the filter, the sorting or the rows change. */
export interface GridTable {
  setModel(model: GridModel): void;
  /** A sorting by a column that the model has not is none. */
  rows(filter: RowFilter, sorting: Sorting | undefined): readonly GridRow[];
}

const collator = new Intl.Collator("en", { numeric: true });

const byValue = (a: Row<Features, GridRow>, b: Row<Features, GridRow>, id: string): number => {
  const [x, y] = [a.getValue(id), b.getValue(id)];
  if (typeof x === "number" && typeof y === "number") return x - y;
  return collator.compare(String(x), String(y));
};

function columnsOf(model: GridModel): ColumnDef<Features, GridRow>[] {
  const texts = model.textColumns.map(({ key }, i) => ({
    id: key,
    accessorFn: (row: GridRow) => row.order?.[i] ?? row.texts[i],
    sortFn: byValue,
    // The filter looks at a row as a whole, once.
    enableGlobalFilter: i === 0,
  }));
  const numbers = model.numberColumns.map(({ key }, i) => ({
    id: key,
    accessorFn: (row: GridRow) => {
      const value = row.numbers[i];
      return value === undefined || Number.isNaN(value) ? undefined : value;
    },
    sortFn: byValue,
    sortUndefined: "last" as const,
    enableGlobalFilter: false,
  }));
  return [...texts, ...numbers];
}

export function makeGridTable(first: GridModel): GridTable {
  const table = constructTable<Features, GridRow>({
    features,
    columns: columnsOf(first),
    data: first.rows,
    getRowId: (row) => String(row.index),
    globalFilterFn: (row, _columnId, filter: RowFilter) => matches(row.original, filter),
    getColumnCanGlobalFilter: () => true,
  });
  let model = first;
  let known: { filter: RowFilter; sorting: Sorting | undefined; rows: readonly GridRow[] } | undefined;
  return {
    setModel(next) {
      if (next === model) return;
      model = next;
      known = undefined;
      table.setOptions((options) => ({ ...options, columns: columnsOf(next), data: next.rows }));
    },
    rows(filter, sorting) {
      if (known?.filter === filter && known.sorting === sorting) return known.rows;
      table.setGlobalFilter(filter.words.length === 0 && filter.label === undefined ? undefined : filter);
      const has = (key: string) => [...model.textColumns, ...model.numberColumns].some((column) => column.key === key);
      table.setSorting(
        sorting === undefined || !has(sorting.key) ? [] : [{ id: sorting.key, desc: sorting.descending }],
      );
      const rows = table.getRowModel().rows.map((row) => row.original);
      known = { filter, sorting, rows };
      return rows;
    },
  };
}
