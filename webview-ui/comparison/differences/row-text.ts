import { t } from "@vscode/l10n";
import {
  intervalText,
  wholeQuantityText,
  rowName,
  shareText,
  sideText,
  VERDICT_TEXT,
} from "../../../src/core/compare/report/report.js";
import { rowsDocument } from "../../../src/core/compare/report/formats.js";
import { formatValue } from "../../../src/core/catalog/display.js";
import { documentMarkdown } from "../../../src/core/text/document.js";
import type { Comparison, ComparisonCell, ComparisonRow } from "../../../src/protocol/comparison.js";
import { BASIS_TEXT, VERDICT_LOOKS } from "../words.js";

/** One row as a table of a pull request. */
export function rowMarkdown(row: ComparisonRow, comparison: Comparison): string {
  return documentMarkdown(rowsDocument(comparison, [row]));
}

/**
 * One row for a spreadsheet: head and values, numbers unrounded.
 * @param toCell `safeCell` where no cell may run as a formula
 */
export function rowTsv(row: ComparisonRow, comparison: Comparison, toCell = (cell: string) => cell): string {
  const head = ["metric", "quantity", "unit", comparison.baseline.label];
  const cells = [rowName(row, comparison), wholeQuantityText(row), row.unit ?? "", number(row.baseline.value)];
  row.cells.forEach((cell, c) => {
    const label = comparison.candidates[c]?.label ?? "";
    head.push(
      label,
      t`${label}: difference`,
      `${label}: %`,
      t`${label}: % low`,
      t`${label}: % high`,
      t`${label}: verdict`,
    );
    cells.push(
      ...[cell.candidate.value, cell.difference, 100 * cell.share, 100 * cell.shareLow, 100 * cell.shareHigh].map(
        number,
      ),
      VERDICT_TEXT[cell.verdict],
    );
  });
  return `${[head, cells].map((line) => line.map((text) => toCell(text.replace(/[\t\r\n]+/g, " "))).join("\t")).join("\n")}\n`;
}

function number(value: number): string {
  return Number.isFinite(value) ? String(value) : "";
}

/** A difference with its sign: "+12.3 ms". */
export function signedText(value: number, unit: string | undefined): string {
  if (Number.isNaN(value)) return "–";
  const text = formatValue(Math.abs(value), unit);
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
}

/** What a verdict rests on, for hover and focus: the sentence first. */
export function verdictLines(
  { verdict, reason, p, adjustedP, effective, basis, ...cell }: ComparisonCell,
  row: ComparisonRow,
  threshold: number,
  confidence: number,
): string[] {
  const interval = intervalText(cell);
  return [
    `${VERDICT_TEXT[verdict]}: ${reason ?? VERDICT_LOOKS[verdict].meaning}`,
    `${sideText(row.baseline, row.unit)} → ${sideText(cell.candidate, row.unit)}, ${shareText(cell.share)}${interval === "" ? "" : t`, ${Math.round(100 * confidence)} % interval ${interval}`}`,
    t`threshold ${shareText(threshold).replace("+", "")}; ${BASIS_TEXT[basis]}${Number.isNaN(effective) ? "" : t`, effective sample size ${formatValue(effective, undefined)}`}`,
    ...(Number.isNaN(p)
      ? []
      : [
          `p ${probability(p)}${Number.isNaN(adjustedP) ? "" : t`, after correction for the number of rows ${probability(adjustedP)}`}`,
        ]),
  ];
}

export function probability(p: number): string {
  if (Number.isNaN(p)) return "–";
  return p < 0.001 ? "< 0.001" : String(Number(p.toPrecision(2)));
}
