import { FileError } from "./failure.js";

export interface MemoryOptions {
  readonly signal?: AbortSignal;
  /** What this thread may hold while it reads; absent: as much as there is. */
  readonly memoryMiB?: number;
}

const MIB = 1024 ** 2;
const LOOK_MS = 20;

/**
 * Reads a file, and gives it up once this thread holds more than it may: a file from elsewhere may be made to need any
 * amount of memory. Reading has to look at the signal.
 * @throws FileError with code "memory"; what `read` throws
 */
export async function withinMemory<Options extends MemoryOptions, T>(
  path: string,
  options: Options,
  read: (options: Options) => Promise<T>,
): Promise<T> {
  const { memoryMiB, signal } = options;
  if (memoryMiB === undefined) return read(options);
  const controller = new AbortController();
  const timer = setInterval(() => {
    // Of this thread's own; buffers are part of what is external.
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external > memoryMiB * MIB) controller.abort(tooMuch(path, memoryMiB));
  }, LOOK_MS);
  const signals = [controller.signal, ...(signal === undefined ? [] : [signal])];
  try {
    return await read({ ...options, signal: AbortSignal.any(signals) });
  } finally {
    clearInterval(timer);
  }
}

function tooMuch(path: string, mib: number): FileError {
  return new FileError(
    `${path} needs more than ${mib.toLocaleString("en-US")} MiB of memory, so it is not read.`,
    "If you trust what is in there, allow more memory (serverMetrics.memoryLimit in the settings).",
    "memory",
  );
}
