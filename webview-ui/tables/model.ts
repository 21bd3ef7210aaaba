import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import { labelKey, type Labels, type SeriesId } from "../../src/core/model/index.js";
import { naturalOrder } from "../../src/core/text/index.js";
import type {
  CheckResult,
  FamilySummary,
  RowCells,
  SnapshotTable,
  StatisticsTable,
  TableColumn,
  TimesliceTable,
} from "../../src/protocol/index.js";
import { assertionText } from "../assertions/assertions.js";
import { hostOf, shortHosts, type SeriesNaming, isSymbol } from "../format/text.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import { pinnedFirst } from "../state/layout.js";
import { commonOf, rowsWithEqualText, type Common } from "./common.js";
import { csvLine } from "../../src/core/text/csv-line.js";

/** What the table component shows: rows with words first, then numbers. All tables of series become this. */
export interface GridModel {
  readonly textColumns: readonly { readonly key: string; readonly title: string }[];
  readonly numberColumns: readonly TableColumn[];
  readonly rows: readonly GridRow[];
  /** Said once above the table instead of in each row. */
  readonly common: Common;
  /** Some of the numbers are quantiles estimated from buckets. */
  readonly estimated: boolean;
}

/** What a kind of table says of a row beside its texts and numbers. */
interface RowFacts {
  readonly series: SeriesId;
  readonly family: string;
  /** The exposed name, in small letters behind the title in the first text. */
  readonly name?: string | undefined;
  /** Said in small letters behind the first text: a unit that is too long for the cells. */
  readonly unit?: string | undefined;
  /** What a text column is sorted by when not by its words. */
  readonly order?: readonly (number | undefined)[];
  readonly note?: string | undefined;
  /** The assertions that it fails, in words, by the statistic that each is about. */
  readonly failures?: ReadonlyMap<string, string> | undefined;
  /** Of a pinned family, among others. */
  readonly pinned?: boolean;
  /** Set apart: a slice that is not complete. */
  readonly incomplete?: boolean;
}

export interface GridRow extends RowFacts, RowCells, SeriesNaming {
  readonly index: number;
  /** One per text column. */
  readonly texts: readonly string[];
  /** Lower case, all that a text filter looks at. */
  readonly haystack: string;
}

interface TextColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly textOf: (row: Row) => string;
}

/**
 * @param factsOf what is said of a row, and what it is found by beside its family, endpoint and labels
 */
function gridOf<Row extends SeriesNaming & RowCells>(
  { columns, rows }: { readonly columns: readonly TableColumn[]; readonly rows: readonly Row[] },
  common: Common,
  textColumns: readonly TextColumn<Row>[],
  factsOf: (row: Row, index: number) => RowFacts & { readonly found?: readonly string[] },
): GridModel {
  return {
    common,
    textColumns,
    numberColumns: columns,
    estimated: rows.some(({ estimates }) => estimates !== undefined),
    rows: rows.map((row, index): GridRow => {
      const { found = [], ...facts } = factsOf(row, index);
      const { endpointUrl, labels, values, estimates } = row;
      return {
        ...facts,
        index,
        endpointUrl,
        labels,
        texts: textColumns.map(({ textOf }) => textOf(row)),
        values,
        ...(estimates === undefined ? {} : { estimates }),
        haystack: [...found, facts.family, hostOf(endpointUrl), labelsText(labels)].join("\n").toLowerCase(),
      };
    }),
  };
}

export function labelsText(labels: Labels): string {
  return labels.map(([name, value]) => `${name}=${value}`).join(", ");
}

/** Said only of series that had any: columns without a single value are left out. */
const RARE = new Set(["gaps", "resets"]);

/** What a histogram's table is opened for comes first. */
const HISTOGRAM_TOTALS = new Set(["count", "count_rate", "sum", "sum_rate"]);

/** The columns in the order shown. */
function shownColumns({ type, columns, rows }: StatisticsTable): readonly TableColumn[] {
  const isTotal = ({ key }: TableColumn) => Number(type === "histogram" && HISTOGRAM_TOTALS.has(key));
  return columns
    .filter(({ key }) => !RARE.has(key) || rows.some(({ values }) => !Number.isNaN(values[key] ?? NaN)))
    .sort((a, b) => isTotal(a) - isTotal(b));
}

