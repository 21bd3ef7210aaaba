import type { SeriesKey } from "../../model/index.js";
import { columnOfLabel } from "../csv/label-columns.js";

/** The column of times. */
export const TIME = "timestamp_ns";

const NUMBERS: ReadonlySet<string> = new Set(["value", "sum", "count", "bucket_count"]);

/** A column of texts, by its name. */
export function isText(name: string): boolean {
  return name !== TIME && !NUMBERS.has(name);
}

export type ParquetColumnType = "string" | "int64" | "float64";

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetColumnType;
  /** The label whose values it holds; absent of the others. */
  readonly label?: string;
}

const LEADING: readonly ParquetColumn[] = [
  { name: "endpoint_url", type: "string" },
  { name: "metric_name", type: "string" },
  { name: "metric_type", type: "string" },
  { name: "unit", type: "string" },
  { name: "description", type: "string" },
  { name: TIME, type: "int64" },
];

const TRAILING: readonly ParquetColumn[] = [
  { name: "value", type: "float64" },
  { name: "sum", type: "float64" },
  { name: "count", type: "float64" },
  { name: "bucket_le", type: "string" },
  { name: "bucket_count", type: "float64" },
];

/** Columns that are no label's. */
export const OWN_COLUMNS: ReadonlySet<string> = new Set([...LEADING, ...TRAILING].map((column) => column.name));

/** Every label of the series, in the order of their columns. */
export function labelNames(series: Iterable<SeriesKey>): readonly string[] {
  const names = new Set<string>();
  for (const { labels } of series) for (const [name] of labels) names.add(name);
  return [...names].sort();
}

/** All columns in the file's order; every one is nullable, as the reference's are. */
export function parquetColumns(labels: readonly string[]): readonly ParquetColumn[] {
  const own = labels.map((label): ParquetColumn => ({
    name: columnOfLabel(label, OWN_COLUMNS),
    type: "string",
    label,
  }));
  return [...LEADING, ...own, ...TRAILING];
}
