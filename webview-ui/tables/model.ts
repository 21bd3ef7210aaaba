import { t } from "@vscode/l10n";
import { labelKey, type Labels, type SeriesId } from "../../src/core/model/index.js";
import { naturalOrder } from "../../src/core/text/index.js";
import type {
  CheckResult,
  EstimateBounds,
  StatisticsTable,
  TableColumn,
  TimesliceTable,
} from "../../src/protocol/index.js";
import { assertionText } from "../assertions/text.js";
import { isEstimate } from "../format/estimate.js";
import { hostOf, shortHosts } from "../format/text.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import { isSymbol } from "../format/unit.js";
import { pinnedFirst } from "../state/layout.js";
import { commonOf, rowsWithEqualText, type Common } from "./common.js";

/** What the table component shows: rows with words first, then numbers. Both tables become this. */
export interface GridModel {
  readonly textColumns: readonly { readonly key: string; readonly title: string }[];
  readonly numberColumns: readonly TableColumn[];
  readonly rows: readonly GridRow[];
  /** Said once above the table instead of in each row. */
  readonly common: Common;
  /** Some of the numbers are quantiles estimated from buckets. */
  readonly estimated: boolean;
  /** What is certain of a row's number; undefined where it is no estimate. */
  readonly estimateAt: (row: GridRow, column: number) => CellEstimate | undefined;
  /** The assertion that a row's number fails, in words. */
  readonly failureAt: (row: GridRow, column: number) => string | undefined;
}

export type CellEstimate = { readonly [K in keyof EstimateBounds]: number };

export interface GridRow {
  readonly index: number;
  readonly series: SeriesId;
  readonly family: string;
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** One per text column. */
  readonly texts: readonly string[];
  /** The exposed name, in small letters behind the title in the first text. */
  readonly name?: string;
  /** Said in small letters behind the first text: a unit that is too long for the cells. */
  readonly unit?: string;
  /** What a text column is sorted by when not by its words. */
  readonly order?: readonly (number | undefined)[];
  /** Columns of the row's numbers, NaN for none. */
  readonly numbers: Float64Array;
  readonly note?: string;
  /** What assertions it fails, in words. */
  readonly failed?: string;
  /** Of a pinned family, among others. */
  readonly pinned: boolean;
  /** Set apart: a slice that is not complete. */
  readonly incomplete: boolean;
  /** Lower case, all that a text filter looks at. */
  readonly haystack: string;
}

export function labelsText(labels: Labels): string {
  return labels.map(([name, value]) => `${name}=${value}`).join(", ");
}

function haystackOf(parts: readonly string[]): string {
  return parts.join("\n").toLowerCase();
}

/** Said only of series that had any: columns without a single value are left out. */
const RARE = new Set(["gaps", "resets"]);

/** What a histogram's table is opened for comes first. */
const HISTOGRAM_TOTALS = new Set(["count", "count_rate", "sum", "sum_rate"]);

/** Indices of the columns in the order shown. */
function shownColumns(table: Pick<StatisticsTable, "columns" | "values" | "type">): number[] {
  const width = table.columns.length;
  const isTotal = (c: number) =>
    Number(table.type === "histogram" && HISTOGRAM_TOTALS.has(table.columns[c]?.key ?? ""));
  const had = table.columns.flatMap(({ key }, c) => {
    if (!RARE.has(key)) return [c];
    for (let at = c; at < table.values.length; at += width) if (!Number.isNaN(table.values[at])) return [c];
    return [];
  });
  return had.sort((a, b) => isTotal(a) - isTotal(b) || a - b);
}