/** Columns for what tells the rows apart: the endpoint and the labels, each only where they differ. */
function columnsApart({ endpointUrl, differing }: Common, rows: readonly SeriesNaming[]): TextColumn<SeriesNaming>[] {
  const host = shortHosts(new Set(rows.map((row) => row.endpointUrl)));
  return [
    ...(endpointUrl === undefined
      ? [{ key: "endpoint", title: t("Endpoint"), textOf: (row: SeriesNaming) => host(row.endpointUrl) }]
      : []),
    ...(differing.size > 0 ? [labelsColumn(differing)] : []),
  ];
}

function labelsColumn(differing: Common["differing"]): TextColumn<SeriesNaming> {
  const textOf = ({ labels }: SeriesNaming) => labelsText(labels.filter(([name]) => differing.has(name)));
  return { key: "labels", title: t("Labels"), textOf };
}

type FamilyOf = (name: string) => Pick<FamilySummary, "displayName" | "unit"> | undefined;

/** What the metric of a row is called: by its title, or by its exposed name where two would read alike. */
function metricNames<Row extends SeriesNaming & { readonly family: string }>(
  rows: readonly Row[],
  familyOf: FamilyOf,
  others: readonly TextColumn<Row>[],
): (row: Row) => { readonly text: string; readonly title: string; readonly name: string | undefined } {
  const titleOf = ({ family }: Row) => familyOf(family)?.displayName ?? family;
  const shorten = shortNames(new Set(rows.map(titleOf)));
  const alike = rowsWithEqualText(rows, (row) => [titleOf(row), ...others.map(({ textOf }) => textOf(row))]);
  return (row) => {
    const title = titleOf(row);
    const text = alike.has(row) ? row.family : title;
    return { text: shorten(text), title, name: text === row.family ? undefined : row.family };
  };
}

const SERVER = /^(.+?) \| /;

/**
 * Display names without their server's name, where all that have one have the same: it would take the room of what
 * differs.
 */
export function shortNames(names: ReadonlySet<string>): (name: string) => string {
  const servers = new Set([...names].flatMap((name) => SERVER.exec(name)?.[1] ?? []));
  const short = (name: string) => name.replace(SERVER, "");
  return servers.size === 1 && new Set([...names].map(short)).size === names.size ? short : (name) => name;
}

/** @param pinned families whose rows come first @param checks what the assertions of the settings give */
export function statisticsGrid(
  table: StatisticsTable,
  familyOf: FamilyOf,
  oneFamily: boolean,
  pinned: readonly string[] = [],
  checks: readonly CheckResult[] = [],
): GridModel {
  type Row = StatisticsTable["rows"][number];
  const failures = failuresOf(checks);
  const common = commonOf(table.rows);
  const apart = columnsApart(common, table.rows);
  const nameOf = metricNames(table.rows, familyOf, apart);
  // A single series without anything to tell it apart is still called something.
  const named = !oneFamily || apart.length === 0;
  const metric = { key: "family", title: t("Metric"), textOf: (row: Row) => nameOf(row).text };
  const shown = { columns: shownColumns(table), rows: table.rows };
  const grid = gridOf(shown, common, named ? [metric, ...apart] : apart, (row) => {
    const unit = familyOf(row.family)?.unit;
    const { title, name } = nameOf(row);
    return {
      series: row.series,
      family: row.family,
      name: named ? name : undefined,
      unit: named && !isSymbol(unit) ? unit : undefined,
      note: row.note,
      failures: failures.get(seriesKey(row.family, row)),
      pinned: !oneFamily && pinned.includes(row.family),
      found: [title, unit ?? ""],
    };
  });
  return { ...grid, rows: pinnedFirst(grid.rows, pinned, (row) => row.family) };
}

