import {
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
  type Data,
} from "apache-arrow";
import type { Family } from "../../core/model/index.js";
import type { ParquetColumn } from "../../core/artifacts/parquet-schema.js";
import type { RowGroup, RowSlice } from "../../core/artifacts/parquet-groups.js";

/** What a slice holds in one column of strings: one text (or none) over all its rows, or a bound per row. */
type Texts = { readonly kind: "constant"; readonly text: string | undefined } | { readonly kind: "bounds" };

/**
 * An empty Arrow stream of the file's schema; plain strings, so that readers do not take the columns for categories.
 */
export function emptyIpc(columns: readonly ParquetColumn[]): Uint8Array {
  const fields = columns.map(
    ({ name, type }) =>
      new Field(name, type === "string" ? new Utf8() : type === "int64" ? new Int64() : new Float64(), true),
  );
  return tableToIPC(new Table(new Schema(fields)), "stream");
}

/**
 * One row group as an Arrow stream of one batch. Strings go as dictionaries: most are constant over thousands of rows.
 * Every column has buffers of its own, for columns that share one corrupt the stream.
 */
export function rowGroupIpc(
  group: RowGroup,
  columns: readonly ParquetColumn[],
  unitOf: (family: Family) => string | undefined,
): Uint8Array {
  const fields: Field[] = [];
  const children: Data[] = [];
  columns.forEach((column, id) => {
    const data = columnData(column, id, group, unitOf);
    fields.push(new Field(column.name, data.type, true));
    children.push(data);
  });
  const struct = makeData({ type: new Struct(fields), length: group.rows, nullCount: 0, children });
  return tableToIPC(new Table([new RecordBatch(new Schema(fields), struct)]), "stream");
}

function columnData(
  column: ParquetColumn,
  id: number,
  group: RowGroup,
  unitOf: (family: Family) => string | undefined,
): Data {
  switch (column.type) {
    case "int64":
      return timeColumn(group);
    case "float64":
      return numberColumn(group, column.name);
    case "string":
      return textColumn(group, id, (slice) => textsOf(slice, column, unitOf));
  }
}

function timeColumn({ rows, slices }: RowGroup): Data {
  const data = new BigInt64Array(rows);
  let at = 0;
  for (const { series, from, to } of slices) {
    data.set(series.times.subarray(from, to), at);
    at += to - from;
  }
  return makeData({ type: new Int64(), length: rows, nullCount: 0, data });
}

function numberColumn({ rows, slices }: RowGroup, name: string): Data {
  const data = new Float64Array(rows);
  const validity = new Validity(rows);
  let at = 0;
  for (const slice of slices) {
    const length = slice.to - slice.from;
    const cells = numbersOf(slice, name)?.subarray(slice.from, slice.to);
    if (cells === undefined) {
      validity.clear(at, at + length);
    } else {
      data.set(cells, at);
      for (let i = 0; i < length; i++) if (Number.isNaN(cells[i])) validity.clear(at + i, at + i + 1);
    }
    at += length;
  }
  return makeData({ type: new Float64(), length: rows, data, ...validity.buffers() });
}

function numbersOf({ series: { cells } }: RowSlice, name: string): Float64Array | undefined {
  if (cells.kind === "scalar") return name === "value" ? cells.values : undefined;
  switch (name) {
    case "sum":
      return cells.sums;
    case "count":
      return cells.counts;
    case "bucket_count":
      return cells.bucketCounts;
    default:
      return undefined;
  }
}

function textColumn({ rows, slices }: RowGroup, id: number, textsOfSlice: (slice: RowSlice) => Texts): Data {
  const codes = new Int32Array(rows);
  const codeByText = new Map<string, number>();
  const validity = new Validity(rows);
  const codeOf = (text: string) => {
    let code = codeByText.get(text);
    if (code === undefined) codeByText.set(text, (code = codeByText.size));
    return code;
  };
  let at = 0;
  for (const slice of slices) {
    const end = at + slice.to - slice.from;
    const texts = textsOfSlice(slice);
    if (texts.kind === "constant") {
      if (texts.text === undefined) validity.clear(at, end);
      else codes.fill(codeOf(texts.text), at, end);
    } else if (slice.series.cells.kind === "histogram") {
      const { bounds, boundIds } = slice.series.cells;
      const boundCodes = bounds.map(codeOf);
      for (let i = 0; at + i < end; i++) codes[at + i] = boundCodes[boundIds[slice.from + i] ?? 0] ?? 0;
    }
    at = end;
  }
  const type = new Dictionary(new Utf8(), new Int32(), id);
  // A dictionary must not be empty, even of a column without any text.
  const dictionary = vectorFromArray(codeByText.size === 0 ? [""] : [...codeByText.keys()], new Utf8());
  return makeData({ type, length: rows, data: codes, dictionary, ...validity.buffers() });
}

function textsOf(
  { series }: RowSlice,
  { name, label }: ParquetColumn,
  unitOf: (family: Family) => string | undefined,
): Texts {
  const { endpointUrl, family, labels } = series.key;
  const constant = (text: string | undefined): Texts => ({ kind: "constant", text });
  if (label) return constant(labels.find(([key]) => key === name)?.[1]);
  switch (name) {
    case "endpoint_url":
      return constant(endpointUrl);
    case "metric_name":
      return constant(family.name);
    case "metric_type":
      return constant(family.type);
    case "unit":
      return constant(unitOf(family));
    case "description":
      return constant(family.description);
    case "bucket_le":
      return series.cells.kind === "histogram" ? { kind: "bounds" } : constant(undefined);
    default:
      throw new Error(`no values for the Parquet column ${name}`);
  }
}

/** Arrow's validity bitmap, made only when a row is null. */
class Validity {
  private bitmap: Uint8Array | undefined;
  private nulls = 0;

  constructor(private readonly rows: number) {}

  clear(from: number, to: number): void {
    const bitmap = (this.bitmap ??= new Uint8Array(Math.ceil(this.rows / 8)).fill(255));
    this.nulls += to - from;
    let i = from;
    while (i < to) {
      if ((i & 7) === 0 && i + 8 <= to) {
        bitmap[i >>> 3] = 0;
        i += 8;
      } else {
        bitmap[i >>> 3] = (bitmap[i >>> 3] ?? 0) & ~(1 << (i & 7));
        i++;
      }
    }
  }

  buffers(): { readonly nullCount: number; readonly nullBitmap?: Uint8Array } {
    return this.bitmap === undefined ? { nullCount: 0 } : { nullCount: this.nulls, nullBitmap: this.bitmap };
  }
}