/** Columns and texts for what tells the rows apart: the endpoint and the labels, each only where they differ. */
function distinguishing(
  common: Common,
  rows: readonly { readonly endpointUrl: string }[],
): {
  readonly columns: GridModel["textColumns"];
  readonly texts: (row: { readonly endpointUrl: string; readonly labels: Labels }) => string[];
} {
  const columns: { key: string; title: string }[] = [];
  if (common.endpointUrl === undefined) columns.push({ key: "endpoint", title: t("Endpoint") });
  if (common.differing.size > 0) columns.push({ key: "labels", title: t("Labels") });
  const host = shortHosts(new Set(rows.map(({ endpointUrl }) => endpointUrl)));
  return {
    columns,
    texts: ({ endpointUrl, labels }) => [
      ...(common.endpointUrl === undefined ? [host(endpointUrl)] : []),
      ...(common.differing.size > 0 ? [labelsText(labels.filter(([name]) => common.differing.has(name)))] : []),
    ],
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
  familyOf: (name: string) => { readonly displayName: string; readonly unit?: string } | undefined,
  oneFamily: boolean,
  pinned: readonly string[] = [],
  checks: readonly CheckResult[] = [],
): GridModel {
  const failures = failuresOf(checks);
  const width = table.columns.length;
  const shown = shownColumns(table);
  const common = commonOf(table.rows);
  const apart = distinguishing(common, table.rows);
  // A single series without anything to tell it apart is still called something.
  const named = !oneFamily || apart.columns.length === 0;
  const { estimates } = table;
  const nameOf = (name: string) => familyOf(name)?.displayName ?? name;
  const shorten = shortNames(new Set(table.rows.map((row) => nameOf(row.family))));
  const texts = table.rows.map((row) => apart.texts(row));
  const alike = rowsWithEqualText(table.rows, (row, index) => [nameOf(row.family), ...(texts[index] ?? [])]);
  const rows = table.rows.map((row, index): GridRow => {
    const family = familyOf(row.family);
    const title = nameOf(row.family);
    const name = alike.has(row) ? row.family : title;
    const failed = failures.get(seriesKey(row.family, row));
    return {
      index,
      series: row.series,
      family: row.family,
      endpointUrl: row.endpointUrl,
      labels: row.labels,
      texts: [...(named ? [shorten(name)] : []), ...(texts[index] ?? [])],
      ...(named && name !== row.family ? { name: row.family } : {}),
      ...(!named || family?.unit === undefined || isSymbol(family.unit) ? {} : { unit: family.unit }),
      numbers: Float64Array.from(shown, (c) => table.values[index * width + c] ?? NaN),
      ...(row.note === undefined ? {} : { note: row.note }),
      ...(failed === undefined ? {} : { failed: [...failed.values()].join("; ") }),
      pinned: !oneFamily && pinned.includes(row.family),
      incomplete: false,
      haystack: haystackOf([title, family?.unit ?? "", row.family, hostOf(row.endpointUrl), labelsText(row.labels)]),
    };
  });
  return {
    common,
    textColumns: [...(named ? [{ key: "family", title: t("Metric") }] : []), ...apart.columns],
    numberColumns: shown.flatMap((c) => table.columns[c] ?? []),
    estimated: estimates !== undefined,
    estimateAt: (row, column) => estimateIn(estimates, row.index * width + (shown[column] ?? NaN)),
    failureAt: (row, column) =>
      failures.get(seriesKey(row.family, row))?.get(table.columns[shown[column] ?? NaN]?.key ?? ""),
    rows: pinnedFirst(rows, pinned, (row) => row.family),
  };
}

/** What is certain of a cell; undefined where it is no estimate. */
export function estimateIn(estimates: EstimateBounds | undefined, at: number): CellEstimate | undefined {
  const of = (bound: keyof EstimateBounds) => estimates?.[bound][at] ?? NaN;
  const cell = { lower: of("lower"), upper: of("upper"), low: of("low"), high: of("high"), linear: of("linear") };
  return isEstimate(cell) ? cell : undefined;
}

type Failures = ReadonlyMap<string, ReadonlyMap<string, string>>;

function seriesKey(
  family: string,
  { endpointUrl, labels }: { readonly endpointUrl: string; readonly labels: Labels },
): string {
  return `${family} ${endpointUrl} ${labelKey(labels)}`;
}

/** By series and statistic, the assertions that do not hold. Where one series is enough, none of them fails alone. */
function failuresOf(checks: readonly CheckResult[]): Failures {
  const failures = new Map<string, Map<string, string>>();
  for (const result of checks) {
    if (result.passed) continue;
    for (const one of result.series) {
      if (one.passed) continue;
      const key = seriesKey(result.family ?? result.assertion.family, one);
      const before = failures.get(key) ?? new Map<string, string>();
      const { statistic } = result.assertion;
      const text = [before.get(statistic), t`failed: ${assertionText(result)}`]
        .filter((part) => part !== undefined)
        .join("; ");
      failures.set(key, before.set(statistic, text));
    }
  }
  return failures;
}

export function timesliceGrid(table: TimesliceTable, profilingStart: number): GridModel {
  const width = table.columns.length;
  const common = commonOf(table.rows.map(({ endpointUrl, labels }) => ({ family: table.family, endpointUrl, labels })));
  const apart = distinguishing(common, table.rows);
  return {
    common,
    textColumns: [{ key: "start", title: t("Start") }, { key: "length", title: t("Length") }, ...apart.columns],
    numberColumns: table.columns,
    estimated: table.estimates !== undefined,
    estimateAt: (row, column) => estimateIn(table.estimates, row.index * width + column),
    failureAt: () => undefined,
    rows: table.rows.map((row, index) => {
      const start = relativeSeconds(row.start, profilingStart);
      const length = relativeSeconds(row.end, row.start);
      return {
        index,
        series: row.series,
        family: table.family,
        endpointUrl: row.endpointUrl,
        labels: row.labels,
        texts: [formatRelative(start, 1), formatRelative(length, 1), ...apart.texts(row)],
        order: [start, length],
        numbers: table.values.subarray(index * width, (index + 1) * width),
        pinned: false,
        incomplete: !row.complete,
        ...(row.complete ? {} : { note: t("not a complete slice: left out of rate averages") }),
        haystack: haystackOf([table.family, hostOf(row.endpointUrl), labelsText(row.labels)]),
      };
    }),
  };
}

/** Label names with their values, for the filter's choices. Names by alphabet. */
export function labelChoices(rows: readonly GridRow[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const { labels } of rows) {
    for (const [name, value] of labels) {
      const values = found.get(name) ?? new Set();
      found.set(name, values.add(value));
    }
  }
  return new Map(
    [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, values]) => [name, [...values].sort(naturalOrder)]),
  );
}
