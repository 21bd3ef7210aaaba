import { t } from "@vscode/l10n";
import type { FamilySummary, SnapshotTable } from "../../src/protocol/index.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { hostOf } from "../format/text.js";
import { commonOf, rowsWithEqualText } from "./common.js";
import { estimateIn, labelsText, type GridModel } from "./model.js";

/** One scrape as a table: metric, labels and type, then its value or what a histogram holds. */
export function snapshotGrid(
  table: SnapshotTable,
  familyOf: (name: string) => Pick<FamilySummary, "displayName"> | undefined,
): GridModel {
  const width = table.columns.length;
  const common = commonOf(table.rows);
  type Row = SnapshotTable["rows"][number];
  const titleOf = ({ family }: Row) => familyOf(family)?.displayName ?? family;
  const labelTexts = table.rows.map(({ labels }) =>
    labelsText(labels.filter(([label]) => common.differing.has(label))),
  );
  const alike = rowsWithEqualText(table.rows, (row, index) => [titleOf(row), labelTexts[index] ?? ""]);
  const vectors = table.rows.some(({ positions }) => positions !== undefined);
  return {
    common,
    textColumns: [
      { key: "family", title: t("Metric") },
      { key: "labels", title: t("Labels") },
      { key: "type", title: t("Type") },
      ...(vectors ? [{ key: "positions", title: t("By position") }] : []),
    ],
    numberColumns: table.columns,
    estimated: true,
    failureAt: () => undefined,
    estimateAt: (row, column) => estimateIn(table.estimates, row.index * width + column),
    rows: table.rows.map((row, index) => {
      const title = titleOf(row);
      const name = alike.has(row) ? row.family : title;
      const labels = labelTexts[index] ?? "";
      const positions =
        row.positions?.map((value) => (Number.isNaN(value) ? "–" : formatValue(value, undefined))).join(", ") ?? "";
      const numbers = table.values.subarray(index * width, (index + 1) * width);
      return {
        index,
        // One scrape has nothing to chart: no series is ever asked for by its id.
        series: index as GridModel["rows"][number]["series"],
        family: row.family,
        endpointUrl: row.endpointUrl,
        labels: row.labels,
        ...(name === row.family ? {} : { name: row.family }),
        texts: [name, labels, row.type, ...(vectors ? [positions] : [])],
        numbers,
        pinned: false,
        incomplete: false,
        haystack: [title, row.family, row.type, hostOf(row.endpointUrl), labelsText(row.labels)]
          .join("\n")
          .toLowerCase(),
      };
    }),
  };
}
