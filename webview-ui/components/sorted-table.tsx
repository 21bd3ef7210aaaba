import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { cellOrder } from "../../src/core/text/names.js";
import { PlainTable } from "./plain-table.js";

export interface SortedRow {
  readonly key: string;
  /** The first heads the row. */
  readonly cells: readonly ComponentChildren[];
  /** What each cell is sorted by. */
  readonly order: readonly (string | number)[];
}

interface SortedTableProps {
  readonly label: string;
  readonly class?: string;
  readonly heads: readonly string[];
  readonly rows: readonly SortedRow[];
}

/** In its own order, or by a column whose head was pressed; pressed again, the other way round. */
export function SortedTable({ heads, rows, ...table }: SortedTableProps) {
  const [order, setOrder] = useState<{ readonly column: number; readonly descending: boolean }>();
  const sorted =
    order === undefined
      ? rows
      : rows.toSorted(
          (a, b) => (order.descending ? -1 : 1) * cellOrder(a.order[order.column] ?? "", b.order[order.column] ?? ""),
        );
  const press = (column: number) => setOrder({ column, descending: order?.column === column && !order.descending });
  return (
    <PlainTable
      {...table}
      heads={
        <>
          {heads.map((head, column) => (
            <th
              key={column}
              scope="col"
              aria-sort={order?.column !== column ? "none" : order.descending ? "descending" : "ascending"}
            >
              <button type="button" class="table-sort" onClick={() => press(column)}>
                {head}
                {order?.column === column && <span aria-hidden="true">{order.descending ? " ↓" : " ↑"}</span>}
              </button>
            </th>
          ))}
        </>
      }
    >
      {sorted.map(({ key, cells: [first, ...others] }) => (
        <tr key={key}>
          <th scope="row">{first}</th>
          {others.map((cell, column) => (
            <td key={column}>{cell}</td>
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}