/** One scrape as a table: metric, labels and type, then its value or what a histogram holds. */
export function snapshotGrid(table: SnapshotTable, familyOf: FamilyOf): GridModel {
  type Row = SnapshotTable["rows"][number];
  const common = commonOf(table.rows);
  const labels = labelsColumn(common.differing);
  const nameOf = metricNames(table.rows, familyOf, [labels]);
  const positionText = (value: number) => (Number.isNaN(value) ? "–" : formatValue(value, undefined));
  const columns: readonly TextColumn<Row>[] = [
    { key: "family", title: t("Metric"), textOf: (row) => nameOf(row).text },
    labels,
    { key: "type", title: t("Type"), textOf: ({ type }) => type },
    {
      key: "positions",
      title: t("By position"),
      textOf: ({ positions }) => positions?.map(positionText).join(", ") ?? "",
    },
  ];
  const vectors = table.rows.some(({ positions }) => positions !== undefined);
  return gridOf(table, common, vectors ? columns : columns.slice(0, -1), (row, index) => {
    const { title, name } = nameOf(row);
    // One scrape has nothing to chart: no series is ever asked for by its id.
    return { series: index as SeriesId, family: row.family, name, found: [title, row.type] };
  });
}

function seriesKey(family: string, { endpointUrl, labels }: SeriesNaming): string {
  return `${family} ${endpointUrl} ${labelKey(labels)}`;
}

/** By series and statistic, the assertions that do not hold. Where one series is enough, none of them fails alone. */
function failuresOf(checks: readonly CheckResult[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const failures = new Map<string, Map<string, string>>();
  for (const result of checks) {
    if (result.passed) continue;
    for (const one of result.series) {
      if (one.passed) continue;
      const key = seriesKey(result.family ?? result.assertion.family, one);
      const before = failures.get(key) ?? new Map<string, string>();
      const { statistic } = result.assertion;
      const known = before.get(statistic);
      const text = t`failed: ${assertionText(result)}`;
      failures.set(key, before.set(statistic, known === undefined ? text : `${known}; ${text}`));
    }
  }
  return failures;
}

export function timesliceGrid(table: TimesliceTable, profilingStart: number): GridModel {
  type Row = TimesliceTable["rows"][number];
  const { family } = table;
  const common = commonOf(table.rows.map(({ endpointUrl, labels }) => ({ family, endpointUrl, labels })));
  const startOf = ({ start }: Row) => relativeSeconds(start, profilingStart);
  const lengthOf = ({ start, end }: Row) => relativeSeconds(end, start);
  const columns: readonly TextColumn<Row>[] = [
    { key: "start", title: t("Start"), textOf: (row) => formatRelative(startOf(row), 1) },
    { key: "length", title: t("Length"), textOf: (row) => formatRelative(lengthOf(row), 1) },
    ...columnsApart(common, table.rows),
  ];
  return gridOf(table, common, columns, (row) => ({
    series: row.series,
    family,
    order: [startOf(row), lengthOf(row)],
    incomplete: !row.complete,
    note: row.complete ? undefined : t("not a complete slice: left out of rate averages"),
  }));
}

/** Label names with their values, for the filter's choices. Names by alphabet. */
export function labelChoices(rows: readonly GridRow[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const { labels } of rows) {
    for (const [name, value] of labels) found.set(name, (found.get(name) ?? new Set()).add(value));
  }
  return new Map(
    [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, values]) => [name, [...values].sort(naturalOrder)]),
  );
}

/**
 * The given rows with full names and digits: endpoint and metric, one column per label, then the numbers.
 * @param toLine `safeCsvLine` where no cell may run as a formula
 */
export function toCsv(model: GridModel, rows: readonly GridRow[], toLine = csvLine): string {
  const labelNames = [...labelChoices(rows).keys()];
  const own = model.textColumns
    .map((column, i) => ({ ...column, i }))
    .filter(({ key }) => key === "start" || key === "length");
  const head = [
    "endpoint",
    "metric",
    ...labelNames,
    ...own.map(({ key }) => `${key}_seconds`),
    ...model.numberColumns.map((column) => column.key),
  ];
  const lines = rows.map((row) => {
    const labels = new Map(row.labels);
    return [
      row.endpointUrl,
      row.family,
      ...labelNames.map((name) => labels.get(name) ?? ""),
      ...own.map(({ i }) => String(row.order?.[i] ?? "")),
      ...model.numberColumns.map(({ key }) => {
        const value = row.values[key] ?? NaN;
        return Number.isNaN(value) ? "" : String(value);
      }),
    ];
  });
  return [head, ...lines].map((line) => `${toLine(line)}\r\n`).join("");
}
