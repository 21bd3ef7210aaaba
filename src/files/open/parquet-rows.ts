import { makeLabels, METRIC_TYPES, type Family } from "../../core/model/index.js";
import type { DecodedRows, NumberColumn, TextColumn, TimeColumn } from "./parquet-decode.js";
import { SeriesSamplesBuilder } from "./parquet-series.js";

export const REQUIRED_COLUMNS = ["endpoint_url", "metric_name", "metric_type", "timestamp_ns", "value"] as const;
const OTHER_COLUMNS: ReadonlySet<string> = new Set(["unit", "description", "sum", "count", "bucket_le", "bucket_count"]);

/** Columns that hold the values of a label. */
export function labelColumnsOf(columns: readonly string[]): readonly string[] {
  return columns.filter((name) => !OTHER_COLUMNS.has(name) && !REQUIRED_COLUMNS.some((required) => required === name));
}

/** Gathers rows into series. Texts come as codes, so that whose row it is is told by comparing a few integers. */
export class RowsReader {
  private readonly byKey = new Map<string, SeriesSamplesBuilder>();

  /** @param origin what times become relative to */
  constructor(
    private readonly origin: bigint,
    private readonly labels: readonly string[],
  ) {}

  get series(): Iterable<SeriesSamplesBuilder> {
    return this.byKey.values();
  }

  /** @param only names of the families wanted; absent: all */
  add(rows: DecodedRows, only?: ReadonlySet<string>): void {
    const names = textOf(rows, "metric_name");
    const dimensions = [textOf(rows, "endpoint_url"), names, textOf(rows, "metric_type"), ...this.labels.map((label) => textOf(rows, label))];
    const description = rows.columns.has("description") ? textOf(rows, "description") : undefined;
    const times = timeOf(rows);
    const values = numberOf(rows, "value");
    const buckets = rows.columns.has("bucket_count")
      ? { sums: numberOf(rows, "sum"), counts: numberOf(rows, "count"), cells: numberOf(rows, "bucket_count"), bounds: textOf(rows, "bucket_le") }
      : undefined;
    let current: SeriesSamplesBuilder | undefined;
    for (let row = 0; row < rows.rows; row++) {
      if (row === 0 || dimensions.some((column) => differs(column, row))) {
        current = only?.has(names.texts[names.codes[row] ?? 0] ?? "") === false ? undefined : this.seriesAt(dimensions, description, row);
      }
      if (current === undefined) continue;
      const time = Number((times[row] ?? 0n) - this.origin);
      if (current.identity.family.type !== "histogram" || buckets === undefined) {
        current.scalar(time, values[row] ?? NaN);
        continue;
      }
      const bound = buckets.bounds.texts[buckets.bounds.codes[row] ?? 0];
      if (bound !== undefined && !buckets.bounds.isNull(row)) current.bucket(time, bound, buckets.cells[row] ?? NaN, buckets.sums[row] ?? NaN, buckets.counts[row] ?? NaN);
    }
  }

  private seriesAt(dimensions: readonly TextColumn[], description: TextColumn | undefined, row: number): SeriesSamplesBuilder {
    const texts = dimensions.map((column) => textAt(column, row));
    const key = JSON.stringify(texts);
    let series = this.byKey.get(key);
    if (series === undefined) {
      const [endpointUrl = "", name = "", typeText, ...values] = texts;
      const type = METRIC_TYPES.find((candidate) => candidate === typeText) ?? "unknown";
      const family: Family = { name, type, description: (description === undefined ? undefined : textAt(description, row)) ?? "" };
      const pairs = this.labels.flatMap((label, i) => (values[i] === undefined ? [] : [[label, values[i]] as const]));
      this.byKey.set(key, (series = new SeriesSamplesBuilder({ endpointUrl, family, labels: makeLabels(pairs) })));
    }
    return series;
  }
}

function differs(column: TextColumn, row: number): boolean {
  return column.codes[row] !== column.codes[row - 1] || column.isNull(row) !== column.isNull(row - 1);
}

export function textAt(column: TextColumn, row: number): string | undefined {
  return column.isNull(row) ? undefined : column.texts[column.codes[row] ?? 0];
}

export function textOf(rows: DecodedRows, name: string): TextColumn {
  const column = rows.columns.get(name);
  if (column?.kind !== "text") throw new Error(`column ${name} holds no texts`);
  return column;
}

function numberOf(rows: DecodedRows, name: string): NumberColumn["values"] {
  const column = rows.columns.get(name);
  if (column?.kind !== "number") throw new Error(`column ${name} holds no numbers`);
  return column.values;
}

function timeOf(rows: DecodedRows): TimeColumn["values"] {
  const column = rows.columns.get("timestamp_ns");
  if (column?.kind !== "time") throw new Error("column timestamp_ns holds no integers");
  return column.values;
}
