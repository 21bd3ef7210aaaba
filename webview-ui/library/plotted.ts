import { textOfCell, type Interval } from "../../src/core/library/runs.js";
import type { ShownRow, ShownRuns } from "../../src/protocol/library.js";
import type { ShownCell } from "../charts/plot-axes.js";

/** What an answer's rows have in a column. */
export interface PlottedColumn {
  readonly unit: string | undefined;
  readonly title: string;
  readonly cell: (row: ShownRow) => ShownCell;
  readonly interval: (row: ShownRow) => Interval | undefined;
  /** "TTFT p99: 120 ms". */
  readonly said: (row: ShownRow) => string;
}

export function plottedColumn({ columns }: ShownRuns, name: string): PlottedColumn {
  const i = columns.findIndex((column) => column.name === name);
  const { unit, title = name } = columns[i] ?? {};
  const cell = ({ cells }: ShownRow) => cells[i] ?? null;
  return {
    unit,
    title,
    cell,
    interval: ({ intervals }) => intervals[i] ?? undefined,
    said: (row) => `${title}: ${textOfCell(cell(row), unit) || "–"}`,
  };
}

/** Told by no axis and no colour. */
const NO_QUANTITY =
  /^(?:time|run|label|star|tags|note|archived|finding|verdict|formats|problem|host|(?:client\.)?load)$/;

/** Columns shown whose values differ between the rows, without those that only name runs. */
export function differing({ columns, rows }: ShownRuns): readonly string[] {
  return columns.flatMap(({ name }, i) => {
    const values = new Set(rows.flatMap(({ cells }) => cells[i] ?? [])).size;
    return values < 2 || NO_QUANTITY.test(name) ? [] : [name];
  });
}
