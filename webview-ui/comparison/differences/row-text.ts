import { t } from "@vscode/l10n";
import {
  intervalText,
  wholeQuantityText,
  rowName,
  shareText,
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

/** What a verdict means or why there is none, then what it rests on. */
export function verdictLines(cell: ComparisonCell, unit: string | undefined, confidence: number): string[] {
  return [
    `${VERDICT_TEXT[cell.verdict]}: ${cell.reason ?? VERDICT_LOOKS[cell.verdict].meaning}`,
    ...evidenceOf(cell, unit, confidence).map(({ name, value }) => `${name}: ${value}`),
  ];
}

/** What a verdict rests on, each number with its name. */
export function evidenceOf(
  cell: ComparisonCell,
  unit: string | undefined,
  confidence: number,
): readonly { readonly name: string; readonly value: string }[] {
  const { difference, low, high, share, p, adjustedP, basis, effective } = cell;
  const interval = intervalText(cell);
  const corrected = Number.isNaN(adjustedP) ? "" : t`, corrected for the number of rows ${probability(adjustedP)}`;
  const worth = Number.isNaN(effective) ? "" : t`, effective sample size ${formatValue(effective, undefined)}`;
  return [
    { name: t("difference"), value: `${signedText(difference, unit)} (${shareText(share)})` },
    {
      name: t`${Math.round(100 * confidence)} % interval`,
      value: interval === "" ? "" : t`${signedText(low, unit)} to ${signedText(high, unit)}, ${interval}`,
    },
    { name: "p", value: Number.isNaN(p) ? "" : `${probability(p)}${corrected}` },
    { name: t("rests on"), value: `${BASIS_TEXT[basis]}${worth}` },
  ].filter(({ value }) => value !== "");
}

function probability(p: number): string {
  if (Number.isNaN(p)) return "–";
  return p < 0.001 ? "< 0.001" : String(Number(p.toPrecision(2)));
}
