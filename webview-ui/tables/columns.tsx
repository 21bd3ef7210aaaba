import type { ComponentChildren } from "preact";
import { splitValue, type FormattedValue } from "../../src/core/catalog/display.js";
import { TruncatedText } from "../shorten/truncated-text.js";

/** How much room a column needs, in widths of a digit. */
export interface Room<Row> {
  /** Of its title. */
  readonly head: number;
  readonly needs: (row: Row) => number;
  /** What it says besides, where there is room. */
  readonly extra?: (row: Row) => number;
  /** It never shrinks below what its cells need, unless that is more than this. */
  readonly least: number;
  /** Where there is room, it grows to what its cells need, but not beyond this. */
  readonly most: number;
}

/** Lines that hover and focus say of cells. */
export interface ColumnHint<Row> {
  readonly has: (row: Row) => boolean;
  readonly lines: (row: Row) => readonly string[];
}

/** A text that is changed in its cell: by F2 or a double click, Enter or leaving it, and not by Escape. */
export interface CellEdit<Row> {
  readonly text: (row: Row) => string;
  readonly done: (row: Row, text: string) => void;
}

/** A column of a table: what it says of a row, how that is sorted, and how much room it takes. */
export interface GridColumn<Row> {
  readonly key: string;
  readonly title: string;
  /** What the column is, for its head's tooltip. */
  readonly about?: string;
  /** The exposed name, a line of its own below the title. */
  readonly exposed?: string;
  readonly kind: "text" | "number" | "drawing";
  /** Drawings have a width of their own, pixels. */
  readonly room: Room<Row> | { readonly pixels: number };
  /** What the rows are sorted by; absent: the column cannot be sorted. Undefined goes last either way. */
  readonly order?: (row: Row) => string | number | undefined;
  /** The unit of its number, when its rows have several: they are sorted within each. */
  readonly unit?: (row: Row) => string | undefined;
  /** Whether the first click sorts downwards; absent: numbers do, words do not. */
  readonly descendingFirst?: boolean;
  /** Stays in sight with the first column, which always does. */
  readonly fixed?: boolean;
  /** A line stands before it: a group of columns begins. */
  readonly starts?: boolean;
  /** Instead of the title. */
  readonly head?: () => ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  readonly titleOf?: (row: Row) => string | undefined;
  /** What hover and focus say of a cell. */
  readonly hint?: ColumnHint<Row>;
  readonly classOf?: (row: Row) => string;
  readonly edit?: CellEdit<Row>;
}

/** Columns under one heading of their own. */
export interface GridGroup {
  readonly key: string;
  readonly title: string;
  readonly content: ComponentChildren;
  readonly span: number;
  /** Stays in sight with the columns beneath it. */
  readonly fixed?: boolean;
  readonly numeric?: boolean;
}

/** Widths that the user has given columns, pixels by key. */
export type ChosenWidths = Readonly<Record<string, number>>;

/** Widths of the columns for CSS grid. */
export interface GridTracks {
  readonly template: string;
  /** The least width of all columns together. */
  readonly minWidth: string;
  /** Where the second fixed column stands: the first one's width where the table is wider than its place. */
  readonly first: string;
}

/** So many rows tell how wide columns are, beside those that are drawn. */
export const SAMPLE = 150;
/** Padding of a cell, both sides, pixels; the style sheet uses the same. */
export const PADDING = 12;
/** Where there is room, numbers stand this far apart. */
const NUMBERS_APART = "13ch";
/** No column is made narrower by hand. Pixels. */
export const NARROWEST = 36;

/** About how wide a text is, in widths of a digit. */
export function digits(text: string): number {
  let width = 0;
  for (const c of text) width += ".,:/i ".includes(c) ? 0.5 : "mMw%−+≥".includes(c) ? 1.5 : 1;
  return width;
}

/** What the cells of a column need, and what they need with all that they say besides. */
export interface Width {
  readonly needed: number;
  readonly whole: number;
}

