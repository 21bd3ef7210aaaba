import type { EpochNs, FileFormat, MetricType, LabelledSeries } from "../../model/index.js";

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
