import { NS_PER_SECOND } from "../../model/index.js";
import {
  sqlName,
  sqlText,
  conditions,
  labelColumns,
  QUERY_PERCENTILES,
  QUERY_QUANTILES,
  type CopiedQuery,
  type QueryFile,
  type QuerySubject,
} from "./subject.js";

/** A common table expression by its name. */
type Step = readonly [name: string, sql: string];

/** What all statements for one subject are made of. */
interface Parts {
  readonly subject: QuerySubject;
  readonly path: string;
  /** Columns that tell the series apart. */
  readonly series: readonly string[];
  /** The same, as a list in SQL. */
  readonly by: string;
  readonly where: readonly string[];
  readonly bytes: number;
}

/** SQL for DuckDB that reads the file itself. */
export function duckdb(subject: QuerySubject, file: QueryFile): CopiedQuery {
  const columns = labelColumns(subject);
  const series = ["endpoint_url", ...columns];
  const chosen = conditions(subject, columns).map(({ endpointUrl, labels }) =>
    [
      `endpoint_url = ${sqlText(endpointUrl)}`,
      ...labels.map(([name, value]) =>
        value === undefined ? `${sqlName(name)} IS NULL` : `${sqlName(name)} = ${sqlText(value)}`,
      ),
    ].join(" AND "),
  );
  const where =
    chosen.length === 0
      ? []
      : [chosen.length === 1 ? (chosen[0] ?? "") : `(${chosen.map((one) => `(${one})`).join(" OR ")})`];
  const parts: Parts = {
    subject,
    path: sqlText(file.path),
    series,
    by: series.map((name) => (name === "endpoint_url" ? name : sqlName(name))).join(", "),
    where,
    bytes: file.bytes,
  };
  switch (file.format) {
    case "parquet":
      return { kind: "query", text: ofSamples(parts, parquetSamples(parts), true) };
    case "jsonl":
    case "journal":
      return subject.family.isInfo
        ? { kind: "none", reason: "Info metrics stand in a JSONL's metadata, not among its samples." }
        : { kind: "query", text: ofSamples(parts, jsonlSamples(parts, file), false) };
    case "json":
      return { kind: "query", text: subject.shows === "statistics" ? storedStatistics(parts) : storedSlices(parts) };
    case "csv":
      return {
        kind: "none",
        reason:
          "The CSV holds several tables one after the other, and DuckDB reads one: take the Parquet or JSON file.",
      };
    case "earlier-csv":
    case "earlier-json":
    case "scrape-log":
    case "metric-dump":
    case "client":
    case "snapshot":
      return { kind: "none", reason: "DuckDB does not read this layout: export the run as Parquet first." };
  }
}

function statement(steps: readonly Step[], select: string): string {
  return `${steps.length === 0 ? "" : `WITH ${steps.map(([name, sql]) => `${name} AS (\n${indent(sql)}\n)`).join(", ")}\n`}${select};\n`;
}

function indent(sql: string): string {
  return sql.replace(/^/gm, "  ");
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `\nWHERE ${conditions.join("\n  AND ")}`;
}

/**
 * The samples of one family: Parquet's counters and buckets are rises since the reference, whose time its metadata
 * tells.
 */
function parquetSamples({ subject, path, by, where }: Parts): Step[] {
  const columns = subject.family.type === "histogram" ? `bucket_le, bucket_count AS value, count, sum` : "value";
  return [
    [
      "samples",
      `SELECT timestamp_ns, ${by}, ${columns}\nFROM read_parquet(${path})${whereOf([`metric_name = ${sqlText(subject.family.name)}`, ...where])}`,
    ],
  ];
}

