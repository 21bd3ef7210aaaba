import { formatLabels } from "../../model/index.js";
import { csvLine, safeCsvLine } from "../../text/csv-line.js";
import { codeText, heading, LINE_BREAK, paragraph, table, type RichBlock, type RichText } from "../../text/index.js";
import { plural } from "../../text/plural.js";
import type { Comparison, ComparisonCell, ComparisonRow } from "../types.js";
import { headlines, type CandidateFindings } from "./headline.js";
import {
  intervalText,
  isAttainment,
  isDecided,
  Reasons,
  rowName,
  shareText,
  sideText,
  titleOfRow,
  undecidedText,
  verdictCounts,
  VERDICT_TEXT,
  wholeQuantityText,
  withheldText,
} from "./report.js";

export interface ComparisonDocumentOptions {
  /** Rows to show; default: those decided, and the objectives, where metrics that are no key metrics are folded. */
  readonly rows?: readonly ComparisonRow[] | undefined;
  /** By candidate, for the headline. */
  readonly findings?: readonly (CandidateFindings | undefined)[];
  /** What to say before the numbers. */
  readonly lead?: readonly RichBlock[];
}

/** For a pull request: what is compared, warnings, what was configured differently, and the rows. */
export function comparisonDocument(
  comparison: Comparison,
  { rows, findings, lead = [] }: ComparisonDocumentOptions = {},
): readonly RichBlock[] {
  const { baseline, candidates, configuration, method, warnings } = comparison;
  const several = candidates.length > 1;
  const labels = [baseline, ...candidates].map(({ label }) => label);
  const threshold = shareText(method.threshold).replace("+", "");
  // Decided rows, and the objectives, which were asked for.
  const shown = rows ?? comparison.rows.filter((row) => isDecided(row) || isAttainment(row.quantity));
  const [first, others] = rows === undefined ? keyFirst(shown) : [shown, []];
  return [
    heading(labels.join(" → ")),
    ...headlines(comparison, findings).map(({ candidate, text }, c) => {
      const counts = verdictCounts(comparison, c) || "nothing to compare";
      const headline = { strong: `${several ? `${candidate}: ` : ""}${text}` };
      return paragraph<RichText>([headline, LINE_BREAK, `${counts} (threshold ${threshold})`]);
    }),
    ...lead,
    ...listed("quote", warnings, ({ severity, message }) =>
      severity === "note"
        ? message
        : [{ strong: severity === "caution" ? "Caution:" : "Incomparable:" }, ` ${message}`],
    ),
    ...(configuration.length === 0
      ? []
      : [
          table<RichText>(
            ["Configuration", ...labels],
            configuration.map(({ name, values }) => [
              codeText(name),
              ...values.map((value) => (value === null ? "–" : codeText(value))),
            ]),
          ),
        ]),
    ...(first.length > 0
      ? rowsDocument(comparison, first)
      : shown.length > 0
        ? []
        : [paragraph(undecidedText(comparison))]),
    ...(others.length > 0
      ? [
          {
            kind: "folded" as const,
            summary: `${plural(others.length, "more row")} of other metrics`,
            blocks: rowsDocument(comparison, others),
          },
        ]
      : []),
    ...listed("notes", method.notes, (note) => note),
  ];
}

function listed<T>(kind: "quote" | "notes", items: readonly T[], line: (item: T) => RichText): readonly RichBlock[] {
  return items.length === 0 ? [] : [{ kind, lines: items.map(line) }];
}

/** Key metrics and all others; without key metrics the others are what there is to show. */
function keyFirst(rows: readonly ComparisonRow[]): readonly [ComparisonRow[], ComparisonRow[]] {
  const isKey = (row: ComparisonRow) => row.isKey || row.concept !== undefined;
  const [key, others] = [rows.filter(isKey), rows.filter((row) => !isKey(row))];
  return key.length === 0 ? [others, []] : [key, others];
}

