import { sqlName, sqlText } from "../query/copy/subject.js";
import { cellOf, KEY_FIGURES } from "./columns.js";
import type { CellValue, LibraryRun } from "./runs.js";

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

/** What the files tell of single series that their rows do not. */
const TOLD = ["resets", "born", "series_reference_timestamps_ns"].map((key) => `'server_metrics.${key}'`).join(", ");

/**
 * Counters and histograms are increases since the reference, a scrape before the window whose time the files tell: the
 * largest is that of the whole window. Without a reference, rates run from the window's start. Of series that restarted
 * or were born the files tell what their rows lack: these are the numbers of all views.
 */
function statisticsView(files: readonly string[]): string {
  return `CREATE OR REPLACE TEMP VIEW statistics AS
WITH metadata AS (
  SELECT runs.run, decode(key) AS key, decode(value) AS value
  FROM parquet_kv_metadata([
${files.map((file) => `    ${sqlText(file)}`).join(",\n")}
  ]) JOIN runs ON runs.parquet = file_name
), endpoint AS (
  SELECT run, unnest(map_entries(value::JSON::MAP(VARCHAR, BIGINT))) AS reference
  FROM metadata WHERE key = 'server_metrics.reference_timestamps_ns'
), entry AS (
  SELECT run, key, unnest(value::JSON[]) AS told FROM metadata WHERE key IN (${TOLD})
), single AS (
  SELECT run, told->>'endpoint_url' AS endpoint_url, told->>'metric_name' AS metric_name,
    ${labelsOf("told->'labels'")} AS labels,
    any_value(told->'$.increases.stats') FILTER (key LIKE '%.resets') AS risen,
    any_value(told) FILTER (key LIKE '%.born') AS born,
    any_value((told->>'timestamp_ns')::BIGINT) FILTER (key LIKE '%_ns') AS reference_ns
  FROM entry GROUP BY ALL
), series AS (
  SELECT * EXCLUDE (timestamp_ns, value, sum, count, bucket_le, bucket_count),
    avg(value) FILTER (metric_type IN ('gauge', 'unknown')) AS avg_value,
    min(value) FILTER (metric_type IN ('gauge', 'unknown')) AS min_value,
    max(value) FILTER (metric_type IN ('gauge', 'unknown')) AS max_value,
    max(value) FILTER (metric_type = 'counter') AS rise,
    max(sum) AS sum_rise,
    max(count) AS count_rise,
    max(timestamp_ns) AS last_ns
  FROM samples
  GROUP BY ALL
), labelled AS (
  SELECT *, ${labelsOf(`json_merge_patch(to_json(series), '${JSON.stringify(NO_LABELS)}')`)} AS labels
  FROM series
), counted AS (
  SELECT labelled.* EXCLUDE (labels, rise, sum_rise, count_rise, last_ns), risen,
    coalesce((risen->>'total')::DOUBLE, rise + coalesce((born->>'value')::DOUBLE, 0)) AS total,
    coalesce((risen->>'count')::DOUBLE, count_rise + coalesce((born->>'count')::DOUBLE, 0)) AS count,
    coalesce((risen->>'sum')::DOUBLE, sum_rise + coalesce((born->>'sum')::DOUBLE, 0)) AS sum,
    coalesce(
      (last_ns - coalesce(CASE WHEN born IS NULL THEN single.reference_ns END, endpoint.reference.value)) / 1e9,
      nullif(runs.seconds, 0)
    ) AS over_seconds
  FROM labelled JOIN runs USING (run)
  LEFT JOIN endpoint ON endpoint.run = labelled.run AND endpoint.reference.key = labelled.endpoint_url
  LEFT JOIN single ON single.run = labelled.run AND single.endpoint_url = labelled.endpoint_url
    AND single.metric_name = labelled.metric_name AND single.labels = labelled.labels
)
SELECT * EXCLUDE (avg_value, min_value, max_value, total, count, sum, risen, over_seconds),
  coalesce(avg_value, sum / nullif(count, 0)) AS avg,
  min_value AS min,
  max_value AS max,
  total,
  coalesce((risen->>'rate')::DOUBLE, total / over_seconds) AS rate,
  count,
  coalesce((risen->>'count_rate')::DOUBLE, count / over_seconds) AS count_rate,
  sum
FROM counted;`;
}

/** Columns of `series` that are no labels, as a patch that takes them out of a row (RFC 7396). */
const NO_LABELS = Object.fromEntries(
  [
    ...["run", "endpoint_url", "metric_name", "metric_type", "unit", "description"],
    ...["avg_value", "min_value", "max_value", "rise", "sum_rise", "count_rise", "last_ns"],
  ].map((column) => [column, null]),
);

/** Labels of one series in one order: those it has, and without the prefix of a label named like a column. */
function labelsOf(json: string): string {
  return `list_sort([regexp_replace(pair.key, '^label_', '') || '=' || pair.value
      FOR pair IN map_entries(json_merge_patch('{}', ${json})::MAP(VARCHAR, VARCHAR))])`;
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
