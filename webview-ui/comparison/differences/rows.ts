import { isFound, searchWords } from "../../../src/core/catalog/search.js";
import { quantityText } from "../../../src/core/compare/report/report.js";
import type { Comparison, ComparisonRow, Verdict } from "../../../src/protocol/comparison.js";
import { hostOf, shortHosts } from "../../format/text.js";
import { commonOf, rowsWithEqualText, type Common } from "../../tables/common.js";
import { labelsText, shortNames } from "../../tables/model.js";
import type { DifferenceFilter } from "../layout.js";

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
    rows: rows.map((row, index) => {
      return {
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
      };
    }),
  };
}

/** The family; of a quantity that engines name differently each side's own. */
export function familyText({ concept, family, names = [] }: ComparisonRow): string {
  return concept === undefined || names.length === 0 ? family : [...new Set(names)].join(" / ");
}

/** A row is shown when any candidate has one of the chosen verdicts. */
function hasVerdict({ cells }: ComparisonRow, verdicts: ReadonlySet<Verdict>): boolean {
  return cells.some(({ verdict }) => verdicts.has(verdict));
}

export interface FilteredRows {
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
  const chosen = new Set(verdicts);
  const counts = new Map<Verdict, number>();
  const shown: DifferenceRow[] = [];
  let candidates = 0;
  for (const one of rows) {
    const { row, haystack } = one;
    if ((server !== "" && row.server !== server) || (type !== "" && row.type !== type) || !isFound(haystack, words))
      continue;
    candidates++;
    for (const verdict of new Set(row.cells.map((cell) => cell.verdict)))
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    if (hasVerdict(row, chosen)) shown.push(one);
  }
  return { rows: shown, counts, candidates };
}
