import { integer, readStruct, writeStruct, type ThriftStruct, type ThriftValue } from "./thrift.js";

/** A Parquet file ends in its footer, the footer's length (uint32) and this; it also begins with this. */
export const MAGIC = new TextEncoder().encode("PAR1");
/** Footer length and magic. */
export const TAIL_BYTES = 8;

// Field ids of parquet.thrift (parquet-format 2.x).
export const FILE = { schema: 2, rows: 3, rowGroups: 4, keyValues: 5 } as const;
export const SCHEMA_ELEMENT = { name: 4, children: 5 } as const;
export const KEY_VALUE = { key: 1, value: 2 } as const;
export const ROW_GROUP = { columns: 1, rows: 3, fileOffset: 5, ordinal: 7 } as const;
export const CHUNK = {
  fileOffset: 2,
  metadata: 3,
  offsetIndex: 4,
  offsetIndexLength: 5,
  columnIndex: 6,
  columnIndexLength: 7,
} as const;
export const COLUMN = {
  path: 3,
  compressedSize: 7,
  dataPage: 9,
  indexPage: 10,
  dictionaryPage: 11,
  statistics: 12,
  bloomFilter: 14,
  bloomFilterLength: 15,
} as const;

export interface ParquetInspection {
  readonly rows: number;
  readonly metadata: ReadonlyMap<string, string>;
  readonly columns: readonly string[];
  /** Rows of each row group. */
  readonly rowGroups: readonly number[];
}

/** @throws Error when the bytes are no Parquet footer */
export function describeFooter(footer: ThriftStruct): ParquetInspection {
  const metadata = new Map<string, string>();
  for (const entry of structs(footer.fields.get(FILE.keyValues))) {
    metadata.set(text(entry.fields.get(KEY_VALUE.key)), text(entry.fields.get(KEY_VALUE.value)));
  }
  return {
    rows: Number(int(footer, FILE.rows)),
    metadata,
    columns: structs(footer.fields.get(FILE.schema))
      .filter((element) => !element.fields.has(SCHEMA_ELEMENT.children))
      .map((element) => text(element.fields.get(SCHEMA_ELEMENT.name))),
    rowGroups: structs(footer.fields.get(FILE.rowGroups)).map((group) => Number(int(group, ROW_GROUP.rows))),
  };
}

/** Footer of a whole file in memory. */
export function footerOf(file: Uint8Array): ThriftStruct {
  const length = new DataView(file.buffer, file.byteOffset, file.byteLength).getUint32(file.length - TAIL_BYTES, true);
  return readStruct(file.subarray(file.length - TAIL_BYTES - length, file.length - TAIL_BYTES));
}

/**
 * Joins Parquet files of one schema into one whose row groups are theirs. Each is given whole and used up at once, so
 * that a file of any size is written with the memory of one row group. Page indexes and Bloom filters are left out.
 */
export class FooterBuilder {
  private readonly groups: ThriftValue[] = [];
  private rows = 0n;

  /** @returns the bytes of the row groups of `file`, to be written at `offset` of the joined file */
  add(file: Uint8Array, offset: number): Uint8Array {
    const shift = BigInt(offset - MAGIC.length);
    let end = MAGIC.length;
    for (const group of structs(footerOf(file).fields.get(FILE.rowGroups))) {
      const columns = structs(group.fields.get(ROW_GROUP.columns));
      for (const column of columns) end = Math.max(end, chunkRange(column).end);
      const fields = new Map(group.fields);
      fields.set(ROW_GROUP.columns, { kind: "list", type: 12, items: columns.map((column) => moved(column, shift)) });
      fields.set(ROW_GROUP.ordinal, integer(BigInt(this.groups.length), 4));
      // Beyond its 16 bits the ordinal, which is optional, must be left out.
      if (this.groups.length > 32_767) fields.delete(ROW_GROUP.ordinal);
      shiftField(fields, ROW_GROUP.fileOffset, shift);
      this.rows += int(group, ROW_GROUP.rows);
      this.groups.push({ kind: "encoded", bytes: writeStruct({ kind: "struct", fields }) });
    }
    return file.subarray(MAGIC.length, end);
  }

