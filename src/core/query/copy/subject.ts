import { labelValue, type EpochNs, type FileFormat, type MetricType, type LabelledSeries } from "../../model/index.js";

export const QUERY_LANGUAGES = ["duckdb", "pandas", "jq", "promql"] as const;
export type QueryLanguage = (typeof QUERY_LANGUAGES)[number];

/** A file that holds the run. */
export interface QueryFile {
  /** Absolute. */
  readonly path: string;
  readonly format: FileFormat;
  /** Size; 0 when it is not known. */
  readonly bytes: number;
}

/** What a query is to give: what a view shows of a family, or of some series of it. */
export interface QuerySubject {
  readonly family: {
    readonly name: string;
    readonly type: MetricType;
    readonly isInfo: boolean;
    /** A gauge that its server calls a counter: files that keep how counters rose do not hold its values. */
    readonly countedAverage?: true;
  };
  /** Every series of the family. */
  readonly all: readonly LabelledSeries[];
  /** Those asked about; absent: all. */
  readonly chosen?: readonly LabelledSeries[];
  /** A chart shows the course of values, rates and quantiles; a table their statistics. */
  readonly shows: "course" | "statistics";
  readonly window: {
    readonly start: EpochNs;
    /** Absent while the run goes on. */
    readonly end?: EpochNs;
    /** A user chose it: nothing beyond its end counts, whatever the file holds. */
    readonly exact: boolean;
  };
  readonly sliceSeconds: number;
  /** Of the whole run. */
  readonly endpoints: number;
}

/** A query that runs as it stands, or why there is none. */
export type CopiedQuery =
  { readonly kind: "query"; readonly text: string } | { readonly kind: "none"; readonly reason: string };

/** The quantiles of a histogram that a query gives, as Prometheus interpolates them from the buckets. */
export const QUERY_QUANTILES = [0.5, 0.9, 0.99] as const;
/** The percentiles of a gauge that a query gives, by linear interpolation between samples. */
export const QUERY_PERCENTILES = [50, 90, 99] as const;

/** A string literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A column's name in SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string literal of JSON; jq, Python and PromQL read the same escapes. */
export function quoted(text: string): string {
  // Astral characters as they are; Python and Go know no surrogate escapes.
  return JSON.stringify(text).replace(/\u007f/g, "\\u007f");
}

/** Columns of tables that no label may be called after. */
const RESERVED = new Set([
  "endpoint_url",
  "metric_name",
  "metric_type",
  "unit",
  "description",
  "timestamp_ns",
  "value",
  "sum",
  "count",
  "bucket_le",
  "bucket_count",
]);

/** The labels that can be columns of a query's table, alphabetical: those that carry the name of one are left out. */
export function labelColumns({ all }: Pick<QuerySubject, "all">): readonly string[] {
  return [...new Set(all.flatMap(({ labels }) => labels.map(([name]) => name)))]
    .filter((name) => !RESERVED.has(name))
    .sort();
}

/**
 * What tells chosen series from the others: the endpoints and the labels in question; a label that a series has not is
 * undefined.
 */
export function conditions(
  { all, chosen }: Pick<QuerySubject, "all" | "chosen">,
  columns: readonly string[],
): readonly {
  readonly endpointUrl: string;
  readonly labels: readonly (readonly [name: string, value: string | undefined])[];
}[] {
  if (chosen === undefined || chosen.length === 0 || chosen.length === all.length) return [];
  return chosen.map((series) => ({
    endpointUrl: series.endpointUrl,
    labels: columns.map((name) => [name, labelValue(series.labels, name)] as const),
  }));
}