/** A line is one scrape of one endpoint. A duplicate repeats the scrape before it; failures and events hold nothing. */
function jsonlSamples({ subject, path, series, where, bytes }: Parts, file: QueryFile): Step[] {
  const histogram = subject.family.type === "histogram";
  const labels = labelsIn("sample", series);
  const shape = histogram
    ? `[{"labels":"JSON","buckets":"MAP(VARCHAR, DOUBLE)","sum":"DOUBLE","count":"DOUBLE"}]`
    : `[{"labels":"JSON","value":"DOUBLE"}]`;
  const gzip = file.format === "journal" || /\.gz$/i.test(file.path) ? ", compression = 'gzip'" : "";
  const steps: Step[] = [
    [
      "scrapes",
      `SELECT endpoint_url, timestamp_ns, max(timestamp_ns) FILTER (WHERE duplicate IS NOT TRUE) OVER (PARTITION BY endpoint_url) AS last_update,\n  CASE WHEN duplicate THEN NULL ELSE coalesce(metrics -> ${sqlText(subject.family.name)}, '[]') END AS family\n` +
        `FROM read_json(${path}, format = 'newline_delimited'${gzip}, maximum_object_size = ${objectSize(bytes)},\n  columns = {endpoint_url: 'VARCHAR', timestamp_ns: 'BIGINT', metrics: 'JSON', duplicate: 'BOOLEAN', error: 'JSON'})\nWHERE endpoint_url <> '' AND error IS NULL`,
    ],
    [
      "filled",
      `SELECT endpoint_url, timestamp_ns, last_update,\n  unnest(from_json(last_value(family IGNORE NULLS) OVER (PARTITION BY endpoint_url ORDER BY timestamp_ns), ${sqlText(shape)})) AS sample\nFROM scrapes`,
    ],
  ];
  const scalars = `SELECT timestamp_ns, last_update, endpoint_url${labels}, ${histogram ? "unnest(map_entries(sample.buckets)) AS bucket, sample.count AS count, sample.sum AS sum" : "sample.value AS value"}\nFROM filled`;
  const wanted = whereOf([...(histogram ? [] : ["value IS NOT NULL"]), ...where]);
  steps.push([
    "samples",
    histogram
      ? `SELECT * EXCLUDE (bucket), bucket.key AS bucket_le, bucket.value AS value\nFROM (${scalars})${wanted}`
      : `SELECT *\nFROM (${scalars})${wanted}`,
  ]);
  return steps;
}

/** The labels of an object, a column each. @param series the endpoint first */
function labelsIn(object: string, [, ...labels]: Parts["series"]): string {
  return labels.map((name) => `, ${object}.labels ->> ${sqlText(name)} AS ${sqlName(name)}`).join("");
}

/** DuckDB reads no object larger than the size it is given. */
function objectSize(bytes: number): number {
  return Math.max(2 ** 24, 2 ** Math.ceil(Math.log2(bytes + 1)));
}

/**
 * The samples that count: those of the window as recorded, which goes on to an endpoint's last update, or of an exact
 * one.
 */
function inWindow({ subject: { window } }: Parts, parquet: boolean): string[] {
  const { start, end, exact } = window;
  if (parquet && !exact) return [];
  const upper =
    end === undefined
      ? []
      : exact || parquet
        ? [`timestamp_ns <= ${end}`]
        : [`timestamp_ns <= greatest(${end}, last_update)`];
  return [`timestamp_ns >= ${start}`, ...upper];
}

function ofSamples(parts: Parts, samples: readonly Step[], parquet: boolean): string {
  const { subject, by } = parts;
  const window = inWindow(parts, parquet);
  const { type } = subject.family;
  const time = "timestamp_ns, make_timestamp_ns(timestamp_ns) AS time";
  if (type === "gauge" || type === "unknown") {
    if (subject.shows === "course")
      return statement(
        samples,
        `SELECT ${time}, ${by}, value\nFROM samples${whereOf(window)}\nORDER BY ${by}, timestamp_ns`,
      );
    const percentiles = QUERY_PERCENTILES.map((p) => `quantile_cont(value, ${p / 100}) AS p${p}`).join(", ");
    return statement(
      samples,
      `SELECT ${by}, avg(value) AS avg, min(value) AS min, max(value) AS max, coalesce(stddev_samp(value), 0) AS std,\n  ${percentiles}, count(*) AS samples\nFROM samples${whereOf(window)}\nGROUP BY ALL\nORDER BY ${by}`,
    );
  }
  const histogram = type === "histogram";
  const steps: readonly Step[] = [
    ...samples,
    ...(parquet ? [REFERENCE(parts.path)] : []),
    ["rises", rises(parts, histogram, parquet)],
  ];
  if (!histogram) {
    if (subject.shows === "course")
      return statement(
        steps,
        `SELECT ${time}, ${by}, rise / nullif((timestamp_ns - since) / 1e9, 0) AS rate\nFROM rises${whereOf([...window, "since IS NOT NULL"])}\nORDER BY ${by}, timestamp_ns`,
      );
    return statement(
      steps,
      `SELECT ${by}, sum(rise) AS total,\n  total / nullif((max(timestamp_ns) - min(coalesce(since, timestamp_ns))) / 1e9, 0) AS rate\nFROM rises${whereOf(window)}\nGROUP BY ALL\nORDER BY ${by}`,
    );
  }
  const { slice, start } = slicing(subject);
  const course = subject.shows === "course";
  const key = course ? `slice, ${by}` : by;
  const buckets: Step = [
    "buckets",
    `SELECT ${course ? `(timestamp_ns - ${start} + ${slice - 1n}) // ${slice} - 1 AS slice, ` : ""}${by}, ${UPPER} AS upper,\n  sum(rise) AS cumulative, sum(count_rise) AS count, sum(sum_rise) AS sum\nFROM rises${whereOf([...window, ...(course ? [`timestamp_ns > ${start}`] : [])])}\nGROUP BY ALL`,
  ];
  const lead = course ? `slice, make_timestamp_ns((${start} + slice * ${slice})::BIGINT) AS start, ${by}` : by;
  return statement(
    [...steps, buckets, ...quantileSteps(key)],
    `SELECT ${lead}, ${QUANTILE_COLUMNS}\nFROM quantiles\nGROUP BY ALL\nORDER BY ${course ? `${by}, slice` : by}`,
  );
}

