import Table from "cli-table3";
import { formatValue, statisticUnit, titledName } from "../core/catalog/index.js";
import { displayName, formatLabels, METRIC_TYPES } from "../core/model/index.js";
import { familySummaries, keyTiles, runEntries, statisticsTable, type StatisticsTable } from "../core/query/index.js";
import { complete } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";

export const SUMMARY_KINDS = ["key", "all", "none"] as const;
export type SummaryKind = (typeof SUMMARY_KINDS)[number];

/** Plain tables: no colour, no box drawing that a log would garble. */
export const PLAIN = {
  style: { head: [], border: [], compact: true },
  chars: {
    top: "",
    "top-mid": "",
    "top-left": "",
    "top-right": "",
    bottom: "",
    "bottom-mid": "",
    "bottom-left": "",
    "bottom-right": "",
    left: "",
    "left-mid": "",
    right: "",
    "right-mid": "",
    mid: "",
    "mid-mid": "",
    middle: "  ",
  },
};

/** The text printed at the end of a capture; "" for none. */
export function summarize(run: Run, kind: SummaryKind): string {
  switch (kind) {
    case "none":
      return "";
    case "key":
      return keyTable(run);
    case "all":
      return allTables(run);
  }
}

function keyTable(run: Run): string {
  const tiles = keyTiles(run);
  if (tiles.length === 0) return "No key metrics of a known server were seen; --summary all shows every family.";
  const table = new Table({
    ...PLAIN,
    head: ["KEY METRIC", "FAMILY", "STATISTIC", "VALUE", ""],
    colAligns: ["left", "left", "left", "right", "left"],
  });
  for (const tile of tiles) {
    const value = Number.isNaN(tile.value)
      ? "-"
      : `${tile.atLeast === true ? "≥ " : ""}${formatValue(tile.value, tile.unit)}`;
    const remark = tile.watch === "none" ? (tile.note ?? "") : `${tile.watch}: ${tile.watchReason ?? ""}`;
    table.push([tile.title, tile.family, tile.statistic, value, remark]);
  }
  return trimLines(table.toString());
}

function allTables(run: Run): string {
  const units = new Map(familySummaries(run).map((family) => [family.name, family.unit]));
  return METRIC_TYPES.map((type) => complete(statisticsTable(runEntries(run), { type })))
    .filter((table) => table.rows.length > 0)
    .map((table) => `${table.type.toUpperCase()}\n${statisticsText(table, (family) => units.get(family))}`)
    .join("\n\n");
}

/**
 * One line a series below the title of its family: name, labels and endpoint, then every statistic with its unit (the
 * column's, or where the table is of a whole type the family's).
 */
export function statisticsText(data: StatisticsTable, unitOf: (family: string) => string | undefined): string {
  const shown = data.columns
    .map((column, c) => ({ column, c }))
    .filter(({ c }) => data.rows.some((_, r) => !Number.isNaN(data.values[r * data.columns.length + c] ?? NaN)));
  const table = new Table({
    ...PLAIN,
    head: ["METRIC", "ENDPOINT", ...shown.map(({ column }) => column.title), ""],
    colAligns: ["left", "left", ...shown.map(() => "right" as const), "left"],
  });
  let family: string | undefined;
  data.rows.forEach((row, r) => {
    if (row.family !== family) table.push(titleRow(row.family, shown.length));
    family = row.family;
    const cells = shown.map(({ column, c }) =>
      cell(
        data.values[r * data.columns.length + c] ?? NaN,
        column.unit ?? statisticUnit(column.key, unitOf(row.family)),
      ),
    );
    table.push([row.family + formatLabels(row.labels), displayName(row.endpointUrl), ...cells, row.note ?? ""]);
  });
  return trimLines(table.toString());
}

/** What a family is called, above the lines of its series. */
function titleRow(family: string, columns: number): string[] {
  return [titledName(family).title, "", ...Array.from({ length: columns }, () => ""), ""];
}

function cell(value: number, unit: string | undefined): string {
  return Number.isNaN(value) ? "-" : formatValue(value, unit);
}

export function trimLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
