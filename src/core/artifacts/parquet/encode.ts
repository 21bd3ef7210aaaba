import type {
  RowGroup as RowGroupEntry,
  SchemaElement,
  ColumnChunk,
  Encoding,
  Statistics,
} from "hyparquet/src/types.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { ColumnCoder, NULL_CODE, type ColumnCodes, type ColumnValues } from "./column-codes.js";
import type { ParquetColumn, ParquetColumnType } from "./columns.js";
import type { RowGroup } from "./row-groups.js";
import { MAGIC } from "./tail.js";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { writePlain } from "hyparquet-writer/src/plain.js";
import { snappyCompressor } from "hysnappy";
import { Field, Float64, Int64, Schema, Table, tableToIPC, Utf8 } from "apache-arrow";

/**
 * The Parquet artifact's bytes, row group by row group, straight from the store's columns. Own column chunks, because
 * most columns are runs that the run's structure tells; what is in their pages, and the footer, are hyparquet-writer's.
 */

const ELEMENTS: Readonly<Record<ParquetColumnType, Omit<SchemaElement, "name">>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  int64: { type: "INT64" },
  float64: { type: "DOUBLE" },
};

/** What the rows of a file are sorted by, as columns. */
const SORTED_BY = ["endpoint_url", "metric_name", "metric_type"];

/** Encodes one file: `start`, then each row group in order, then `finish`; what each gives is written in that order. */
export class ParquetEncoder {
  private readonly coder = new ColumnCoder();
  private readonly groups: RowGroupEntry[] = [];
  private offset = 0;
  private rows = 0;

  /** @param createdBy name and version of the program */
  constructor(
    private readonly columns: readonly ParquetColumn[],
    private readonly createdBy: string,
  ) {}

  start(): Uint8Array {
    this.offset = MAGIC.length;
    return MAGIC;
  }

  rowGroup(group: RowGroup): Uint8Array {
    const out = new ByteWriter(1 << 16);
    const columns = this.columns.map((column) =>
      writeChunk(column.name, this.coder.code(group, column), out, this.offset),
    );
    const uncompressed = columns.reduce((sum, chunk) => sum + (chunk.meta_data?.total_uncompressed_size ?? 0n), 0n);
    this.groups.push({
      columns,
      total_byte_size: uncompressed,
      num_rows: BigInt(group.rows),
      sorting_columns: SORTED_BY.map((name) => ({
        column_idx: this.columns.findIndex((column) => column.name === name),
        descending: false,
        nulls_first: false,
      })),
      file_offset: BigInt(this.offset),
      total_compressed_size: BigInt(out.offset),
    });
    this.offset += out.offset;
    this.rows += group.rows;
    return out.getBytes();
  }

  /**
   * The footer. Metadata stand in the order given, so that the same run gives the same bytes.
   */
  finish(metadata: ReadonlyMap<string, string>): Uint8Array {
    const out = new ByteWriter();
    writeMetadata(
      out,
      {
        version: 1,
        schema: [
          { name: "arrow_schema", num_children: this.columns.length },
          ...this.columns.map(({ name, type }): SchemaElement => ({
            name,
            repetition_type: "OPTIONAL",
            ...ELEMENTS[type],
          })),
        ],
        num_rows: BigInt(this.rows),
        key_value_metadata: [...metadata].map(([key, value]) => ({ key, value })),
        created_by: this.createdBy,
        metadata_length: 0,
        row_groups: this.groups,
      },
      // Bounds are not cut: a reader knows by them what a column of one text holds.
      Infinity,
    );
    out.appendBytes(MAGIC);
    return out.getBytes();
  }
}

const TYPES = { texts: "BYTE_ARRAY", doubles: "DOUBLE", integers: "INT64" } as const;

const compress = snappyCompressor();

/**
 * Writes a column chunk: a dictionary page where it makes the chunk smaller, and a data page of the first kind, which
 * every reader knows, both compressed with Snappy.
 * @param name of the column
 * @param out its position is that in the file less `shift`
 */
export function writeChunk(name: string, column: ColumnCodes, out: ByteWriter, shift: number): ColumnChunk {
  const { codes, nulls, values } = column;
  const start = out.offset;
  const present = nulls === 0 ? codes : codes.filter((code) => code !== NULL_CODE);
  const size = values.kind === "texts" ? values.texts.length : values.numbers.length;
  const bits = size <= 1 ? 0 : 32 - Math.clz32(size - 1);
  // Texts repeat; a number that does not takes its eight bytes only once without a dictionary.
  const repeats = values.kind === "texts" || 8 * size + (present.length * bits) / 8 < 8 * present.length;
  const encoding: Encoding = repeats && present.length > 0 ? "RLE_DICTIONARY" : "PLAIN";
  let uncompressed = 0;
  if (encoding === "RLE_DICTIONARY") {
    const dictionary = new ByteWriter();
    writeValues(dictionary, values);
    uncompressed += writePage(out, dictionary, (sizes) => ({
      type: "DICTIONARY_PAGE",
      ...sizes,
      dictionary_page_header: { num_values: size, encoding: "PLAIN" },
    }));
  }
  const dataStart = out.offset;
  const page = new ByteWriter(2 * codes.length);
  writeLevels(page, codes, nulls);
  if (encoding === "PLAIN") writeValues(page, values, present);
  else {
    page.appendUint8(bits);
    writeRleBitPackedHybrid(page, present, bits);
  }
  uncompressed += writePage(out, page, (sizes) => ({
    type: "DATA_PAGE",
    ...sizes,
    data_page_header: {
      num_values: codes.length,
      encoding,
      definition_level_encoding: "RLE",
      repetition_level_encoding: "RLE",
    },
  }));
  return {
    file_offset: BigInt(start + shift),
    meta_data: {
      type: TYPES[values.kind],
      encodings: encoding === "PLAIN" ? ["PLAIN", "RLE"] : ["PLAIN", "RLE", encoding],
      path_in_schema: [name],
      codec: "SNAPPY",
      num_values: BigInt(codes.length),
      total_uncompressed_size: BigInt(uncompressed),
      total_compressed_size: BigInt(out.offset - start),
      data_page_offset: BigInt(dataStart + shift),
      ...(dataStart > start ? { dictionary_page_offset: BigInt(start + shift) } : {}),
      statistics: { null_count: BigInt(nulls), ...boundsOf(values) },
    },
  };
}

