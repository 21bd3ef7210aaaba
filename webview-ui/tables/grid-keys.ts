/** A place in a table; the row of column heads is row -1. */
export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

export const HEAD_ROW = -1;

export interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Rows that Page Up and Page Down go. */
  readonly page: number;
}

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** Where a key goes from a place: the keys of a grid as the ARIA practices have them; undefined: it goes nowhere. */
export function placeAfter(event: Key, at: CellPosition, { rows, columns, page }: Extent): CellPosition | undefined {
  if (event.shiftKey || event.altKey) return undefined;
  const control = event.ctrlKey || event.metaKey;
  const to = (row: number, column: number): CellPosition => ({
    row: Math.max(HEAD_ROW, Math.min(rows - 1, row)),
    column: Math.max(0, Math.min(columns - 1, column)),
  });
  if (event.key === "Home") return to(control ? 0 : at.row, 0);
  if (event.key === "End") return to(control ? rows - 1 : at.row, columns - 1);
  if (control) return undefined;
  const places: { readonly [key: string]: CellPosition } = {
    ArrowDown: to(at.row + 1, at.column),
    ArrowUp: to(at.row - 1, at.column),
    ArrowRight: to(at.row, at.column + 1),
    ArrowLeft: to(at.row, at.column - 1),
    PageDown: to(at.row + page, at.column),
    // To the first row, not past it to the heads.
    PageUp: to(at.row === HEAD_ROW ? HEAD_ROW : Math.max(0, at.row - page), at.column),
  };
  return places[event.key];
}

/** What a key does to the row that it is pressed on. */
export function rowAction(event: Key): "details" | "open" | "copy" | "menu" | "edit" | undefined {
  const control = event.ctrlKey || event.metaKey;
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) return "menu";
  if (event.key === "c" && control) return "copy";
  if (event.key === "F2") return "edit";
  if (control || event.shiftKey || event.altKey) return undefined;
  return event.key === "Enter" ? "open" : event.key === " " ? "details" : undefined;
}