/** Boundaries of slices, in nanoseconds. */
function slicing({ window, sliceSeconds }: QuerySubject): { readonly start: bigint; readonly slice: bigint } {
  return { start: window.start, slice: BigInt(Math.max(1, Math.round(sliceSeconds * NS_PER_SECOND))) };
}

const REFERENCE = (path: string): Step => [
  "reference",
  `SELECT max(decode(value))::JSON AS times\nFROM parquet_kv_metadata(${path})\nWHERE decode(key) = 'server_metrics.reference_timestamps_ns'`,
];

/** What each sample adds to the one before it; after a restart all it has. */
function rises({ by }: Parts, histogram: boolean, parquet: boolean): string {
  const first = (column: string) => (parquet ? `lag(${column}, 1, 0.0)` : `lag(${column})`);
  const rise = (column: string, as: string) =>
    `CASE WHEN ${column} < ${first(column)} OVER earlier THEN ${column} ELSE coalesce(${column} - ${first(column)} OVER earlier, 0) END AS ${as}`;
  const since = parquet
    ? "coalesce(lag(timestamp_ns) OVER earlier, ((SELECT times FROM reference) ->> endpoint_url)::BIGINT) AS since"
    : "lag(timestamp_ns) OVER earlier AS since";
  const columns = [
    rise("value", "rise"),
    ...(histogram ? [rise("count", "count_rise"), rise("sum", "sum_rise")] : []),
    since,
  ];
  return `SELECT *,\n  ${columns.join(",\n  ")}\nFROM samples\nWINDOW earlier AS (PARTITION BY ${by}${histogram ? ", bucket_le" : ""} ORDER BY timestamp_ns)`;
}

const UPPER = "CASE bucket_le WHEN '+Inf' THEN 'Infinity' ELSE bucket_le END::DOUBLE";

/** Prometheus' histogram_quantile on `buckets` (upper, cumulative): linear within the bucket that holds the rank. */
function quantileSteps(key: string): Step[] {
  return [
    [
      "ranked",
      `SELECT *, lag(upper) OVER bounds AS lower, coalesce(lag(cumulative) OVER bounds, 0) AS below, max(cumulative) OVER (PARTITION BY ${key}) AS observations\nFROM buckets\nWINDOW bounds AS (PARTITION BY ${key} ORDER BY upper)`,
    ],
    [
      "quantiles",
      `SELECT ${key}, wanted_q, any_value(count) AS count, any_value(sum) AS sum,\n  arg_min(CASE WHEN isinf(upper) THEN lower WHEN lower IS NULL AND upper <= 0 THEN upper\n    ELSE coalesce(lower, 0) + (upper - coalesce(lower, 0)) * (wanted_q * observations - below) / nullif(cumulative - below, 0) END, upper) AS value\n` +
        `FROM ranked, (VALUES ${QUERY_QUANTILES.map((q) => `(${q})`).join(", ")}) AS wanted(wanted_q)\nWHERE cumulative >= wanted_q * observations\nGROUP BY ALL`,
    ],
  ];
}

