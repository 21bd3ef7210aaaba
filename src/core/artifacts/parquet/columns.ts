import type { SeriesKey } from "../../model/index.js";
import { columnOfLabel } from "../csv/label-columns.js";

/** The column of times. */
export const TIME = "timestamp_ns";

export type ParquetColumnType = "string" | "int64" | "float64";

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetColumnType;
  /** The label whose values it holds; absent of the others. */
  readonly label?: string;
}

const columns = (type: ParquetColumnType, ...names: readonly string[]): readonly ParquetColumn[] =>
  names.map((name) => ({ name, type }));

const LEADING = [
  ...columns("string", "endpoint_url", "metric_name", "metric_type", "unit", "description"),
  ...columns("int64", TIME),
];
const TRAILING = [
  ...columns("float64", "value", "sum", "count"),
  ...columns("string", "bucket_le"),
  ...columns("float64", "bucket_count"),
];

/** Columns that are no label's, by their names. */
const OWN = new Map([...LEADING, ...TRAILING].map(({ name, type }) => [name, type]));
export const OWN_COLUMNS: ReadonlySet<string> = new Set(OWN.keys());

/** A column of texts, by its name. */
export function isText(name: string): boolean {
  return (OWN.get(name) ?? "string") === "string";
}

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
