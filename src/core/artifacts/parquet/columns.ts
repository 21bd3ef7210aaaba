import type { SeriesKey } from "../../model/index.js";

/** The column of times. */
export const TIME = "timestamp_ns";

const NUMBERS: ReadonlySet<string> = new Set(["value", "sum", "count", "bucket_count"]);

/** A column of numbers, by its name; the times are not among them. */
export function isNumber(name: string): boolean {
  return NUMBERS.has(name);
}

/** A column of texts, by its name. */
export function isText(name: string): boolean {
  return name !== TIME && !NUMBERS.has(name);
}

export type ParquetColumnType = "string" | "int64" | "float64";

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetColumnType;
  /** True for a column that holds the values of the label of its name. */
  readonly label: boolean;
}

const LEADING: readonly ParquetColumn[] = [
  { name: "endpoint_url", type: "string", label: false },
  { name: "metric_name", type: "string", label: false },
  { name: "metric_type", type: "string", label: false },
  { name: "unit", type: "string", label: false },
  { name: "description", type: "string", label: false },
  { name: TIME, type: "int64", label: false },
];

const TRAILING: readonly ParquetColumn[] = [
  { name: "value", type: "float64", label: false },
  { name: "sum", type: "float64", label: false },
  { name: "count", type: "float64", label: false },
  { name: "bucket_le", type: "string", label: false },
  { name: "bucket_count", type: "float64", label: false },
];

const RESERVED: ReadonlySet<string> = new Set([...LEADING, ...TRAILING].map((column) => column.name));

/**
 * Names of the label columns: every label of the series, alphabetical; one that carries a reserved column's name is
 * left out.
 */
export function labelColumns(series: Iterable<SeriesKey>): readonly string[] {
  const names = new Set<string>();
  for (const { labels } of series) for (const [name] of labels) if (!RESERVED.has(name)) names.add(name);
  return [...names].sort();
}

/** All columns in the file's order; every one is nullable, as the reference's are. */
export function parquetColumns(labels: readonly string[]): readonly ParquetColumn[] {
  return [...LEADING, ...labels.map((name): ParquetColumn => ({ name, type: "string", label: true })), ...TRAILING];
}
