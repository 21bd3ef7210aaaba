import { UserError } from "../../core/text/user-error.js";
import { TIME } from "../../core/artifacts/parquet/columns.js";
import { ColumnDecoder, type DecodedRows } from "../../core/artifacts/parquet/decode.js";
import { pageSizes } from "../../core/artifacts/parquet/page-sizes.js";
import { checkSize, footerStart, TAIL_BYTES } from "../../core/artifacts/parquet/tail.js";
import { bytesOnDisk, memoryFor, MIB, tooMuchMemory } from "../memory.js";
import type { Reach, RegularFile } from "../opener.js";
import { openSeekable } from "../packed.js";
import { COMPRESSORS } from "./compressors.js";
import { parseFooter, SHORT, type ParquetChunk, type ParquetContent, type ParquetGroup } from "./contents.js";

/** Bytes between two wanted parts of a file that are read along with them. */
const READ_ACROSS = 1 << 16;
/** Bytes read at a time at the most, unless one row group has more. */
const READ_TOGETHER = 1 << 23;
const ASCII = /^[\0-\x7f]*$/;

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
 * (299 kB of 154 row groups in 10 ms; a Thrift reader of our own took 30 ms).
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

  /** False when the file's statistics rule out that a column has this text in a row group. */
  mayHold(group: ParquetGroup, column: string, text: string): boolean {
    const statistics = group.chunks.get(column)?.metadata.statistics;
    const { min_value: min, max_value: max, is_max_value_exact: exact } = statistics ?? {};
    if (typeof min !== "string" || typeof max !== "string") return true;
    // Beyond ASCII JavaScript sorts otherwise than Parquet. What a writer cut off may only make the least text less.
    if (![min, max, text].every((one) => ASCII.test(one))) return true;
    return min <= text && (text <= max || !(exact ?? max.length < SHORT));
  }

  /**
   * Reads columns of row groups, group by group; the rows of one are overwritten by those of the next.
   * @throws UserError for pages that cannot be decoded; the signal's reason
   */
  async *read(
    groups: readonly number[],
    columns: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<DecodedRows> {
    const decoder = new ColumnDecoder(COMPRESSORS);
    const memory = new PageMemory();
    for (let from = 0; from < groups.length;) {
      signal?.throwIfAborted();
      const together = this.together(groups, from, columns);
      from += together.length;
      const stretches = await this.stretchesOf(
        together.flatMap(({ read }) => read),
        memory,
      );
      for (const { index, rows, known, read } of together) {
        signal?.throwIfAborted();
        try {
          this.checkMemory(rows, read, stretches);
          const decoded = new Map(known.map(({ name, only }) => [name, decoder.known(name, only, rows)]));
          for (const part of read) {
            const { name, chunk } = part;
            decoded.set(name, decoder.column(name, rows, { ...chunk, pages: pagesOf(part, stretches) }));
          }
          yield { rows, columns: decoded };
        } catch (error) {
          throw damaged(this.path, error, `row group ${index + 1} of ${this.groups.length}: `);
        }
      }
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** The next row groups to be read with one look at the disk, and of each what is to be decoded. */
  private together(groups: readonly number[], from: number, columns: readonly string[]): GroupPlan[] {
    const plans: GroupPlan[] = [];
    let bytes = 0;
    for (let i = from; i < groups.length; i++) {
      const plan = this.planOf(groups[i] ?? -1, columns);
      for (const { start, end } of plan.read) bytes += end - start;
      if (plans.length > 0 && bytes > READ_TOGETHER) break;
      plans.push(plan);
    }
    return plans;
  }

  /**
   * The columns of a row group that hold one text, or nothing at all, by the file's statistics are known: in a group of
   * one metric that is most of them, and they need not be read.
   */
  private planOf(index: number, columns: readonly string[]): GroupPlan {
    const { rows, chunks } = this.groups[index] ?? { rows: 0, chunks: new Map<string, ParquetChunk>() };
    const known: { name: string; only: string | null }[] = [];
    const read: ColumnRange[] = [];
    for (const name of columns) {
      const chunk = chunks.get(name);
      if (chunk === undefined) throw damaged(this.path, new Error(`row group ${index + 1} has no column ${name}`));
      if (chunk.only === undefined) read.push({ name, chunk, start: chunk.start, end: chunk.end });
      else known.push({ name, only: chunk.only });
    }
    return { index, rows, known, read };
  }

  /**
   * A row group is decoded in one go, in which nothing can look at the memory: what it takes at most is known before.
   * @throws UserError with code "memory"
   */
  private checkMemory(rows: number, parts: readonly ColumnRange[], stretches: readonly Stretch[]): void {
    if (this.allowedBytes === Infinity) return;
    let needed = CODE_BYTES * rows * (parts.length + KNOWN_COLUMNS);
    for (const part of parts) {
      const { total, largest } = pageSizes(pagesOf(part, stretches));
      needed += TEXT_SHARE * total + PAGE_COPIES * largest;
    }
    if (needed > this.allowedBytes) throw tooMuchMemory(this.path, this.allowedBytes);
  }

  private async stretchesOf(parts: readonly ColumnRange[], memory: PageMemory): Promise<readonly Stretch[]> {
    const ranges = joined(parts);
    const rooms = memory.rooms(ranges.map(({ start, end }) => end - start));
    return Promise.all(
      ranges.map(async ({ start, end }, i) => ({ start, end, bytes: await this.bytesOf(start, end, rooms[i]) })),
    );
  }

  private async bytesOf(start: number, end: number, bytes = new Uint8Array(end - start)): Promise<Uint8Array> {
    for (let done = 0; done < bytes.length;) {
      const bytesRead = await this.file.read(bytes.subarray(done), start + done);
      if (bytesRead === 0) throw damaged(this.path, new Error(`it ends at byte ${start + done}, within its pages`));
      done += bytesRead;
    }
    return bytes;
  }
}

/** Where pages lie until they are decoded. */
class PageMemory {
  private bytes = new Uint8Array(0);

  /** Rooms of these sizes; those that were there before are given up. */
  rooms(sizes: readonly number[]): readonly Uint8Array<ArrayBuffer>[] {
    const total = sizes.reduce((sum, size) => sum + size, 0);
    // Each look at the disk wants a little more than the one before.
    if (this.bytes.length < total) this.bytes = new Uint8Array(Math.ceil(total / MIB) * MIB);
    let at = 0;
    return sizes.map((size) => this.bytes.subarray(at, (at += size)));
  }
}

interface GroupPlan {
  readonly index: number;
  readonly rows: number;
  readonly known: readonly { readonly name: string; readonly only: string | null }[];
  readonly read: readonly ColumnRange[];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A column of a row group that is to be read. */
interface ColumnRange extends Range {
  readonly name: string;
  readonly chunk: ParquetChunk;
}

interface Stretch extends Range {
  readonly bytes: Uint8Array;
}

/** What a row takes of each column that is decoded, and of those that are known without. */
const CODE_BYTES = 4;
const KNOWN_COLUMNS = 2;
/** A text may take two bytes for one. */
const TEXT_SHARE = 2;
/** A page that is decoded lies there unpacked, and once more with room behind it. */
const PAGE_COPIES = 3;

function pagesOf({ start, end }: ColumnRange, stretches: readonly Stretch[]): Uint8Array {
  const stretch = stretches.find((one) => one.start <= start && end <= one.end);
  return stretch?.bytes.subarray(start - stretch.start, end - stretch.start) ?? new Uint8Array(0);
}

/** Joins what lies close together: one long read takes less than many short ones. */
function joined(parts: readonly Range[]): Range[] {
  const ranges: Range[] = [];
  for (const { start, end } of [...parts].sort((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last === undefined || start > last.end + READ_ACROSS) ranges.push({ start, end });
    else ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, end) };
  }
  return ranges;
}

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
