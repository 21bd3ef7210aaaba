import { UserError } from "../../core/text/errors.js";
import { TIME } from "../../core/artifacts/parquet/columns.js";
import {
  ColumnDecoder,
  type DecodedColumn,
  type DecodedRows,
  type EncodedColumn,
  pageSizes,
} from "../../core/artifacts/parquet/decode.js";
import { checkSize, footerStart, TAIL_BYTES } from "../../core/artifacts/parquet/tail.js";
import { bytesOnDisk, memoryFor, MIB, tooMuchMemory } from "../memory.js";
import type { Reach, RegularFile } from "../opener.js";
import { openSeekable } from "../packed.js";
import { COMPRESSORS, READ_HERE } from "./compressors.js";
import { parseFooter, type ParquetChunk, type ParquetContent, type ParquetGroup } from "./contents.js";
import { loadParquetWasm } from "./wasm.js";

/** What a Parquet file says of itself, from its footer alone. @throws UserError saying what is wrong with the file */
export async function inspectParquet(path: string, reach: Reach = {}): Promise<ParquetContent> {
  const file = await ParquetFile.open(path, reach);
  await file.close();
  return file.content;
}

interface ParquetOptions extends Reach {
  /** That reading may take, or more as `memoryFor` has it; absent: as much as there is. */
  readonly memoryMiB?: number;
}

/**
 * A Parquet file of which only what is asked for is read: some columns of some row groups. hyparquet reads the footer
 * (299 kB of 154 row groups in 10 ms; a Thrift reader of our own took 30 ms). Row groups packed with LZ4 are written
 * anew by parquet-wasm, which knows every compression.
 */
export class ParquetFile {
  private constructor(
    readonly path: string,
    readonly size: number,
    private readonly file: RegularFile,
    readonly content: ParquetContent,
    readonly groups: readonly ParquetGroup[],
    private readonly allowedBytes: number,
  ) {}

  /**
   * Reads the footer.
   * @throws UserError saying what is wrong with the file, and where
   */
  static async open(path: string, { memoryMiB = Infinity, ...reach }: ParquetOptions): Promise<ParquetFile> {
    const file = await openSeekable(path, reach);
    try {
      const { size } = file;
      const { content, groups } = parseFooter(await readFooter(file), size);
      return new ParquetFile(path, size, file, content, groups, memoryFor(bytesOnDisk(file.stats), memoryMiB * MIB));
    } catch (error) {
      await file.close();
      throw damaged(path, error);
    }
  }

  /** The latest `timestamp_ns`, when the file's statistics tell. */
  latestTime(): bigint | undefined {
    let latest: bigint | undefined;
    for (const { chunks } of this.groups) {
      const time = chunks.get(TIME)?.metadata.statistics?.max_value;
      if (typeof time === "bigint" && (latest === undefined || time > latest)) latest = time;
    }
    return latest;
  }

  /** The one text that a column has in all rows of a row group, when the file's statistics tell so. */
  onlyText(group: ParquetGroup, column: string): string | undefined {
    return group.chunks.get(column)?.only ?? undefined;
  }