  /**
   * What follows the row groups: the footer of `template`, a file of the same schema without rows, with the groups and
   * the metadata added. Metadata stand in the order given, so that the same run gives the same bytes.
   */
  finish(template: Uint8Array, metadata: ReadonlyMap<string, string>): Uint8Array {
    const fields = new Map(footerOf(template).fields);
    const own = structs(fields.get(FILE.keyValues));
    const added = [...metadata].map(([key, value]): ThriftValue => ({
      kind: "struct",
      fields: new Map([
        [KEY_VALUE.key, binary(key)],
        [KEY_VALUE.value, binary(value)],
      ]),
    }));
    fields.set(FILE.keyValues, { kind: "list", type: 12, items: [...added, ...own] });
    fields.set(FILE.rows, integer(this.rows));
    fields.set(FILE.rowGroups, { kind: "list", type: 12, items: this.groups });
    const footer = writeStruct({ kind: "struct", fields });
    const out = new Uint8Array(footer.length + TAIL_BYTES);
    out.set(footer);
    new DataView(out.buffer).setUint32(footer.length, footer.length, true);
    out.set(MAGIC, footer.length + 4);
    return out;
  }
}

/** Where a column chunk's pages stand in the file, [start, end). */
export function chunkRange(chunk: ThriftStruct): { readonly start: number; readonly end: number } {
  const metadata = struct(chunk.fields.get(CHUNK.metadata));
  const dictionary = metadata.fields.has(COLUMN.dictionaryPage) ? int(metadata, COLUMN.dictionaryPage) : undefined;
  const data = int(metadata, COLUMN.dataPage);
  // A dictionary page stands before the data pages; a writer may leave its offset at 0.
  const start = dictionary !== undefined && dictionary > 0n && dictionary < data ? dictionary : data;
  return { start: Number(start), end: Number(start + int(metadata, COLUMN.compressedSize)) };
}

/** A column chunk whose pages stand `shift` bytes further on. */
export function moved(chunk: ThriftStruct, shift: bigint): ThriftStruct {
  const metadata = new Map(struct(chunk.fields.get(CHUNK.metadata)).fields);
  for (const id of [COLUMN.dataPage, COLUMN.indexPage, COLUMN.dictionaryPage]) shiftField(metadata, id, shift);
  metadata.delete(COLUMN.bloomFilter);
  metadata.delete(COLUMN.bloomFilterLength);
  const fields = new Map(chunk.fields);
  fields.set(CHUNK.metadata, { kind: "struct", fields: metadata });
  shiftField(fields, CHUNK.fileOffset, shift);
  for (const id of [CHUNK.offsetIndex, CHUNK.offsetIndexLength, CHUNK.columnIndex, CHUNK.columnIndexLength])
    fields.delete(id);
  return { kind: "struct", fields };
}

function shiftField(fields: Map<number, ThriftValue>, id: number, shift: bigint): void {
  const value = fields.get(id);
  // 0 stands for "not given".
  if (value?.kind === "integer" && value.value !== 0n) fields.set(id, integer(value.value + shift, value.type));
}

export function structs(value: ThriftValue | undefined): readonly ThriftStruct[] {
  return value?.kind === "list" ? value.items.filter((item) => item.kind === "struct") : [];
}

export function struct(value: ThriftValue | undefined): ThriftStruct {
  if (value?.kind !== "struct") throw new Error("the Parquet footer lacks a column's metadata");
  return value;
}

/** The items of a list that were left encoded. */
export function encoded(value: ThriftValue | undefined): readonly Uint8Array[] {
  return value?.kind === "list" ? value.items.flatMap((item) => (item.kind === "encoded" ? [item.bytes] : [])) : [];
}

export function int({ fields }: ThriftStruct, id: number): bigint {
  const value = fields.get(id);
  if (value?.kind !== "integer") throw new Error(`the Parquet footer lacks its field ${id}`);
  return value.value;
}

export function binary(value: string): ThriftValue {
  return { kind: "binary", bytes: new TextEncoder().encode(value) };
}

const DECODER = new TextDecoder();

export function text(value: ThriftValue | undefined): string {
  return value?.kind === "binary" ? DECODER.decode(value.bytes) : "";
}