/** The widest that each column has needed so far, by its key; changed by what rows need. */
export function measure<Row>(
  columns: readonly GridColumn<Row>[],
  rows: readonly Row[],
  widest: Map<string, Width>,
): void {
  for (const { key, room } of columns) {
    if ("pixels" in room) continue;
    let { needed, whole } = widest.get(key) ?? { needed: room.head, whole: room.head };
    for (const row of rows) {
      const width = room.needs(row);
      needed = Math.max(needed, width);
      whole = Math.max(whole, width + (room.extra?.(row) ?? 0));
    }
    widest.set(key, { needed, whole });
  }
}

/** Numbers get all that they need, words what is left up to their own length. */
export function gridTracks<Row>(
  columns: readonly GridColumn<Row>[],
  widest: ReadonlyMap<string, Width>,
  chosen: ChosenWidths,
): GridTracks {
  const tracks = columns.map(({ key, kind, room }) => {
    const pixels = chosen[key] ?? ("pixels" in room ? room.pixels + PADDING : undefined);
    if (pixels !== undefined || "pixels" in room) return { least: `${pixels}px`, track: `${pixels}px` };
    const { needed, whole } = widest.get(key) ?? { needed: room.head, whole: room.head };
    const [least, most] = [ch(Math.min(needed, room.least)), ch(Math.min(whole, room.most))];
    // Words leave the numbers their half of a narrow view.
    const shrunk = kind === "text" ? `min(${least}, 46vw)` : least;
    return {
      least: shrunk,
      track: `minmax(${shrunk}, ${kind === "number" ? `max(${most}, ${NUMBERS_APART})` : most})`,
    };
  });
  return {
    // The last track takes what nothing needs.
    template: [...tracks.map(({ track }) => track), "minmax(0, 1fr)"].join(" "),
    minWidth: `calc(${tracks.map(({ least }) => least).join(" + ")})`,
    first: tracks[0]?.least ?? "0px",
  };
}

function ch(width: number): string {
  return `calc(${width.toFixed(2)}ch + ${PADDING}px)`;
}

/** The exposed name beside a title. */
export function CellName({ name }: { readonly name: string }) {
  return (
    <span class="cell-name muted">
      <TruncatedText text={name} dispensable />
    </span>
  );
}

/**
 * As `splitValue`; of a date only day and time, because a whole one would make each column of a row as wide as it is.
 * The cell's title has it all.
 */
export function cellValue(value: number, unit: string | undefined): FormattedValue {
  const shown = splitValue(value, unit);
  return unit === "timestamp" && shown.unit === "UTC" ? { number: shown.number.slice(5, 16), unit: "" } : shown;
}

/** A number and its unit, set smaller. */
export function ShownNumber({ value, unit }: { readonly value: number; readonly unit: string | undefined }) {
  const shown = cellValue(value, unit);
  return (
    <>
      {shown.number}
      {shown.unit !== "" && <span class="cell-unit">{shown.unit.startsWith("/") ? shown.unit : ` ${shown.unit}`}</span>}
    </>
  );
}

/** Digits are only about as wide as all that. */
const SLACK = 0.3;
/** Unit symbols are set smaller. */
const UNIT_SCALE = 0.9;

/** A column of numbers is as wide as its widest number: none is ever cut. */
export function numberRoom<Row>(title: string, shown: (row: Row) => FormattedValue): Room<Row> {
  return {
    // The arrow of the sorted column has its place in a short title's margin; a long one needs it.
    head: Math.max(4.5, digits(title) * 1.05 + (title.length > 4 ? 2 : 0)),
    needs: (row) => {
      const { number, unit } = shown(row);
      return SLACK + digits(number) + (unit === "" ? 0 : 0.4 + digits(unit) * UNIT_SCALE);
    },
    least: Infinity,
    most: Infinity,
  };
}