  /**
   * Reads columns of row groups, group by group; the rows of one are overwritten by those of the next.
   * @param origin what times become relative to; absent: the first one
   * @throws UserError for pages that cannot be decoded; the signal's reason
   */
  async *read(
    groups: readonly number[],
    columns: readonly string[],
    signal?: AbortSignal,
    origin?: bigint,
  ): AsyncGenerator<DecodedRows> {
    const decoder = new ColumnDecoder(COMPRESSORS, origin);
    const reading = { decoder, pages: new Uint8Array(0) };
    for (const group of groups) {
      signal?.throwIfAborted();
      const { rows = 0 } = this.groups[group] ?? {};
      try {
        const decoded = await this.decode(group, columns, reading);
        yield { group, rows, origin: decoder.origin ?? 0n, columns: decoded };
      } catch (error) {
        throw damaged(this.path, error, `row group ${group + 1} of ${this.groups.length}: `);
      }
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /**
   * The columns of a row group that hold one text, or nothing at all, by the file's statistics are known: in a group of
   * one metric that is most of them, and they need not be read. The others are read with all that lies between them.
   */
  private async decode(
    group: number,
    names: readonly string[],
    reading: Reading,
  ): Promise<ReadonlyMap<string, DecodedColumn>> {
    const { rows, chunks } = this.groups[group] ?? { rows: 0, chunks: new Map<string, ParquetChunk>() };
    const wanted = names.map((name) => {
      const chunk = chunks.get(name);
      if (chunk === undefined) throw new Error(`it has no column ${name}`);
      return { name, chunk };
    });
    const read = wanted.filter(({ chunk }) => chunk.only === undefined);
    const start = Math.min(...read.map(({ chunk }) => chunk.start));
    const length = read.length === 0 ? 0 : Math.max(...read.map(({ chunk }) => chunk.end)) - start;
    const rowBytes = CODE_BYTES * rows * (read.length + KNOWN_COLUMNS);
    this.checkMemory(rowBytes + length);
    // Each group wants a little more than the one before.
    if (reading.pages.length < length) reading.pages = new Uint8Array(Math.ceil(length / MIB) * MIB);
    const { decoder, pages } = reading;
    await this.fill(pages.subarray(0, length), start);
    const encoded = new Map<string, EncodedColumn>(
      read.map(({ name, chunk }) => [
        name,
        { ...chunk, pages: pages.subarray(chunk.start - start, chunk.end - start) },
      ]),
    );
    const sizes = [...encoded.values()].map((column) => pageSizes(column.pages));
    // A row group is decoded in one go, in which nothing can look at the memory.
    this.checkMemory(
      sizes.reduce((sum, { total, largest }) => sum + TEXT_SHARE * total + PAGE_COPIES * largest, rowBytes),
    );
    const isReadHere = read.every(({ chunk }) => READ_HERE.has(chunk.metadata.codec));
    const columns = isReadHere ? encoded : await this.recompressed(group, [...encoded.keys()]);
    return new Map([
      ...wanted.flatMap(({ name, chunk }) =>
        chunk.only === undefined ? [] : [[name, decoder.known(name, chunk.only, rows)] as const],
      ),
      ...[...columns].map(([name, column]) => [name, decoder.column(name, rows, column)] as const),
    ]);
  }

  /** Columns of a row group as parquet-wasm writes them with Snappy. It takes the whole file. */
  private async recompressed(group: number, names: readonly string[]): Promise<ReadonlyMap<string, EncodedColumn>> {
    const wasm = await loadParquetWasm();
    const whole = new Uint8Array(this.size);
    await this.fill(whole, 0);
    const table = wasm.readParquet(whole, { rowGroups: [group], columns: [...names] });
    const properties = new wasm.WriterPropertiesBuilder()
      .setCompression(wasm.Compression.SNAPPY)
      .setMaxRowGroupSize(2 ** 30)
      .build();
    const written = wasm.writeParquet(table, properties);
    const footer = written.subarray(footerStart(written.subarray(-TAIL_BYTES), written.length));
    const [only] = parseFooter(footer, written.length).groups;
    return new Map(
      [...(only?.chunks ?? [])].map(([name, chunk]) => [
        name,
        { ...chunk, pages: written.subarray(chunk.start, chunk.end) },
      ]),
    );
  }

  /** @throws UserError with code "memory" */
  private checkMemory(needed: number): void {
    if (needed > this.allowedBytes) throw tooMuchMemory(this.path, this.allowedBytes);
  }

  private async fill(bytes: Uint8Array<ArrayBuffer>, start: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const bytesRead = await this.file.read(bytes.subarray(done), start + done);
      if (bytesRead === 0) throw new Error(`it ends at byte ${start + done}, within its pages`);
      done += bytesRead;
    }
  }
}

/** What is used again for each row group. */
interface Reading {
  readonly decoder: ColumnDecoder;
  /** Where pages lie until they are decoded. */
  pages: Uint8Array<ArrayBuffer>;
}

/** What a row takes of each column that is decoded, and of those that are known without. */
const CODE_BYTES = 4;
const KNOWN_COLUMNS = 2;
/** A text may take two bytes for one. */
const TEXT_SHARE = 2;
/** A page that is decoded lies there unpacked, and once more with room behind it. */
const PAGE_COPIES = 3;

/** Footer and tail. */
async function readFooter(file: RegularFile): Promise<Uint8Array> {
  const { size } = file;
  checkSize(size);
  const start = footerStart(await file.bytesAt(size - TAIL_BYTES, TAIL_BYTES), size);
  return file.bytesAt(start, size - start);
}

function damaged(path: string, error: unknown, where = ""): UserError {
  if (error instanceof UserError) return error;
  // What trips WebAssembly ("unreachable", "memory access out of bounds") says nothing to a person.
  const message =
    error instanceof Error
      ? error.name === "RuntimeError" || error instanceof RangeError
        ? "its pages cannot be decoded"
        : error.message
      : String(error);
  return new UserError(
    `${path} cannot be read as Parquet: ${where}${message}.`,
    "Open another format of the same run, or write the file again.",
  );
}
