/**
 * The Parquet artifact's bytes, row group by row group, straight from the store's columns. Own column chunks, because
 * most columns are runs that the run's structure tells; what is in their pages, and the footer, are hyparquet-writer's.
 */
import type { RowGroup as RowGroupEntry, SchemaElement } from "hyparquet/src/types.js";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { writeChunk } from "./column-chunk.js";
import { ColumnCoder } from "./column-codes.js";
import type { ParquetColumn, ParquetColumnType } from "./columns.js";
import type { RowGroup } from "./row-groups.js";
import { MAGIC } from "./tail.js";

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
