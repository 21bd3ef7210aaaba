import {
  displayName,
  isInfoFamily,
  METRIC_TYPES,
  STATISTICS,
  type FamilyResult,
  type MetricType,
  type RunStatistics,
  type SeriesResult,
} from "../model/index.js";
import { SCHEMA_VERSION, type Exporter } from "./names.js";

/** The comment of a file whose formulas are neutralised. */
export const NEUTRALIZED = "formulas_neutralized";

/**
 * The CSV artifact in pieces: a section per type, with a column per label of its section.
 * @param safe cells that a spreadsheet would run as formulas get an apostrophe, and a comment says so
 */
export function* writeCsv(run: RunStatistics, { version }: Exporter, safe = false): Iterable<string> {
  const row = safe ? safeRow : plainRow;
  yield `# Server Metrics Export (CSV)\n# server_metrics_version: ${version}\n# schema_version: ${SCHEMA_VERSION}\n# benchmark_id: ${run.benchmarkId}\n`;
  yield "# Note: Same benchmark_id and version appear in JSON and Parquet exports\n#\n";
  if (safe) yield `# ${NEUTRALIZED}: true\n`;
  let separator = "";
  for (const type of METRIC_TYPES) {
    const families = run.families.filter((family) => family.type === type && !isInfoSection(family));
    if (families.length === 0) continue;
    yield separator;
    yield* section(type, families, row);
    separator = "\r\n";
  }
  const infos = run.families.filter(isInfoSection);
  if (infos.length > 0) {
    yield separator;
    yield* infoSection(infos, row);
  }
}

function isInfoSection({ name, type }: FamilyResult): boolean {
  return type === "gauge" && isInfoFamily(name);
}

function* section(type: MetricType, families: readonly FamilyResult[], row: Row): Iterable<string> {
  const labels = [
    ...new Set(families.flatMap((family) => family.series.flatMap((series) => series.labels.map(([name]) => name)))),
  ].sort();
  const buckets = type === "histogram" ? ["buckets"] : [];
  yield row(["Endpoint", "Type", "Metric", "Unit", ...STATISTICS[type], ...labels, "Description", ...buckets]);
  for (const family of families) {
    for (const series of family.series) {
      const values = new Map(series.labels);
      yield row([
        displayName(series.endpointUrl),
        type,
        family.name,
        family.unit ?? "",
        ...statisticCells(type, series),
        ...labels.map((label) => values.get(label) ?? ""),
        family.description,
        ...buckets.map(() => bucketCell(series)),
      ]);
    }
  }
}

function statisticCells(type: MetricType, { stats }: SeriesResult): string[] {
  const values = new Map<string, unknown>(Object.entries(stats));
  return STATISTICS[type].map((key) => {
    const value = values.get(key);
    if (typeof value !== "number") return "";
    return type === "histogram" && key === "count" ? String(value) : decimals4(value);
  });
}

function bucketCell(series: SeriesResult): string {
  return series.kind === "histogram"
    ? (series.buckets ?? []).map(([bound, count]) => `${bound}=${count}`).join(";")
    : "";
}

function* infoSection(families: readonly FamilyResult[], row: Row): Iterable<string> {
  yield row(["Endpoint", "Metric", "Key", "Value", "Description"]);
  for (const family of families) {
    for (const { endpointUrl, labels } of family.series) {
      for (const [key, value] of labels)
        yield row([displayName(endpointUrl), family.name, key, value, family.description]);
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

type Row = (cells: readonly string[]) => string;

/** What a spreadsheet takes for a formula, also behind apostrophes of its own, which would else be taken for ours. */
const FORMULA = /^'*[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function safeRow(cells: readonly string[]): string {
  return plainRow(cells.map((cell) => (FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell)));
}

/** A cell as it was before `safeRow`. */
export function originalCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** RFC 4180: quoted when it must be, rows end in CRLF. */
function plainRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replace(/"/g, '""')}"` : cell)).join(",")}\r\n`;
}