/** A table of rows alone, and what is said of several of them below it. */
export function rowsDocument(comparison: Comparison, rows: readonly ComparisonRow[]): readonly RichBlock[] {
  const { candidates, method } = comparison;
  const columns = candidates.flatMap(({ label }) => [
    candidates.length > 1 ? label : "Candidate",
    "Difference",
    `${Math.round(100 * method.confidence)} % interval`,
    "Verdict",
  ]);
  const reasons = new Reasons(comparison, rows);
  const below = [...reasons.below, withheldText(comparison, rows)].filter((text) => text !== "");
  const heads = ["Metric", "", "Baseline", ...columns];
  return [
    table<RichText>(
      heads,
      rows.map((row) => [
        rowNames(titleOfRow(row), rowName(row, comparison)),
        wholeQuantityText(row),
        sideText(row.baseline, row.unit),
        ...row.cells.flatMap((one) => [
          sideText(one.candidate, row.unit),
          shareText(one.share),
          intervalText(one),
          verdictCell(one, reasons),
        ]),
      ]),
      [...heads.keys()].filter((i) => i >= 2 && heads[i] !== "Verdict"),
    ),
    ...below.map((text) => paragraph(text)),
  ];
}

function verdictCell(cell: ComparisonCell, reasons: Reasons): RichText {
  const text = VERDICT_TEXT[cell.verdict];
  const isBold = cell.verdict === "worse" || cell.verdict === "better";
  return isBold ? [{ strong: text }, reasons.verdict(cell, "")] : reasons.verdict(cell);
}

/**
 * One line per row and candidate, numbers unrounded, RFC 4180.
 * @param safe cells that a spreadsheet would run as formulas get an apostrophe
 */
export function comparisonCsv(comparison: Comparison, safe = false): string {
  const line = safe ? safeCsvLine : csvLine;
  const head =
    "metric,labels,endpoint,type,quantity,unit,direction,candidate,baseline_value,candidate_value,difference,difference_low,difference_high,percent,percent_low,percent_high,p,adjusted_p,effective_sample,basis,verdict,reason";
  const lines = comparison.rows.flatMap((row) =>
    row.cells.map((one, c) =>
      line([
        row.family,
        formatLabels(row.labels),
        row.endpointUrl ?? "",
        row.type,
        row.quantity,
        row.unit ?? "",
        row.direction,
        comparison.candidates[c]?.label ?? "",
        ...[
          row.baseline.value,
          one.candidate.value,
          one.difference,
          one.low,
          one.high,
          100 * one.share,
          100 * one.shareLow,
          100 * one.shareHigh,
          one.p,
          one.adjustedP,
          one.effective,
        ].map(number),
        one.basis,
        one.verdict,
        one.reason ?? "",
      ]),
    ),
  );
  return `${[head, ...lines].join("\r\n")}\r\n`;
}

function number(value: number): string {
  return Number.isFinite(value) ? String(value) : "";
}

/**
 * The whole comparison with its headlines; arrays as arrays, what is not known or infinite as null.
 * @param rows to show; default: all
 * @param findings by candidate
 */
export function comparisonJson(
  comparison: Comparison,
  {
    rows = comparison.rows,
    findings,
    gate,
  }: Pick<ComparisonDocumentOptions, "rows" | "findings"> & { readonly gate?: unknown } = {},
): string {
  const plain = (_key: string, value: unknown): unknown =>
    value instanceof Float64Array
      ? Array.from(value, (x) => (Number.isFinite(x) ? x : null))
      : typeof value === "number" && !Number.isFinite(value)
        ? null
        : value;
  const whole = {
    ...comparison,
    rows,
    headlines: headlines(comparison, findings),
    findings: comparison.candidates.flatMap(({ label }, c) => {
      const changes = findings?.[c];
      return changes === undefined ? [] : [{ candidate: label, ...changes }];
    }),
    gate,
  };
  return `${JSON.stringify(whole, plain, 2)}\n`;
}

/** Title and name for a cell of a table. */
export function rowNames(title: string | undefined, name: string): RichText {
  return [...(title === undefined ? [] : [title, LINE_BREAK]), { code: name }];
}
