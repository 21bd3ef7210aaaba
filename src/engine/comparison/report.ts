import { comparisonCsv, comparisonJson, comparisonMarkdown, type Comparison } from "../../core/compare/index.js";
import type { ReportFormat } from "../../protocol/comparison.js";

/**
 * @param ids of the rows wanted; undefined: those decided (Markdown) or all
 * @param csvSafe cells of CSV that a spreadsheet would run as formulas get an apostrophe
 */
export function comparisonReport(
  comparison: Comparison,
  format: ReportFormat,
  ids: readonly string[] | undefined,
  csvSafe: boolean,
): string {
  const wanted = ids === undefined ? undefined : new Set(ids);
  const rows = wanted === undefined ? undefined : comparison.rows.filter(({ id }) => wanted.has(id));
  switch (format) {
    case "markdown":
      return comparisonMarkdown(comparison, { rows });
    case "csv":
      return comparisonCsv(rows === undefined ? comparison : { ...comparison, rows }, csvSafe);
    case "json":
      return comparisonJson(rows === undefined ? comparison : { ...comparison, rows });
  }
}
