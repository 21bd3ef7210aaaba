import {
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  Schema,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  type Data,
  type DataType,
} from "apache-arrow";
import {
  binary,
  FILE,
  KEY_VALUE,
  MAGIC,
  moved,
  ROW_GROUP,
  SCHEMA_ELEMENT,
  structs,
  TAIL_BYTES,
  text,
} from "../parquet/footer.js";
import { integer, writeStruct, type ThriftStruct, type ThriftValue } from "../parquet/thrift.js";
import { loadParquetWasm } from "../parquet/wasm.js";

/** The pages of one column in one row group, as they stand in the file from `start`. */
export interface ColumnChunk {
  readonly chunk: ThriftStruct;
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** Texts that repeat: `texts[codes[row]]`; undefined for null. */
export interface TextColumn {
  readonly kind: "text";
  readonly codes: Int32Array;
  readonly texts: readonly string[];
  isNull(row: number): boolean;
  /** The same in all rows. */
  readonly constant: boolean;
  readonly hasNulls: boolean;
}

export interface NumberColumn {
  readonly kind: "number";
  /** NaN for null. */
  readonly values: Float64Array;
}

export interface TimeColumn {
  readonly kind: "time";
  readonly values: BigInt64Array;
}

export interface DecodedRows {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, TextColumn | NumberColumn | TimeColumn>;
}

const TIME = "timestamp_ns";
const NUMBERS: ReadonlySet<string> = new Set(["value", "sum", "count", "bucket_count"]);

/**
 * Decodes columns of some row groups: a file of nothing else is put together from their pages and a footer that fits,
 * and parquet-wasm reads that. Its Arrow schema asks for texts as dictionaries, which is how they are stored: no text
 * is made per row.
 * @throws Error when the pages cannot be decoded
 */
export async function decodeColumns(
  footer: ThriftStruct,
  groups: readonly (readonly ColumnChunk[])[],
  columns: readonly string[],
): Promise<readonly DecodedRows[]> {
  const wasm = await loadParquetWasm();
  const rows = groups.reduce((sum, [first]) => sum + (first?.rows ?? 0), 0);
  if (rows === 0) return [];
  const table = wasm.readParquet(assemble(footer, groups, columns), { batchSize: Math.min(rows, 1 << 16) });
  const { batches } = tableFromIPC(table.intoIPCStream());
  return batches.map((batch) => ({
    rows: batch.numRows,
    columns: new Map(columns.map((name) => [name, columnOf(name, batch.getChild(name)?.data[0])])),
  }));
}

/** A column of texts, by its name. */
export function isText(name: string): boolean {
  return name !== TIME && !NUMBERS.has(name);
}

/** The rows with columns that need not be decoded: of one text each, or of nothing but nulls. */
export function withConstants({ rows, columns }: DecodedRows, known: ReadonlyMap<string, string | null>): DecodedRows {
  const all = new Map(columns);
  for (const [name, only] of known)
    all.set(name, isText(name) ? constantText(only, rows) : { kind: "number", values: nothing(rows) });
  return { rows, columns: all };
}

let noCells = new Float64Array(0);
let sameCodes = new Int32Array(0);

/** NaN for each row; shared, never written to. */
function nothing(rows: number): Float64Array {
  if (noCells.length < rows) noCells = new Float64Array(rows).fill(NaN);
  return noCells.subarray(0, rows);
}

/** Code 0 for each row; shared, never written to. */
function zeros(rows: number): Int32Array {
  if (sameCodes.length < rows) sameCodes = new Int32Array(rows);
  return sameCodes.subarray(0, rows);
}

function constantText(only: string | null, rows: number): TextColumn {
  return {
    kind: "text",
    codes: zeros(rows),
    texts: [only ?? ""],
    isNull: () => only === null,
    constant: true,
    hasNulls: only === null,
  };
}

function assemble(
  footer: ThriftStruct,
  groups: readonly (readonly ColumnChunk[])[],
  columns: readonly string[],
): Uint8Array {
  const pieces: Uint8Array[] = [MAGIC];
  let at = MAGIC.length;
  let rows = 0n;
  const rowGroups = groups.map((chunks): ThriftValue => {
    let bytes = 0n;
    const items = chunks.map(({ chunk, start, bytes: pages }) => {
      const shifted = moved(chunk, BigInt(at - start));
      pieces.push(pages);
      at += pages.length;
      bytes += BigInt(pages.length);
      return shifted;
    });
    const count = BigInt(chunks[0]?.rows ?? 0);
    rows += count;
    return {
      kind: "struct",
      fields: new Map<number, ThriftValue>([
        [ROW_GROUP.columns, { kind: "list", type: 12, items }],
        [2, integer(bytes)],
        [ROW_GROUP.rows, integer(count)],
      ]),
    };
  });
  const fields = new Map(footer.fields);
  fields.set(FILE.schema, { kind: "list", type: 12, items: schemaOf(footer, columns) });
  fields.set(FILE.rows, integer(rows));
  fields.set(FILE.rowGroups, { kind: "list", type: 12, items: rowGroups });
  fields.set(FILE.keyValues, {
    kind: "list",
    type: 12,
    items: [
      {
        kind: "struct",
        fields: new Map([
          [KEY_VALUE.key, binary("ARROW:schema")],
          [KEY_VALUE.value, binary(arrowSchema(columns))],
        ]),
      },
    ],
  });
  // One order a column, of which there are fewer now.
  fields.delete(7);
  const written = writeStruct({ kind: "struct", fields });
  const tail = new Uint8Array(TAIL_BYTES);
  new DataView(tail.buffer).setUint32(0, written.length, true);
  tail.set(MAGIC, 4);
  return Buffer.concat([...pieces, written, tail]);
}

/** The root and the elements of the columns, in the order of the columns. */
function schemaOf(footer: ThriftStruct, columns: readonly string[]): readonly ThriftValue[] {
  const [root, ...elements] = structs(footer.fields.get(FILE.schema));
  const byName = new Map(elements.map((element) => [text(element.fields.get(SCHEMA_ELEMENT.name)), element]));
  const chosen = columns.flatMap((name) => byName.get(name) ?? []);
  if (root === undefined || chosen.length !== columns.length)
    throw new Error("its schema lacks a column of its row groups");
  return [
    { kind: "struct", fields: new Map(root.fields).set(SCHEMA_ELEMENT.children, integer(BigInt(columns.length), 5)) },
    ...chosen,
  ];
}

const CONTINUATION_AND_LENGTH = 8;

/** The first message of an Arrow stream, in base64, as Parquet files carry it. */
function arrowSchema(columns: readonly string[]): string {
  const fields = columns.map(
    (name, id) =>
      new Field<DataType>(
        name,
        name === TIME ? new Int64() : NUMBERS.has(name) ? new Float64() : new Dictionary(new Utf8(), new Int32(), id),
        true,
      ),
  );
  const stream = tableToIPC(new Table(new Schema(fields)), "stream");
  const length = new DataView(stream.buffer, stream.byteOffset, stream.byteLength).getInt32(4, true);
  return Buffer.from(stream.subarray(0, CONTINUATION_AND_LENGTH + length)).toString("base64");
}

function columnOf(name: string, data: Data | undefined): TextColumn | NumberColumn | TimeColumn {
  if (data === undefined) throw new Error(`column ${name} was not decoded`);
  const values: unknown = data.values;
  if (name === TIME) {
    if (values instanceof BigInt64Array) return { kind: "time", values: values.subarray(0, data.length) };
  } else if (NUMBERS.has(name)) {
    const numbers = numbersOf(values);
    if (numbers !== undefined) return { kind: "number", values: withNulls(numbers.subarray(0, data.length), data) };
  } else if (values instanceof Int32Array && data.dictionary !== undefined) {
    const texts = Array.from(data.dictionary, (item: unknown) => String(item));
    return {
      kind: "text",
      codes: values.subarray(0, data.length),
      texts,
      isNull: nullTest(data),
      constant: false,
      hasNulls: data.nullCount > 0,
    };
  }
  throw new Error(
    `column ${name} has another type than expected: ${name === TIME ? "int64" : NUMBERS.has(name) ? "double" : "string"}`,
  );
}

function numbersOf(values: unknown): Float64Array | undefined {
  if (values instanceof Float64Array) return values;
  if (values instanceof Float32Array || values instanceof Int32Array) return Float64Array.from(values);
  return values instanceof BigInt64Array ? Float64Array.from(values, Number) : undefined;
}

function nullTest(data: Data): (row: number) => boolean {
  const { nullBitmap, offset } = data;
  if (data.nullCount === 0 || nullBitmap.length === 0) return () => false;
  return (row) => ((nullBitmap[(offset + row) >> 3] ?? 0) & (1 << ((offset + row) & 7))) === 0;
}

function withNulls(values: Float64Array, data: Data): Float64Array {
  if (data.nullCount === 0) return values;
  const isNull = nullTest(data);
  const out = values.slice();
  for (let row = 0; row < out.length; row++) if (isNull(row)) out[row] = NaN;
  return out;
}
