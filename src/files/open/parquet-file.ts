import { open, type FileHandle } from "node:fs/promises";
import {
  chunkRange,
  COLUMN,
  CHUNK,
  describeFooter,
  encoded,
  FILE,
  int,
  MAGIC,
  ROW_GROUP,
  struct,
  TAIL_BYTES,
  text,
  type ParquetInspection,
} from "../parquet/footer.js";
import { readStruct, type ThriftStruct, type ThriftValue } from "../parquet/thrift.js";
import { describeFileError, FileError } from "../failure.js";
import { decodeColumns, isText, withConstants, type ColumnChunk, type DecodedRows } from "./parquet-decode.js";

/** Rows decoded together at the most. */
const ROWS_AT_ONCE = 1 << 19;
/** Bytes between two wanted parts of a file that are read along with them. */
const READ_ACROSS = 1 << 16;
// Field ids of a column's statistics in parquet.thrift.
const MAX_VALUE = 5;
const MIN_VALUE = 6;
const NULL_COUNT = 3;
const MAX_IS_EXACT = 7;
const SHORT = 48;

export interface ParquetGroup {
  readonly rows: number;
  readonly chunks: ReadonlyMap<string, ParquetChunk>;
}

/** One column in one row group. */
interface ParquetChunk {
  /** As the footer says it, in Thrift: decoded, those of a large file would weigh more than its samples. */
  readonly encoded: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** What all its rows hold, when the file's statistics tell: a text, or null for nothing at all. */
  readonly only: string | null | undefined;
  /** Greatest value of `timestamp_ns`. */
  readonly latest: bigint | undefined;
}

/** A Parquet file of which only what is asked for is read: some columns of some row groups. */
export class ParquetFile {
  private constructor(
    readonly path: string,
    readonly size: number,
    private readonly file: FileHandle,
    readonly about: ParquetInspection,
    private readonly footer: ThriftStruct,
    readonly groups: readonly ParquetGroup[],
  ) {}

  /** Reads the footer. @throws FileError saying what is wrong with the file, and where */
  static async open(path: string): Promise<ParquetFile> {
    const file = await open(path).catch((error: unknown) => {
      throw describeFileError(path, error, "read");
    });
    try {
      const { size } = await file.stat();
      const bytes = await readFooter(file, size);
      const footer = readStruct(bytes, FILE.rowGroups);
      const groups = encoded(footer.fields.get(FILE.rowGroups)).map((group) => groupOf(group));
      let end = 0;
      for (const { chunks } of groups) for (const chunk of chunks.values()) end = Math.max(end, chunk.end);
      if (end > size - TAIL_BYTES - bytes.length)
        throw new Error(
          `its footer speaks of data up to byte ${end}, but they end at byte ${size - TAIL_BYTES - bytes.length}`,
        );
      return new ParquetFile(
        path,
        size,
        file,
        { ...describeFooter(footer), rowGroups: groups.map(({ rows }) => rows) },
        footer,
        groups,
      );
    } catch (error) {
      await file.close();
      throw damaged(path, error);
    }
  }

  /** The latest `timestamp_ns`, when the file's statistics tell. */
  latestTime(): bigint | undefined {
    let latest: bigint | undefined;
    for (const { chunks } of this.groups) {
      const time = chunks.get("timestamp_ns")?.latest;
      if (time !== undefined && (latest === undefined || time > latest)) latest = time;
    }
    return latest;
  }

  /** The one text that a column has in all rows of a row group, when the file's statistics tell so. */
  onlyText(group: ParquetGroup, column: string): string | undefined {
    return group.chunks.get(column)?.only ?? undefined;
  }

