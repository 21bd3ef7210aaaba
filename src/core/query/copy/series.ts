import { labelValue } from "../../model/index.js";
import type { QuerySubject } from "./types.js";

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
