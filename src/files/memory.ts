import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { UserError } from "../core/text/errors.js";
import { grouped } from "../core/text/plural.js";

export interface MemoryOptions {
  readonly signal?: AbortSignal;
  /** What reading a file may take, or more as `memoryFor` has it; absent: as much as there is. */
  readonly memoryMiB?: number;
}

export const MIB = 1024 ** 2;
const LOOK_MS = 20;
/** Large files may need more: a file of metrics takes a few times its size. */
const BYTES_PER_BYTE = 9;
/** What reading files may take unless a user says otherwise. */
export const USUAL_MEMORY_MIB = 900;
/** Names the option by which a person allows more in this process and its threads, where it is not the setting. */
export const MEMORY_OPTION_VARIABLE = "SERVER_METRICS_MEMORY_OPTION";

/** What a person changes to allow more memory. */
export function memoryOption(): string {
  return process.env[MEMORY_OPTION_VARIABLE] ?? "serverMetrics.memoryLimit in the settings";
}

/**
 * Bytes of memory that reading files may take.
 * @param fileBytes their size
 * @param usual bytes, for files up to a ninth of it
 */
export function memoryFor(fileBytes: number, usual = USUAL_MEMORY_MIB * MIB): number {
  return Math.max(usual, BYTES_PER_BYTE * fileBytes);
}

/** The unit of `Stats.blocks`, whatever the file system's own is. */
const BLOCK_BYTES = 512;

/**
 * Bytes of a file that are there to be read, which is what its size allows it memory for: a sparse file of any size
 * costs who made it nothing. Some file systems know no blocks; the size counts then.
 */
export function bytesOnDisk({ size, blocks }: Pick<Stats, "size" | "blocks">): number {
  return blocks > 0 ? Math.min(size, blocks * BLOCK_BYTES) : size;
}

/**
 * Reads a file, and gives it up once it takes more memory than it may: a file from elsewhere may be made to need any
 * amount. What counts is the memory that this thread gains; in a process that is there to read files, all that it
 * holds. Reading has to check the signal.
 * @throws UserError with code "memory"; what `read` throws
 */
export async function withinMemory<Options extends MemoryOptions, T>(
  path: string,
  options: Options,
  read: (options: Options) => Promise<T>,
): Promise<T> {
  const { memoryMiB, signal } = options;
  if (memoryMiB === undefined) return read(options);
  const allowed = memoryFor(await sizeOf(path), memoryMiB * MIB);
  const before = (isReadingProcess ? threadAtStart : heldBytes()) - Math.min(heldAtStart, MAX_BEFORE * allowed);
  const controller = new AbortController();
  const timer = setInterval(() => {
    const gained = heldBytes() - before;
    // Small buffers take more than they are counted for; only a process of its own can tell whose they are.
    const isFull = isReadingProcess && gained > (3 / 4) * allowed && process.memoryUsage.rss() > allowed;
    if (gained > allowed || isFull) controller.abort(tooMuchMemory(path, allowed));
  }, LOOK_MS);
  const signals = [controller.signal, ...(signal === undefined ? [] : [signal])];
  try {
    return await read({ ...options, signal: AbortSignal.any(signals) });
  } finally {
    clearInterval(timer);
  }
}

/**
 * Of this thread's own: the pages of its heap, garbage included, and its buffers. Those are part of what is external,
 * but V8's count of that lags behind, by half where many are made.
 */
function heldBytes(): number {
  const { heapTotal, external, arrayBuffers } = process.memoryUsage();
  return heapTotal + Math.max(external, arrayBuffers);
}

/** Set where a process is there to read files: what it holds besides counts, too. */
export const READING_PROCESS_VARIABLE = "SERVER_METRICS_READING_PROCESS";
const isReadingProcess = process.env[READING_PROCESS_VARIABLE] !== undefined;
/** What this thread held before it read its first file, and what counts of the process for that. */
const threadAtStart = heldBytes();
const heldAtStart = isReadingProcess ? process.memoryUsage.rss() : threadAtStart;
/** The share of a limit that may go for what was held before there was a file: a small limit is one for files. */
const MAX_BEFORE = 1 / 8;

/** What cannot be read has an error of its own when it is opened. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (entry) => (entry.isFile() ? bytesOnDisk(entry) : 0),
    () => 0,
  );
}

/** @param allowed bytes that reading the file may take */
export function tooMuchMemory(path: string, allowed: number): UserError {
  return new UserError(
    `${path} needs more than ${grouped(Math.round(allowed / MIB))} MiB of memory, so it is not read.`,
    `If you trust what is in there, allow more memory (${memoryOption()}).`,
    { code: "memory" },
  );
}