  /**
   * Reads columns of row groups, a piece at a time: a piece ends where a row group does.
   * @throws FileError for pages that cannot be decoded; the signal's reason
   */
  async *read(
    groups: readonly number[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<DecodedRows> {
    for (let from = 0; from < groups.length;) {
      signal?.throwIfAborted();
      const together: number[] = [];
      const known = this.knownOf(groups[from], columns);
      for (let rows = 0; from < groups.length; from++) {
        const next = this.groups[groups[from] ?? -1]?.rows ?? 0;
        if (
          together.length > 0 &&
          (rows + next > ROWS_AT_ONCE || !sameKnown(known, this.knownOf(groups[from], columns)))
        )
          break;
        rows += next;
        together.push(groups[from] ?? 0);
      }
      const read = columns.filter((column) => !known.has(column));
      let decoded: readonly DecodedRows[];
      try {
        decoded = await decodeColumns(this.footer, await this.chunksOf(together, read), read);
      } catch (error) {
        throw damaged(this.path, error, `row group ${(together[0] ?? 0) + 1} of ${this.groups.length}: `);
      }
      for (const rows of decoded) yield withConstants(rows, known);
    }
  }

  /**
   * The columns of a row group that hold one text, or nothing at all, by the file's statistics: in a group of one
   * metric that is most of them, and they need not be read. One column is always left.
   */
  private knownOf(index: number | undefined, columns: readonly string[]): ReadonlyMap<string, string | null> {
    const known = new Map<string, string | null>();
    const group = this.groups[index ?? -1];
    if (group === undefined) return known;
    for (const column of columns) {
      const only = group.chunks.get(column)?.only;
      if (only !== undefined && known.size + 1 < columns.length) known.set(column, only);
    }
    return known;
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  private async chunksOf(
    groups: readonly number[],
    columns: readonly string[],
  ): Promise<readonly (readonly ColumnChunk[])[]> {
    const wanted = groups.map((index) =>
      columns.map((column) => {
        const group = this.groups[index];
        const chunk = group?.chunks.get(column);
        if (group === undefined || chunk === undefined) throw new Error(`it has no column ${column}`);
        return { chunk: readStruct(chunk.encoded), rows: group.rows, column, start: chunk.start, end: chunk.end };
      }),
    );
    const stretches = await Promise.all(
      stretchesOf(wanted.flat()).map(async (stretch) => ({ ...stretch, bytes: await this.bytesOf(stretch) })),
    );
    return wanted.map((chunks) =>
      chunks.map(({ chunk, rows, start, end }) => {
        const stretch = stretches.find((one) => one.start <= start && end <= one.end);
        return {
          chunk,
          start,
          rows,
          bytes: stretch?.bytes.subarray(start - stretch.start, end - stretch.start) ?? new Uint8Array(0),
        };
      }),
    );
  }

  private async bytesOf({ start, end, column }: Stretch): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    for (let done = 0; done < bytes.length;) {
      const { bytesRead } = await this.file.read(bytes, done, bytes.length - done, start + done);
      if (bytesRead === 0) throw new Error(`it ends at byte ${start + done}, within column ${column}`);
      done += bytesRead;
    }
    return bytes;
  }
}

/** A part of the file, and the first column in it. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly column: string;
}

/** Joins what lies close together: one long read takes less than many short ones. */
function stretchesOf(parts: readonly Stretch[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const part of [...parts].sort((a, b) => a.start - b.start)) {
    const last = stretches.at(-1);
    if (last === undefined || part.start > last.end + READ_ACROSS) stretches.push(part);
    else stretches[stretches.length - 1] = { ...last, end: Math.max(last.end, part.end) };
  }
  return stretches;
}

function sameKnown(a: ReadonlyMap<string, string | null>, b: ReadonlyMap<string, string | null>): boolean {
  return a.size === b.size && [...a].every(([column, only]) => b.get(column) === only);
}

async function readFooter(file: FileHandle, size: number): Promise<Uint8Array> {
  if (size === 0) throw new Error("it is empty");
  if (size < MAGIC.length + TAIL_BYTES) throw new Error(`it has ${size} bytes, too few for a Parquet file`);
  const tail = Buffer.alloc(TAIL_BYTES);
  await file.read(tail, 0, TAIL_BYTES, size - TAIL_BYTES);
  if (!tail.subarray(4).equals(MAGIC))
    throw new Error(
      `its last four bytes (from byte ${size - 4}) should be PAR1: it was cut short, or is no Parquet file`,
    );
  const length = tail.readUInt32LE(0);
  if (length > size - MAGIC.length - TAIL_BYTES)
    throw new Error(`its footer of ${length} bytes is larger than the file`);
  const footer = Buffer.alloc(length);
  await file.read(footer, 0, length, size - TAIL_BYTES - length);
  return footer;
}

function groupOf(bytes: Uint8Array): ParquetGroup {
  const group = readStruct(bytes, ROW_GROUP.columns);
  const rows = Number(int(group, ROW_GROUP.rows));
  return { rows, chunks: new Map(encoded(group.fields.get(ROW_GROUP.columns)).map((chunk) => chunkOf(chunk, rows))) };
}

function chunkOf(bytes: Uint8Array, rows: number): readonly [string, ParquetChunk] {
  const chunk = readStruct(bytes);
  const { fields } = struct(chunk.fields.get(CHUNK.metadata));
  const path = fields.get(COLUMN.path);
  const name = path?.kind === "list" ? path.items.map((item) => text(item)).join(".") : "";
  const found = fields.get(COLUMN.statistics);
  const statistics = found?.kind === "struct" ? found.fields : new Map<number, ThriftValue>();
  return [
    name,
    {
      encoded: bytes,
      ...chunkRange(chunk),
      only: onlyOf(name, statistics, rows),
      latest: name === "timestamp_ns" ? latestOf(statistics) : undefined,
    },
  ];
}

function onlyOf(column: string, statistics: ReadonlyMap<number, ThriftValue>, rows: number): string | null | undefined {
  const nulls = statistics.get(NULL_COUNT);
  if (nulls?.kind === "integer" && nulls.value > 0n) return nulls.value === BigInt(rows) ? null : undefined;
  const [max, min, exact] = [MAX_VALUE, MIN_VALUE, MAX_IS_EXACT].map((field) => statistics.get(field));
  if (!isText(column) || max?.kind !== "binary" || min?.kind !== "binary" || !sameBytes(max.bytes, min.bytes))
    return undefined;
  const only = text(min);
  // A writer may cut long texts; it says so, or only short ones are sure to be whole.
  return exact?.kind === "bool" ? (exact.value ? only : undefined) : only.length < SHORT ? only : undefined;
}

function latestOf(statistics: ReadonlyMap<number, ThriftValue>): bigint | undefined {
  const max = statistics.get(MAX_VALUE);
  return max?.kind === "binary" && max.bytes.length === 8
    ? new DataView(max.bytes.buffer, max.bytes.byteOffset, 8).getBigInt64(0, true)
    : undefined;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function damaged(path: string, error: unknown, where = ""): FileError {
  if (error instanceof FileError) return error;
  // What trips WebAssembly ("unreachable", "memory access out of bounds") says nothing to a person.
  const message =
    error instanceof Error
      ? error.name === "RuntimeError"
        ? "its pages cannot be decoded"
        : error.message
      : String(error);
  return new FileError(
    `${path} cannot be read as Parquet: ${where}${message}.`,
    "Open another format of the same run, or write the file again.",
  );
}
