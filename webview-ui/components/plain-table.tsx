import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { cellOrder } from "../../src/core/text/names.js";

interface PlainTableProps {
  readonly label: string;
  /** Over the table; absent: what stands above it says what it is. */
  readonly caption?: string;
  readonly class?: string;
  /** Variables of its style sheet. */
  readonly style?: Readonly<Record<`--${string}`, number>>;
  /** Cells of the head's row: texts, or whole cells. */
  readonly heads: readonly string[] | ComponentChildren;
  /** Rows, each headed by a `th` of scope "row". */
  readonly children: ComponentChildren;
}

/**
 * The one table beside the grid: it is read as it is, sorted by `SortedTable` only, and scrolls by itself where it has
 * no room.
 */
export function PlainTable({ label, caption, class: name = "", style, heads, children }: PlainTableProps) {
  return (
    <div class="plain-table-frame" tabIndex={0} role="group" aria-label={label}>
      <table class={`plain-table ${name}`} aria-label={label} {...(style === undefined ? {} : { style })}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {isTexts(heads)
              ? heads.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))
              : heads}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function isTexts(heads: PlainTableProps["heads"]): heads is readonly string[] {
  return Array.isArray(heads) && heads.every((head) => typeof head === "string");
}

interface SortedRow {
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
