import { splitValue } from "../../src/core/catalog/display.js";
import { cellUnit } from "../format/unit.js";
import type { GridModel, GridRow } from "./model.js";

/** Unit of a number of this row, when its column has none. */
export type UnitOf = (row: GridRow, columnKey: string) => string | undefined;

/** Widths of the columns for CSS grid, and the least width of all. */
export interface GridColumns {
  readonly template: string;
  readonly minWidth: string;
}

/** So many rows tell how wide a column's numbers are. */
const SAMPLE = 150;
/** Padding of a cell, both sides, pixels; the style sheet uses the same. */
const PADDING = 12;
/**
 * Characters that text columns may shrink to, and grow to, where their words are that long. The first one names the
 * row.
 */
const TEXT = { first: 24, least: 14, most: 46 } as const;
/** A wider number column only draws the numbers apart. */
const NUMBER_MOST = "13ch";

/** About how wide a text is, in widths of a digit. */
function digits(text: string): number {
  let width = 0;
  for (const c of text) width += ".,:/i ".includes(c) ? 0.5 : "mMw%".includes(c) ? 1.5 : 1;
  return width;
}

/** Digits are only about as wide as all that. */
const SLACK = 0.3;
/** Unit symbols are set smaller. */
const UNIT_SCALE = 0.9;

export interface Width {
  /** Has room for all but some outliers, which are cut short while there is no more. */
  readonly least: number;
  /** Has room for everything. */
  readonly most: number;
}

/** Share of the numbers that a column always has room for… */
const USUAL = 0.85;
/** …and those that are hardly wider, which would look cut by mistake. Widths of a digit. */
const NEAR = 1;

function numberWidth(model: GridModel, column: number, sample: readonly GridRow[], unitOf: UnitOf): Width {
  const { key, title, unit } = model.numberColumns[column] ?? { key: "", title: "" };
  // The arrow of the sorted column has its place in a short title's margin; a long one needs it.
  const head = Math.max(4.5, digits(title) * 1.05 + (title.length > 4 ? 2 : 0));
  const cells = sample.map((row) => {
    const shown = splitValue(row.numbers[column] ?? NaN, cellUnit(unit ?? unitOf(row, key)));
    const beyond = model.estimateAt(row, column)?.upper === Infinity ? 1.5 : 0;
    return SLACK + beyond + digits(shown.number) + (shown.unit === "" ? 0 : 0.4 + digits(shown.unit) * UNIT_SCALE);
  });
  cells.sort((a, b) => a - b);
  const usual = Math.max(head, cells[Math.floor((cells.length - 1) * USUAL)] ?? 0);
  return {
    least: Math.max(usual, cells.findLast((width) => width <= usual + NEAR) ?? 0),
    most: Math.max(head, cells[cells.length - 1] ?? 0),
  };
}

/**
 * Numbers get what they need, words what is left up to their own length. `widest` remembers the numbers' widths from
 * one answer to the next, so that columns do not jump about: it is changed.
 */
export function gridColumns(model: GridModel, unitOf: UnitOf, widest: Map<string, Width>): GridColumns {
  const step = Math.max(1, Math.floor(model.rows.length / SAMPLE));
  const sample = model.rows.filter((_row, i) => i % step === 0);
  const texts = model.textColumns.map(({ title }, i) => {
    let longest = title.length + 3;
    for (const row of model.rows)
      longest = Math.max(
        longest,
        (row.texts[i]?.length ?? 0) + (i === 0 ? (row.unit?.length ?? 0) + (row.name?.length ?? 0) : 0),
      );
    return { least: Math.min(longest, i === 0 ? TEXT.first : TEXT.least), most: Math.min(longest, TEXT.most) };
  });
  const numbers = model.numberColumns.map(({ key }, i) => {
    const now = numberWidth(model, i, sample, unitOf);
    const before = widest.get(key) ?? now;
    const width = { least: Math.max(before.least, now.least), most: Math.max(before.most, now.most) };
    widest.set(key, width);
    return width;
  });
  const ch = (width: number) => `calc(${width.toFixed(2)}ch + ${PADDING}px)`;
  const least =
    texts.reduce((sum, text) => sum + text.least, 0) + numbers.reduce((sum, number) => sum + number.least, 0);
  return {
    // The last track takes what nothing needs.
    template: [
      ...texts.map((text) => `minmax(${ch(text.least)}, ${ch(text.most)})`),
      ...numbers.map((number) => `minmax(${ch(number.least)}, max(${ch(number.most)}, ${NUMBER_MOST}))`),
      "minmax(0, 1fr)",
    ].join(" "),
    minWidth: `calc(${least.toFixed(2)}ch + ${(texts.length + numbers.length) * PADDING}px)`,
  };
}