/** All values one after the other, or those of these codes. */
function writeValues(page: ByteWriter, values: ColumnValues, codes?: Int32Array): void {
  if (values.kind === "texts") {
    writePlain(page, [...values.texts], "BYTE_ARRAY", undefined);
    return;
  }
  const numbers =
    codes === undefined ? values.numbers : Float64Array.from(codes, (code) => values.numbers[code] ?? NaN);
  if (values.kind === "doubles") writePlain(page, numbers, "DOUBLE", undefined);
  else
    writePlain(
      page,
      BigInt64Array.from(numbers, (n) => values.origin + BigInt(n)),
      "INT64",
      undefined,
    );
}

/** Which rows have a value. */
function writeLevels(page: ByteWriter, codes: Int32Array, nulls: number): void {
  const levels = new ByteWriter();
  if (nulls > 0 && nulls < codes.length) {
    writeRleBitPackedHybrid(
      levels,
      codes.map((code) => (code === NULL_CODE ? 0 : 1)),
      1,
    );
  } else {
    levels.appendVarInt(2 * codes.length);
    levels.appendUint8(nulls === 0 ? 1 : 0);
  }
  page.appendUint32(levels.offset);
  page.appendBytes(levels.getBytes());
}

interface PageSizes {
  readonly uncompressed_page_size: number;
  readonly compressed_page_size: number;
}

/** @returns bytes of header and page before compression */
function writePage(
  out: ByteWriter,
  page: ByteWriter,
  header: (sizes: PageSizes) => Parameters<typeof writePageHeader>[1],
): number {
  const compressed = compress(page.getBytes());
  const start = out.offset;
  writePageHeader(out, header({ uncompressed_page_size: page.offset, compressed_page_size: compressed.length }));
  const headerBytes = out.offset - start;
  out.appendBytes(compressed);
  return headerBytes + page.offset;
}

/** Every value is in some row. Of zeros the least is −0 and the greatest 0, as the format asks. */
function boundsOf(values: ColumnValues): Statistics {
  const bounds = values.kind === "texts" ? textBounds(values.texts) : numberBounds(values);
  return bounds === undefined ? {} : { ...bounds, is_min_value_exact: true, is_max_value_exact: true };
}

function numberBounds(values: Exclude<ColumnValues, { readonly kind: "texts" }>): Statistics | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const number of values.numbers) {
    if (number < low) low = number;
    if (number > high) high = number;
  }
  if (high < low) return undefined;
  if (values.kind === "integers")
    return { min_value: values.origin + BigInt(low), max_value: values.origin + BigInt(high) };
  return { min_value: low === 0 ? -0 : low, max_value: high === 0 ? 0 : high };
}

/** By their UTF-8 bytes, which is by code points. */
function textBounds(texts: readonly string[]): Statistics | undefined {
  const [first, ...others] = texts;
  if (first === undefined) return undefined;
  let [min_value, max_value] = [first, first];
  for (const text of others) {
    if (precedes(text, min_value)) min_value = text;
    else if (precedes(max_value, text)) max_value = text;
  }
  return { min_value, max_value };
}

function precedes(a: string, b: string): boolean {
  const [one, other] = [[...a], [...b]];
  const at = one.findIndex((character, i) => character !== other[i]);
  return at < 0 ? one.length < other.length : (one[at]?.codePointAt(0) ?? 0) < (other[at]?.codePointAt(0) ?? -1);
}

/** Continuation mark and length. */
const PREFIX_BYTES = 8;

/**
 * The Arrow schema that a file's metadata carry under `ARROW:schema`, there in base64: plain strings, which Arrow
 * readers do not take for categories.
 */
export function arrowSchema(columns: readonly ParquetColumn[]): Uint8Array {
  const fields = columns.map(
    ({ name, type }) =>
      new Field(name, type === "string" ? new Utf8() : type === "int64" ? new Int64() : new Float64(), true),
  );
  const stream = tableToIPC(new Table(new Schema(fields)), "stream");
  const length = new DataView(stream.buffer, stream.byteOffset, stream.byteLength).getInt32(4, true);
  return stream.subarray(0, PREFIX_BYTES + length);
}