const QUANTILE_COLUMNS = `any_value(count) AS count, any_value(sum) AS sum, any_value(sum) / nullif(any_value(count), 0) AS avg,\n  ${QUERY_QUANTILES.map((q) => `max(value) FILTER (wanted_q = ${q}) AS p${q * 100}`).join(", ")}`;

/** The series of a family in a JSON artifact, with what is stored of each. */
function storedSeries({ subject, path, series, where, bytes }: Parts): Step[] {
  const labels = labelsIn("entry", series);
  return [
    [
      "entries",
      `SELECT unnest(from_json(metrics -> ${sqlText(subject.family.name)} -> 'series', '[{"endpoint_url":"VARCHAR","labels":"JSON","stats":"JSON","buckets":"JSON","timeslices":"JSON"}]')) AS entry\nFROM read_json(${path}, format = 'unstructured', maximum_object_size = ${objectSize(bytes)}, columns = {metrics: 'JSON'})`,
    ],
    [
      "stored",
      `SELECT *\nFROM (SELECT entry.endpoint_url AS endpoint_url${labels}, entry.stats AS stats, entry.buckets AS buckets, entry.timeslices AS timeslices FROM entries)${whereOf(where)}`,
    ],
  ];
}

const STATISTICS = {
  gauge: ["avg", "min", "max", "std", "p50", "p90", "p99"],
  unknown: ["avg", "min", "max", "std", "p50", "p90", "p99"],
  counter: ["total", "rate", "resets", "increase"],
  histogram: [
    "count",
    "sum",
    "avg",
    "p50_estimate",
    "p90_estimate",
    "p99_estimate",
    "resets",
    "increase_count",
    "increase_sum",
  ],
} as const;

function storedStatistics(parts: Parts): string {
  const columns = STATISTICS[parts.subject.family.type].map((key) => `(stats ->> '${key}')::DOUBLE AS ${key}`);
  return statement(
    storedSeries(parts),
    `SELECT ${parts.by},\n  ${columns.join(",\n  ")}\nFROM stored\nORDER BY ${parts.by}`,
  );
}

const SLICES = {
  gauge: ["avg", "min", "max"],
  unknown: ["avg", "min", "max"],
  counter: ["total", "rate"],
  histogram: ["count", "sum", "avg"],
} as const;

function storedSlices(parts: Parts): string {
  const { by } = parts;
  const { type } = parts.subject.family;
  const numbers = SLICES[type];
  const shape = `[{"start_ns":"BIGINT","end_ns":"BIGINT",${numbers.map((key) => `"${key}":"DOUBLE"`).join(",")}${type === "histogram" ? ',"buckets":"MAP(VARCHAR, DOUBLE)"' : ""}}]`;
  const slices: Step = [
    "slices",
    `SELECT ${by}, unnest(from_json(timeslices, ${sqlText(shape)})) AS slice\nFROM stored`,
  ];
  if (type !== "histogram")
    return statement(
      [...storedSeries(parts), slices],
      `SELECT slice.start_ns AS start_ns, make_timestamp_ns(slice.start_ns) AS start, ${by}, ${numbers.map((key) => `slice.${key} AS ${key}`).join(", ")}\nFROM slices\nORDER BY ${by}, start_ns`,
    );
  const key = `start_ns, ${by}`;
  const bounds: Step = [
    "bounds",
    `SELECT slice.start_ns AS start_ns, ${by}, slice.count AS count, slice.sum AS sum, unnest(map_entries(slice.buckets)) AS bucket\nFROM slices`,
  ];
  const buckets: Step = [
    "buckets",
    `SELECT ${key}, count, sum, ${UPPER.replaceAll("bucket_le", "bucket.key")} AS upper, bucket.value AS cumulative\nFROM bounds`,
  ];
  return statement(
    [...storedSeries(parts), slices, bounds, buckets, ...quantileSteps(key)],
    `SELECT start_ns, make_timestamp_ns(start_ns) AS start, ${by}, ${QUANTILE_COLUMNS}\nFROM quantiles\nGROUP BY ALL\nORDER BY ${by}, start_ns`,
  );
}
