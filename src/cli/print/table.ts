import stringWidth from "string-width";
import { oneLine } from "../../core/text/index.js";

export interface PrintedColumn {
  readonly title: string;
  readonly align?: "right";
  /** Where a width is given: text that may go on in further lines of its cell, at least this wide. */
  readonly wrapFrom?: number;
  /** Where a width is given: left out when the table is too wide, the highest first. */
  readonly rank?: number;
}

/** A column of numbers. */
export const right = (title: string): PrintedColumn => ({ title, align: "right" });

/** Cells by column; or a text that takes the whole line. */
export type TextRow = readonly string[] | string;

export interface TextTable {
  readonly text: string;
  /** Titles of columns that found no room. */
  readonly left: readonly string[];
}

const GAP = 2;

/**
 * A plain table: aligned columns, no colour and no box drawing that a log would garble. Its cost is linear in cells.
 * @param heads of the columns, the title alone where there is no more to say
 * @param width characters of a line; without it a line is as long as it needs
 */
export function textTable(
  heads: readonly (string | PrintedColumn)[],
  rows: readonly TextRow[],
  width: number | undefined = undefined,
): TextTable {
  const columns = heads.map((head) => (typeof head === "string" ? { title: head } : head));
  const clean = rows.map((row) => (typeof row === "string" ? oneLine(row) : row.map(oneLine)));
  const natural = columns.map(({ title }) => textWidth(title));
  for (const row of clean) {
    if (typeof row === "string") continue;
    for (let c = 0; c < natural.length; c++) natural[c] = Math.max(natural[c] ?? 0, textWidth(row[c] ?? ""));
  }
  const { shown, widths } = layout(columns, natural, width);
  const lines = [...linesOf(columns.map(({ title }) => title))];
  for (const row of clean) {
    if (typeof row === "string") lines.push(...(width === undefined ? [row] : wrapped(row, width)));
    else lines.push(...linesOf(row));
  }
  return {
    text: lines.join("\n"),
    left: columns.filter((_, c) => !shown.includes(c)).map(({ title }) => title),
  };

  function linesOf(cells: readonly string[]): string[] {
    const parts = shown.map((c, i) => wrapped(cells[c] ?? "", widths[i] ?? 0));
    const height = Math.max(1, ...parts.map((part) => part.length));
    return Array.from({ length: height }, (_, line) =>
      parts
        .map((part, i) => padded(part[line] ?? "", widths[i] ?? 0, columns[shown[i] ?? 0]?.align === "right"))
        .join(" ".repeat(GAP))
        .trimEnd(),
    );
  }
}

/** Columns a terminal is wide: its own, or COLUMNS; undefined for a file or a pipe. */
export function terminalWidth(): number | undefined {
  const width = process.stdout.isTTY ? process.stdout.columns : Number(process.env["COLUMNS"]);
  return width >= 20 ? width : undefined;
}

/** Which columns are shown, and how wide. */
function layout(
  columns: readonly PrintedColumn[],
  natural: readonly number[],
  width: number | undefined,
): { readonly shown: readonly number[]; readonly widths: readonly number[] } {
  const all = columns.map((_, c) => c);
  if (width === undefined) return { shown: all, widths: natural };
  const narrowest = columns.map(({ wrapFrom }, c) => Math.min(natural[c] ?? 0, wrapFrom ?? Infinity));
  const shown = new Set(all);
  const room = () => width - GAP * (shown.size - 1);
  const sum = (widths: readonly number[]) => [...shown].reduce((total, c) => total + (widths[c] ?? 0), 0);
  for (const c of all.filter((c) => columns[c]?.rank !== undefined).sort((a, b) => rankOf(b) - rankOf(a))) {
    if (sum(narrowest) <= room()) break;
    shown.delete(c);
  }
  const widths = [...natural];
  // What wraps gives room, the widest first.
  const wrapping = [...shown].filter((c) => columns[c]?.wrapFrom !== undefined);
  for (const c of wrapping.sort((a, b) => (natural[b] ?? 0) - (natural[a] ?? 0))) {
    const excess = sum(widths) - room();
    if (excess > 0) widths[c] = Math.max(narrowest[c] ?? 0, (widths[c] ?? 0) - excess);
  }
  const order = all.filter((c) => shown.has(c));
  return { shown: order, widths: order.map((c) => widths[c] ?? 0) };

  function rankOf(c: number): number {
    return columns[c]?.rank ?? 0;
  }
}

/** Terminal columns; ASCII is nearly all there is. */
function textWidth(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}

function padded(text: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return right ? space + text : text + space;
}

/** In lines of at most that width, broken behind a space or a mark where there is one in its second half. */
function wrapped(text: string, width: number): string[] {
  if (width <= 0 || textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  let used = 0;
  let breakAt = 0;
  for (const character of text) {
    const own = textWidth(character);
    if (used + own > width) {
      const at = breakAt > line.length / 2 ? breakAt : line.length;
      lines.push(line.slice(0, at).trimEnd());
      line = line.slice(at);
      used = textWidth(line);
      breakAt = 0;
    }
    line += character;
    used += own;
    if (" ,/_".includes(character)) breakAt = line.length;
  }
  return [...lines, line];
}
