import { open, type FileHandle } from "node:fs/promises";

/** Bytes gathered before they are handed to the disk. */
const BUFFER_BYTES = 1 << 18;
/** Of a code unit in UTF-8, at most. */
const UNIT_BYTES = 3;

/** A file that is written from its beginning to its end. */
export class OutputFile {
  private readonly buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  private length = 0;

  constructor(private readonly file: FileHandle) {}

  /**
   * Adds text. Pieces are encoded into one buffer: joining them first takes twice the processor time.
   * @returns undefined where nothing has to be waited for
   * @throws the file system's error
   */
  add(text: string): Promise<void> | undefined {
    const most = text.length * UNIT_BYTES;
    if (most > BUFFER_BYTES) return this.bytes(Buffer.from(text));
    if (most > BUFFER_BYTES - this.length) return this.flush().then(() => this.put(text));
    this.put(text);
    return undefined;
  }

  /** Adds bytes. @throws the file system's error */
  async bytes(bytes: Uint8Array): Promise<void> {
    await this.flush();
    await writeAll(this.file, bytes);
  }

  /** Writes what is still to be written. @throws the file system's error */
  async flush(): Promise<void> {
    const { length } = this;
    this.length = 0;
    await writeAll(this.file, this.buffer.subarray(0, length));
  }

  private put(text: string): void {
    this.length += this.buffer.write(text, this.length);
  }
}

/**
 * Writes all of the bytes: a full disk may take a part, and say so only at the next.
 * @param at position in the file; behind what was written last when absent
 * @throws the file system's error
 */
export async function writeAll(file: FileHandle, bytes: Uint8Array, at?: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(
      bytes,
      done,
      bytes.length - done,
      at === undefined ? undefined : at + done,
    );
    done += bytesWritten;
  }
}

/** Writes a file through `write` and makes sure that it has reached the disk. @throws what `write` throws */
export async function writeFileWith(path: string, write: (file: OutputFile) => Promise<void>): Promise<void> {
  const handle = await open(path, "w");
  try {
    const file = new OutputFile(handle);
    await write(file);
    await file.flush();
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Streams text into a file and makes sure that it has reached the disk. @throws the signal's reason when aborted */
export async function writePieces(path: string, pieces: Iterable<string>, signal?: AbortSignal): Promise<void> {
  await writeFileWith(path, async (file) => {
    for (const piece of pieces) {
      const waiting = file.add(piece);
      if (waiting === undefined) continue;
      await waiting;
      signal?.throwIfAborted();
    }
    signal?.throwIfAborted();
  });
}
