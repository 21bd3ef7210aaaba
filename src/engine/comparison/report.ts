import { comparisonCsv, comparisonJson, comparisonDocument, type Comparison } from "../../core/compare/index.js";
import { findingChangesDocument, type FindingChanges } from "../../core/insights/index.js";
import { documentMarkdown, type RichBlock } from "../../core/text/index.js";
import type { ComparisonRequests } from "../../protocol/comparison.js";

/**
 * As `compare` on the command line writes it.
 * @param findings what became of the baseline's in each candidate
 * @param rows ids of the rows wanted; undefined: those decided (Markdown) or all
 * @param csvSafe cells of CSV that a spreadsheet would run as formulas get an apostrophe
 */
export function comparisonReport(
  comparison: Comparison,
  findings: readonly (FindingChanges | undefined)[],
  { format, rows: ids, csvSafe = false }: Omit<ComparisonRequests["report"]["params"], "thresholds">,
): string {
  const wanted = ids === undefined ? undefined : new Set(ids);
  const rows = wanted === undefined ? undefined : comparison.rows.filter(({ id }) => wanted.has(id));
  switch (format) {
    case "markdown":
      return documentMarkdown(comparisonReportDocument(comparison, findings, rows));
    case "csv":
      return comparisonCsv(rows === undefined ? comparison : { ...comparison, rows }, csvSafe);
    case "json":
      return comparisonJson(comparison, { rows, findings });
  }
}

/** What became of the baseline's findings, then the rows. @param rows absent: those decided */
export function comparisonReportDocument(
  comparison: Comparison,
  findings: readonly (FindingChanges | undefined)[],
  rows?: Comparison["rows"],
): readonly RichBlock[] {
  const labels = comparison.candidates.map(({ label }) => label);
  return comparisonDocument(comparison, { rows, findings, lead: findingChangesDocument(labels, findings) });
}
