/**
 * What a spreadsheet takes for a formula, by OWASP's list and behind blanks, which some drop; also behind apostrophes
 * of its own, which would else be taken for ours.
 */
const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A cell that no spreadsheet runs as a formula: one that could be gets an apostrophe before it. */
export function safeCell(cell: string): string {
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}

/** A cell as it was before `safeCell`. */
export function originalCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** One line of CSV without its end. RFC 4180: a cell is quoted where it must be. */
export function csvLine(cells: readonly string[]): string {
  return cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell)).join(",");
}

/** As `csvLine`, of cells that no spreadsheet runs as formulas. */
export function safeCsvLine(cells: readonly string[]): string {
  return csvLine(cells.map(safeCell));
}
