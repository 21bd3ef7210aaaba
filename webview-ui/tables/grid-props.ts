import type { ComponentChildren } from "preact";
import type { ChosenWidths, GridColumn, GridGroup } from "./columns.js";
import type { Sorting } from "./table-state.js";

/** What lies beneath a row that is opened. */
export interface RowDetails<Row> {
  /** It tells its height, CSS pixels, whenever that changes. */
  readonly content: (row: Row, onHeight: (height: number) => void) => ComponentChildren;
}

/** Rows that are chosen, for what buttons do with several. */
export interface RowSelection<Row> {
  readonly has: (row: Row) => boolean;
  /** By a click on the row or its box, or Space. @param through all from the one before it (Shift) */
  readonly toggle: (row: Row, through: boolean) => void;
}

export interface GridProps<Row> {
  readonly name: string;
  readonly captionId?: string;
  readonly class?: string;
  readonly columns: readonly GridColumn<Row>[];
  /** A heading over each stretch of columns; together they span all. */
  readonly groups?: readonly GridGroup[];
  readonly rows: readonly Row[];
  /** Unlike all others', and the same from one answer to the next. */
  readonly idOf: (row: Row) => string;
  /** What its buttons call a row. */
  readonly nameOf: (row: Row) => string;
  readonly rowClass?: (row: Row) => string;
  readonly sorting: Sorting | undefined;
  /** Absent: the rows keep their order. */
  readonly onSort?: (sorting: Sorting | undefined) => void;
  readonly widths: ChosenWidths;
  readonly onWidths: (widths: ChosenWidths) => void;
  /** By Alt+Left and Alt+Right on a head, and by dragging it onto another. */
  readonly onMove?: (key: string, to: string) => void;
  readonly details?: RowDetails<Row>;
  /** Of a table without details. */
  readonly selection?: RowSelection<Row>;
  readonly onMenu?: (row: Row, anchor: Element) => void;
  /** Enter, and a click where there are no details; absent: Enter opens the menu. */
  readonly onOpen?: (row: Row) => void;
  /** Ctrl+C. */
  readonly onCopy?: (row: Row) => void;
}
