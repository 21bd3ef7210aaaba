import { sqlName, sqlText } from "../query/copy/quote.js";
import { cellOf, KEY_FIGURES } from "./columns.js";
import type { CellValue, LibraryRun } from "./types.js";

/** Columns of the view `runs`, by the library's columns: the names that SQL takes without quotes. */
const COLUMNS: readonly (readonly [name: string, type: "VARCHAR" | "DOUBLE" | "TIMESTAMP", column: string])[] = [
  ["run", "VARCHAR", "run"],
  ["label", "VARCHAR", "label"],
  ["started", "TIMESTAMP", "time"],
  ["seconds", "DOUBLE", "duration"],
  ["server", "VARCHAR", "server"],
  ["version", "VARCHAR", "version"],
  ["model", "VARCHAR", "model"],
  ["load", "VARCHAR", "load"],
  ...KEY_FIGURES.filter((column) => !column.startsWith("client.")).map(
    (column) => [column.replace(".", "_"), "DOUBLE", column] as const,
  ),
  ["commit", "VARCHAR", "git.commit"],
  ["branch", "VARCHAR", "branch"],
  ["host", "VARCHAR", "host"],
  ["star", "VARCHAR", "star"],
  ["tags", "VARCHAR", "tags"],
  ["note", "VARCHAR", "note"],
];

/**
 * Statements for DuckDB that make views of a folder's runs: `runs` (a row a run, with its key figures and settings),
 * `samples` (all rows of their Parquet files) and `statistics` (a row for each series of a run). The last two are left
 * out where no run has a Parquet file.
 */
export function libraryViews(runs: readonly LibraryRun[]): string {
  const rows = runs.map(
    (run) =>
      `  (${[...COLUMNS.map(([, type, column]) => literal(cellOf(run, column), type)), settingsOf(run), literal(parquetOf(run), "VARCHAR")].join(", ")})`,
  );
  const names = [...COLUMNS.map(([name]) => sqlName(name)), "settings", "parquet"].join(", ");
  const types = [...COLUMNS.map(([, type]) => `NULL::${type}`), "MAP {'': ''}", "NULL::VARCHAR"].join(", ");
  const table =
    rows.length === 0
      ? `(VALUES (${types})) AS run(${names}) WHERE false`
      : `(VALUES\n${rows.join(",\n")}\n) AS run(${names})`;
  const files = runs.flatMap((run) => parquetOf(run) ?? []);
  const views = [`CREATE OR REPLACE TEMP VIEW runs AS\nSELECT * FROM ${table};`];
  if (files.length > 0) views.push(samplesView(files), statisticsView(files));
  return `${views.join("\n\n")}\n`;
}

function samplesView(files: readonly string[]): string {
  const list = files.map((file) => `    ${sqlText(file)}`).join(",\n");
  return `CREATE OR REPLACE TEMP VIEW samples AS
SELECT runs.run, sample.* EXCLUDE (filename)
FROM read_parquet([
${list}
  ], union_by_name = true, filename = true) AS sample
JOIN runs ON runs.parquet = sample.filename;`;
}

/**
 * Counters and histograms are increases since the reference, a scrape before the window whose time the files tell: the
 * largest is that of the whole window. Without a reference, rates run from the window's start.
 */
function statisticsView(files: readonly string[]): string {
  return `CREATE OR REPLACE TEMP VIEW statistics AS
WITH told AS (
  SELECT file_name, unnest(map_entries(decode(value)::JSON::MAP(VARCHAR, BIGINT))) AS reference
  FROM parquet_kv_metadata([
${files.map((file) => `    ${sqlText(file)}`).join(",\n")}
  ]) WHERE decode(key) = 'server_metrics.reference_timestamps_ns'
), reference AS (
  SELECT runs.run, told.reference.key AS endpoint_url, told.reference.value AS reference_ns
  FROM told JOIN runs ON runs.parquet = told.file_name
), series AS (
  SELECT * EXCLUDE (timestamp_ns, value, sum, count, bucket_le, bucket_count),
    avg(value) FILTER (metric_type IN ('gauge', 'unknown')) AS avg_value,
    min(value) FILTER (metric_type IN ('gauge', 'unknown')) AS min_value,
    max(value) FILTER (metric_type IN ('gauge', 'unknown')) AS max_value,
    max(value) FILTER (metric_type = 'counter') AS total,
    max(sum) AS sum_observed,
    max(count) AS count_observed,
    max(timestamp_ns) AS last_ns
  FROM samples
  GROUP BY ALL
), timed AS (
  SELECT series.*, coalesce((last_ns - reference_ns) / 1e9, nullif(runs.seconds, 0)) AS over_seconds
  FROM series JOIN runs USING (run) LEFT JOIN reference USING (run, endpoint_url)
)
SELECT * EXCLUDE (avg_value, min_value, max_value, total, sum_observed, count_observed, last_ns, over_seconds),
  coalesce(avg_value, sum_observed / nullif(count_observed, 0)) AS avg,
  min_value AS min,
  max_value AS max,
  total,
  total / over_seconds AS rate,
  count_observed AS count,
  count_observed / over_seconds AS count_rate,
  sum_observed AS sum
FROM timed;`;
}

function literal(cell: CellValue, type: string): string {
  if (cell === undefined) return `NULL::${type}`;
  if (type === "TIMESTAMP")
    return typeof cell === "number" ? `make_timestamp(${Math.round(cell * 1000)})` : "NULL::TIMESTAMP";
  if (type === "DOUBLE") return typeof cell === "number" ? `${cell}::DOUBLE` : "NULL::DOUBLE";
  return sqlText(String(cell));
}

function settingsOf({ about, measured }: LibraryRun): string {
  const all = Object.entries({ ...measured?.facts, ...about?.provenance, ...about?.configured });
  const settings = all.map(([path, value]) => [path.replace(/^servers\[0\]\.settings\./, ""), value] as const);
  const unique = new Map(settings);
  return `MAP {${[...unique].map(([path, value]) => `${sqlText(path)}: ${sqlText(value)}`).join(", ")}}${unique.size === 0 ? "::MAP(VARCHAR, VARCHAR)" : ""}`;
}

function parquetOf({ files }: LibraryRun): string | undefined {
  return files.find((file) => file.endsWith(".parquet"));
}
