import { Icon } from "../components/icon.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useTextGroup } from "../shorten/text-group.js";
import { PlainTable } from "../components/plain-table.js";

export interface BarRow {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  /** Length of the bar, 0 to 1. */
  readonly length: number;
  /** Where it has one of its own, CSS. */
  readonly color?: string;
  readonly cells: readonly string[];
  readonly note?: string;
}

interface BarTableProps {
  readonly label: string;
  readonly nameTitle: string;
  readonly cellTitles: readonly string[];
  readonly rows: readonly BarRow[];
  /** A place on all bars that is marked, 0 to 1, and what it means. */
  readonly mark?: { readonly at: number; readonly title: string };
}

/** A table whose rows each have a bar: name, bar, numbers. */
export function BarTable({ label, nameTitle, cellTitles, rows, mark }: BarTableProps) {
  const group = useTextGroup(rows.map(({ name }) => name));
  return (
    <PlainTable
      label={label}
      class="bar-table"
      style={{ "--bar-cells": cellTitles.length }}
      heads={
        <>
          <th scope="col" class="bar-name">
            {nameTitle}
          </th>
          <td class="bar-column" aria-hidden="true" />
          {cellTitles.map((title) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </>
      }
    >
      {rows.map((row) => (
        <tr key={row.key} title={row.note === undefined ? row.title : `${row.title}\n${row.note}`}>
          <th scope="row" class="bar-name">
            <TruncatedText text={row.name} group={group} />
            {row.note !== undefined && <Icon name="info" label={row.note} class="row-note" />}
          </th>
          <td class="bar-column" aria-hidden="true">
            <div class="bar-track">
              <div
                class="bar-length"
                style={{
                  width: `${100 * Math.max(0, Math.min(1, row.length))}%`,
                  ...(row.color === undefined ? {} : { backgroundColor: row.color }),
                }}
              />
              {mark !== undefined && <div class="bar-mark" title={mark.title} style={{ left: `${100 * mark.at}%` }} />}
            </div>
          </td>
          {row.cells.map((cell, i) => (
            <td key={i} class="number">
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </PlainTable>
  );
}
