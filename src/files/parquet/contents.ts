import { parquetMetadata } from "hyparquet/src/metadata.js";
import type { ColumnChunk, ColumnMetaData, FileMetaData, SchemaElement } from "hyparquet/src/types.js";
import { isText, TIME } from "../../core/artifacts/parquet/columns.js";
import { messageOf } from "../../core/text/errors.js";

/** A text that writers do not cut in statistics, whether they say so or not. */
const SHORT = 48;

export interface ParquetContent {
  readonly rows: number;
  readonly metadata: ReadonlyMap<string, string>;
  readonly columns: readonly string[];
}

export interface ParquetGroup {
  readonly rows: number;
  readonly chunks: ReadonlyMap<string, ParquetChunk>;
}

/** One column in one row group. */
export interface ParquetChunk {
  readonly metadata: ColumnMetaData;
  readonly element: SchemaElement;
  readonly start: number;
  readonly end: number;
  /** What all its rows hold, when the file's statistics tell: a text, or null for nothing at all. */
  readonly only: string | null | undefined;
}

/**
 * What a file says of itself.
 * @param footer footer and tail
 * @throws Error when they are none, or speak of more than there is
 */
export function parseFooter(
  footer: Uint8Array,
  size: number,
): { content: ParquetContent; groups: readonly ParquetGroup[] } {
  const about = readMetadata(footer);
  const elements = about.schema.filter(({ num_children }) => num_children === undefined);
  const groups = about.row_groups.map(({ num_rows, columns }) => {
    const rows = Number(num_rows);
    return { rows, chunks: new Map(columns.map((chunk, i) => chunkOf(chunk, elements[i], rows))) };
  });
  let end = 0;
  for (const { chunks } of groups) for (const chunk of chunks.values()) end = Math.max(end, chunk.end);
  if (end > size - footer.length)
    throw new Error(`its footer refers to data up to byte ${end}, but they end at byte ${size - footer.length}`);
  return {
    content: {
      rows: Number(about.num_rows),
      metadata: new Map((about.key_value_metadata ?? []).map(({ key, value = "" }) => [key, value])),
      columns: elements.map(({ name }) => name),
    },
    groups,
  };
}

function readMetadata(footer: Uint8Array): FileMetaData {
  try {
    return parquetMetadata(footer, { geoparquet: false });
  } catch (error) {
    throw new Error(`its footer cannot be read (${messageOf(error)})`, {
      cause: error,
    });
  }
}

function chunkOf(
  { meta_data: metadata }: ColumnChunk,
  element: SchemaElement | undefined,
  rows: number,
): readonly [string, ParquetChunk] {
  if (metadata === undefined || element === undefined) throw new Error("its footer lacks a column's metadata");
  const { dictionary_page_offset: dictionary, data_page_offset: data, path_in_schema: path } = metadata;
  // A dictionary page stands before the data pages; a writer may leave its offset at 0.
  const start = Number(dictionary !== undefined && dictionary > 0n && dictionary < data ? dictionary : data);
  const name = path.join(".");
  const end = start + Number(metadata.total_compressed_size);
  if (!(start >= 0 && end >= start))
    throw new Error(`its footer gives column ${name} ${end - start} bytes at ${start}`);
  return [name, { metadata, element, start, end, only: onlyOf(name, metadata, rows) }];
}

function onlyOf(column: string, { statistics }: ColumnMetaData, rows: number): string | null | undefined {
  if (statistics === undefined) return undefined;
  const { null_count: nulls, min_value: min, max_value: max, is_max_value_exact: exact } = statistics;
  if (nulls !== undefined && nulls > 0n) return nulls === BigInt(rows) && column !== TIME ? null : undefined;
  if (!isText(column) || typeof min !== "string" || min !== max) return undefined;
  // A writer may cut long texts; it says so, or only short ones are sure to be whole.
  return (exact ?? min.length < SHORT) ? min : undefined;
}
