import { csvLine, safeCsvLine } from "../../text/csv-line.js";
import {
  displayName,
  isInfoFamily,
  METRIC_TYPES,
  STATISTICS,
  type FamilyResult,
  type Labels,
  type MetricType,
  type RunStatistics,
  type SeriesResult,
} from "../../model/index.js";
import { columnOfLabel } from "./label-columns.js";
import { SCHEMA_VERSION, type ExporterVersion } from "../names.js";
import { seriesFields } from "../series-fields.js";

/** The comment of a file whose formulas are neutralised. */
export const NEUTRALIZED = "formulas_neutralized";

/** A family as CSV has it. */
export interface CsvFamily extends Pick<FamilyResult, "name" | "type" | "description"> {
  readonly series: readonly CsvSeries[];
}

/** A series as CSV has it: its labels stand between the two texts, in columns that its whole section tells. */
export interface CsvSeries {
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** Cells before the labels, and those after them. */
  readonly before: string;
  readonly after: string;
}

/** @param safe as of `csvText` */
export function csvSeries(
  { name, type, unit, description }: Omit<FamilyResult, "series">,
  series: SeriesResult,
  safe: boolean,
): CsvSeries {
  const { endpointUrl, labels } = series;
  if (isInfoSection({ name, type })) return { endpointUrl, labels, before: "", after: "" };
  const cells = safe ? safeCsvLine : csvLine;
  return {
    endpointUrl,
    labels,
    before: cells([displayName(endpointUrl), type, name, unit ?? "", ...statisticCells(type, series)]),
    after: cells([description, ...(type === "histogram" ? [bucketCell(series)] : [])]),
  };
}

/** The CSV artifact of statistics. @param safe as of `csvText` */
export function writeCsv(run: RunStatistics, exporter: ExporterVersion, safe = false): Iterable<string> {
  const families = run.families.map((family) => ({
    ...family,
    series: family.series.map((series) => csvSeries(family, series, safe)),
  }));
  return csvText(run, families, exporter, safe);
}

/**
 * The CSV artifact in pieces: a section per type, with a column per label of its section.
 * @param safe cells that a spreadsheet would run as formulas get an apostrophe, and a comment says so
 */
export function* csvText(
  { benchmarkId }: Pick<RunStatistics, "benchmarkId">,
  all: readonly CsvFamily[],
  { version }: ExporterVersion,
  safe: boolean,
): Iterable<string> {
  const cells = safe ? safeCsvLine : csvLine;
  yield `# Server Metrics Export (CSV)\n# server_metrics_version: ${version}\n# schema_version: ${SCHEMA_VERSION}\n# benchmark_id: ${benchmarkId}\n`;
  yield "# Note: Same benchmark_id and version appear in JSON and Parquet exports\n#\n";
  if (safe) yield `# ${NEUTRALIZED}: true\n`;
  let separator = "";
  for (const type of METRIC_TYPES) {
    const families = all.filter((family) => family.type === type && !isInfoSection(family));
    if (families.length === 0) continue;
    yield separator;
    yield* section(type, families, cells);
    separator = ROW_END;
  }
  const infos = all.filter(isInfoSection);
  if (infos.length > 0) {
    yield separator;
    yield* infoSection(infos, cells);
  }
}

/** Rows that end as such in a CSV artifact: of each section a header, and between two of them an empty row. */
export function csvRowCount(families: readonly CsvFamily[]): number {
  const sections = new Set(families.map((family) => (isInfoSection(family) ? "info" : family.type))).size;
  const rows = families.flatMap((family) =>
    family.series.map(({ labels }) => (isInfoSection(family) ? labels.length : 1)),
  );
  return rows.reduce((sum, count) => sum + count, 0) + sections + Math.max(0, sections - 1);
}

function isInfoSection({ name, type }: Pick<FamilyResult, "name" | "type">): boolean {
  return type === "gauge" && isInfoFamily(name);
}

function* section(type: MetricType, families: readonly CsvFamily[], cells: Cells): Iterable<string> {
  const labels = [
    ...new Set(families.flatMap((family) => family.series.flatMap((series) => series.labels.map(([name]) => name)))),
  ].sort();
  const buckets = type === "histogram" ? ["buckets"] : [];
  const own = ownColumns(type);
  const columns = labels.map((label) => columnOfLabel(label, own));
  const header = ["Endpoint", "Type", "Metric", "Unit", ...STATISTICS[type], ...columns, "Description", ...buckets];
  yield cells(header) + ROW_END;
  for (const family of families) {
    for (const series of family.series) {
      const values = new Map(series.labels);
      const labelCells = labels.length === 0 ? "" : `${cells(labels.map((label) => values.get(label) ?? ""))},`;
      yield `${series.before},${labelCells}${series.after}${ROW_END}`;
    }
  }
}

/** Columns of a section that are no label's. */
export function ownColumns(type: MetricType): ReadonlySet<string> {
  return new Set(["Endpoint", "Type", "Metric", "Unit", ...STATISTICS[type], "Description", "buckets"]);
}

function statisticCells(type: MetricType, series: SeriesResult): string[] {
  const values = new Map<string, unknown>(Object.entries(seriesFields(series).stats));
  return STATISTICS[type].map((key) => {
    const value = values.get(key);
    if (typeof value !== "number") return "";
    return type === "histogram" && key === "count" ? String(value) : decimals4(value);
  });
}

function bucketCell(series: SeriesResult): string {
  return (seriesFields(series).buckets ?? []).map(([bound, count]) => `${bound}=${count}`).join(";");
}

function* infoSection(families: readonly CsvFamily[], cells: Cells): Iterable<string> {
  yield cells(["Endpoint", "Metric", "Key", "Value", "Description"]) + ROW_END;
  for (const family of families) {
    for (const { endpointUrl, labels } of family.series) {
      for (const [key, value] of labels)
        yield cells([displayName(endpointUrl), family.name, key, value, family.description]) + ROW_END;
    }
  }
}

/** Four decimals, exact ties to even, as Python's format rounds (`toFixed` takes the larger). */
export function decimals4(value: number): string {
  if (!Number.isFinite(value)) return "";
  const size = Math.abs(value);
  // A binary fraction lies halfway between two of four decimals only at odd multiples of 1/32.
  if (Number.isInteger(size * 32) && (size * 32) % 2 === 1) {
    const below = Math.floor(size * 10_000);
    return `${value < 0 ? "-" : ""}${((below % 2 === 0 ? below : below + 1) / 10_000).toFixed(4)}`;
  }
  if (Object.is(value, -0)) return "-0.0000";
  // From 1e21 on, `toFixed` gives an exponent.
  return size < 1e21 ? value.toFixed(4) : `${BigInt(value)}.0000`;
}

type Cells = (cells: readonly string[]) => string;
const ROW_END = "\r\n";
