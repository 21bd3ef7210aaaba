import { isFound, searchWords } from "../../../src/core/catalog/search.js";
import {
  quantityText,
  intervalText,
  wholeQuantityText,
  rowName,
  shareText,
  VERDICT_TEXT,
} from "../../../src/core/compare/report/report.js";
import type { Comparison, ComparisonRow, Verdict, ComparisonCell } from "../../../src/protocol/comparison.js";
import { hostOf, shortHosts } from "../../format/text.js";
import { commonOf, rowsWithEqualText, type Common } from "../../tables/common.js";
import { labelsText, shortNames } from "../../tables/model.js";
import type { DifferenceFilter } from "../layout.js";
import { t } from "@vscode/l10n";
import { rowsDocument } from "../../../src/core/compare/report/formats.js";
import { formatValue } from "../../../src/core/catalog/display.js";
import { documentMarkdown } from "../../../src/core/text/document.js";
import { BASIS_TEXT, VERDICT_LOOKS } from "../words.js";

/** A row as the table shows it. */
export interface DifferenceRow {
  readonly row: ComparisonRow;
  /** Place by effect. */
  readonly index: number;
  readonly name: string;
  /** Labels, and the endpoint, in which rows differ. */
  readonly labels: string;
  /** Lower case, all that a text filter looks at. */
  readonly haystack: string;
}

export interface DifferenceModel {
  readonly rows: readonly DifferenceRow[];
  /** Said once above the table. */
  readonly common: Common;
  readonly servers: readonly string[];
  readonly types: readonly string[];
}

export function differenceModel({ rows }: Pick<Comparison, "rows">): DifferenceModel {
  // A row that is about all series, such as goodput, has no endpoint and no labels to share.
  const own = rows.filter(({ endpointUrl }) => endpointUrl !== undefined);
  const common = commonOf(
    (own.length > 0 ? own : rows).map(({ family, endpointUrl, labels }) => ({
      family,
      endpointUrl: endpointUrl ?? "",
      labels,
    })),
  );
  const host = shortHosts(new Set(rows.flatMap(({ endpointUrl }) => endpointUrl ?? [])));
  const shorten = shortNames(new Set(rows.map(({ title }) => title)));
  const labels = rows.map((row) => {
    const apart = row.labels.filter(([name]) => common.differing.has(name));
    const endpoint = common.endpointUrl === undefined && row.endpointUrl !== undefined ? [host(row.endpointUrl)] : [];
    return [...endpoint, ...(apart.length > 0 ? [labelsText(apart)] : [])].join(", ");
  });
  const alike = rowsWithEqualText(rows, (row, index) => [row.title, labels[index] ?? "", quantityText(row)]);
  return {
    common,
    servers: [...new Set(rows.flatMap(({ server }) => server ?? []))].sort(),
    types: [...new Set(rows.map(({ type }) => type))].sort(),
    rows: rows.map((row, index) => ({
      row,
      index,
      name: alike.has(row) ? row.family : shorten(row.title),
      labels: labels[index] ?? "",
      haystack: [
        row.title,
        familyText(row),
        quantityText(row),
        row.unit ?? "",
        row.group,
        hostOf(row.endpointUrl ?? ""),
        labelsText(row.labels),
      ]
        .join("\n")
        .toLowerCase(),
    })),
  };
}

/** The family; of a quantity that engines name differently each side's own. */
export function familyText({ concept, family, names = [] }: ComparisonRow): string {
  return concept === undefined || names.length === 0 ? family : [...new Set(names)].join(" / ");
}

interface FilteredRows {
  /** Of which any candidate has one of the chosen verdicts. */
  readonly rows: readonly DifferenceRow[];
  /** Rows with each verdict among those that pass all but the choice of verdicts. */
  readonly counts: ReadonlyMap<Verdict, number>;
  /** Rows that pass all but the choice of verdicts. */
  readonly candidates: number;
}

export function filterRows(
  rows: readonly DifferenceRow[],
  { verdicts, server, type, text }: DifferenceFilter,
): FilteredRows {
  const words = searchWords(text);
  const counts = new Map<Verdict, number>();
  const shown: DifferenceRow[] = [];
  let candidates = 0;
  for (const one of rows) {
    const { row, haystack } = one;
    if ((server !== "" && row.server !== server) || (type !== "" && row.type !== type) || !isFound(haystack, words))
      continue;
    candidates++;
    const own = new Set(row.cells.map(({ verdict }) => verdict));
    for (const verdict of own) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (verdicts.some((verdict) => own.has(verdict))) shown.push(one);
  }
  return { rows: shown, counts, candidates };
}

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
