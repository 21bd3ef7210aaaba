import { useState } from "preact/hooks";
import type { Block } from "../../src/core/text/document.js";
import { naturalOrder } from "../../src/core/text/natural-order.js";
import { PlainTable } from "../components/plain-table.js";

/** Blocks of text, with tables that sort. */
export function Document({ blocks }: { readonly blocks: readonly Block[] }) {
  let title = "";
  return (
    <>
      {blocks.map((block, i) => {
        if (block.kind === "heading") title = block.text;
        return <Part key={i} block={block} label={title} />;
      })}
    </>
  );
}

function Part({ block, label }: { readonly block: Block; readonly label: string }) {
  switch (block.kind) {
    case "heading":
      return block.level === 1 ? (
        <h1>{block.text}</h1>
      ) : block.level === 2 ? (
        <h2>{block.text}</h2>
      ) : (
        <h3>{block.text}</h3>
      );
    case "paragraph":
      return <p>{block.text}</p>;
    case "list":
      return (
        <ul class="report-list">
          {block.items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      );
    case "table":
      return <SortedTable {...block} label={label} />;
  }
}

interface SortedTableProps {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly label: string;
}

/** In its own order, or by a column whose head was pressed; pressed again, the other way round. */
function SortedTable({ heads, rows, label }: SortedTableProps) {
  const [order, setOrder] = useState<{ readonly column: number; readonly descending: boolean }>();
  const sorted =
    order === undefined
      ? rows
      : rows.toSorted(
          (a, b) => (order.descending ? -1 : 1) * naturalOrder(a[order.column] ?? "", b[order.column] ?? ""),
        );
  const press = (column: number) => setOrder({ column, descending: order?.column === column && !order.descending });
  return (
    <PlainTable
      label={label}
      heads={
        <>
          {heads.map((head, column) => (
            <th
              key={column}
              scope="col"
              aria-sort={order?.column !== column ? "none" : order.descending ? "descending" : "ascending"}
            >
              <button type="button" class="report-sort" onClick={() => press(column)}>
                {head}
                {order?.column === column && <span aria-hidden="true">{order.descending ? " ↓" : " ↑"}</span>}
              </button>
            </th>
          ))}
        </>
      }
    >
      {sorted.map((cells, i) => (
        <tr key={i}>
          {cells.map((cell, column) =>
            column === 0 ? (
              <th key={column} scope="row">
                {cell}
              </th>
            ) : (
              <td key={column}>{cell}</td>
            ),
          )}
        </tr>
      ))}
    </PlainTable>
  );
}
