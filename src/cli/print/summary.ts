import { Option } from "@commander-js/extra-typings";
import { formatValue, shownUnit, statisticUnit, titledName } from "../../core/catalog/index.js";
import { sparkline } from "../../core/compare/index.js";
import { displayName, formatLabels, METRIC_TYPES } from "../../core/model/index.js";
import {
  keyTiles,
  lastBoundBelow,
  runEntries,
  statisticsTable,
  type ResultEntry,
  type StatisticsTable,
  type Tile,
} from "../../core/query/index.js";
import { keyFigure } from "../../core/report/index.js";
import { complete } from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";
import { right, textTable, type PrintedColumn, type TextRow } from "./table.js";

const SUMMARY_KINDS = ["key", "all", "none"] as const;
export type SummaryKind = (typeof SUMMARY_KINDS)[number];

/** `--summary`. */
export function summaryOption(fallback: SummaryKind) {
  return new Option("--summary <kind>", "what to print at the end").choices(SUMMARY_KINDS).default(fallback);
}

/** The text printed at the end of a capture; "" for none. @param tiles of the run, where they are known */
export function summarize(run: Run, kind: SummaryKind, tiles?: readonly Tile[]): string {
  switch (kind) {
    case "none":
      return "";
    case "key":
      return keyTable(tiles ?? keyTiles(run));
    case "all":
      return statisticsTables([...runEntries(run)]);
  }
}

function keyTable(tiles: readonly Tile[]): string {
  if (tiles.length === 0) return "No key metrics of a known server were seen; --summary all shows every family.";
  const rows = tiles.map((tile) => {
    const { title, family, statistic, value, remark } = keyFigure(tile);
    return [title, family, statistic, value, remark];
  });
  return textTable(["KEY METRIC", "FAMILY", "STATISTIC", right("VALUE"), ""], rows).text;
}

/** Points of the course that a live table shows. */
const COURSE_POINTS = 24;

/**
 * Key metrics of a run that goes on: what they are now and were so far, as far as the terminal has room.
 * @param size of the terminal
 */
export function liveTable(tiles: readonly Tile[], { columns, rows }: { columns: number; rows: number }): string {
  const table = textTable(
    [{ title: "KEY METRIC", wrapFrom: 16 }, right("NOW"), "", right("SO FAR"), { title: "", rank: 1 }],
    tiles.map(({ title, current = NaN, statistic, value, atLeast, unit, sparkline: course }) => [
      title,
      cell(current, unit),
      statistic,
      `${atLeast === true ? "≥ " : ""}${cell(value, unit)}`,
      sparkline(Array.from(course.slice(-COURSE_POINTS)), []),
    ]),
    columns,
  );
  const lines = table.text.split("\n");
  const room = Math.max(2, rows - 4);
  return tiles.length === 0 || columns < NARROWEST
    ? ""
    : lines.length <= room
      ? table.text
      : [...lines.slice(0, room - 1), `${lines.length - room + 1} more at the end`].join("\n");
}

/** A terminal narrower than this has no room for a table. */
const NARROWEST = 40;

/** A table for each type of metric that has any of the statistics shown; "" for none. */
export function statisticsTables(entries: readonly ResultEntry[], shown: ShownStatistics = {}): string {
  const units = new Map(entries.map(({ key }) => [key.family.name, shownUnit(key.family)]));
  return METRIC_TYPES.map((type) => complete(statisticsTable(entries, { type })))
    .filter(
      ({ rows, columns }) => rows.length > 0 && columns.some(({ key }) => isStatisticShown(key, shown.statistics)),
    )
    .map((table) => `${table.type.toUpperCase()}\n${statisticsText(table, (family) => units.get(family), shown)}`)
    .join("\n\n");
}

export interface ShownStatistics {
  /** Keys of those that are shown; all without it. p99 is also a histogram's p99_estimate. */
  readonly statistics?: readonly string[] | undefined;
  /** Of a line, in characters; a line is as long as it needs without it. */
  readonly width?: number | undefined;
}

/** What a narrow terminal shows first; what is not named comes last. */
const BY_IMPORTANCE = [
  ...["avg", "rate", "count", "total", "max", "p99", "p99_estimate", "p50", "p50_estimate", "min", "count_rate"],
  ...["p90", "p90_estimate", "sum", "std", "p95", "p95_estimate", "rate_max", "rate_min"],
];

/**
 * One line per series below the title of its family: name, labels and endpoint, then every statistic with its unit (the
 * column's, or where the table is of a whole type the family's).
 */
function statisticsText(
  data: StatisticsTable,
  unitOf: (family: string) => string | undefined,
  { statistics, width }: ShownStatistics,
): string {
  const shown = data.columns.filter(
    ({ key }) => isStatisticShown(key, statistics) && data.rows.some(({ values }) => !Number.isNaN(values[key] ?? NaN)),
  );
  const columns: PrintedColumn[] = [
    { title: "METRIC", wrapFrom: 32 },
    { title: "ENDPOINT", wrapFrom: 16 },
    ...shown.map(({ key, title }): PrintedColumn => ({
      title,
      align: "right",
      ...(statistics === undefined ? { rank: rankOf(key) } : {}),
    })),
  ];
  const rows: TextRow[] = [];
  let family: string | undefined;
  for (const row of data.rows) {
    if (row.family !== family) rows.push(titledName(row.family).title);
    family = row.family;
    const cells = shown.map((column) => {
      const unit = column.unit ?? statisticUnit(column.key, unitOf(row.family));
      const value = cell(row.values[column.key] ?? NaN, unit);
      const estimate = row.estimates?.[column.key];
      const bound = lastBoundBelow(estimate);
      if (bound !== undefined) return `≥ ${cell(bound, unit)}`;
      const [low, high] = estimate?.interval ?? [NaN, NaN];
      // Where a line has to be short, the value alone stands; the interval is asked for.
      return (width !== undefined && statistics === undefined) || !(high > low) || value === "" || value === "-"
        ? value
        : `${value} [${cell(low, unit)}, ${cell(high, unit)}]`;
    });
    const line = [row.family + formatLabels(row.labels), displayName(row.endpointUrl), ...cells];
    rows.push(width === undefined ? [...line, row.note ?? ""] : line);
    if (width !== undefined && row.note !== undefined) rows.push(`  ${row.note}`);
  }
  const table = textTable(width === undefined ? [...columns, ""] : columns, rows, width);
  return table.left.length === 0
    ? table.text
    : `${table.text}\n${table.left.length} more statistics: see --wide, --statistics.`;
}

/** Whether a list of statistics names that one; without a list all are. */
function isStatisticShown(key: string, statistics: readonly string[] | undefined): boolean {
  return statistics?.some((name) => key === name || key === `${name}_estimate`) ?? true;
}

function rankOf(statistic: string): number {
  const rank = BY_IMPORTANCE.indexOf(statistic);
  return rank < 0 ? BY_IMPORTANCE.length : rank;
}

function cell(value: number, unit: string | undefined): string {
  return Number.isNaN(value) ? "-" : formatValue(value, unit);
}
