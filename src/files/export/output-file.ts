import { open, type FileHandle } from "node:fs/promises";

/** Bytes gathered before they are handed to the disk. */
const BUFFER_BYTES = 1 << 18;
/** Of a code unit in UTF-8, at most. */
const UNIT_BYTES = 3;

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

/**
 * Writes a file and makes sure that it has reached the disk. Texts are encoded into one buffer: joining them first
 * takes twice the processor time.
 * @throws the file system's error; what the pieces throw; the signal's reason
 */
export async function writePieces(
  path: string,
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const file = await open(path, "w");
  try {
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    let length = 0;
    for await (const piece of pieces) {
      const isSmall = typeof piece === "string" && piece.length * UNIT_BYTES <= BUFFER_BYTES;
      if (!isSmall || piece.length * UNIT_BYTES > BUFFER_BYTES - length) {
        await writeAll(file, buffer.subarray(0, length));
        length = 0;
        signal?.throwIfAborted();
      }
      if (isSmall) length += buffer.write(piece, length);
      else await writeAll(file, typeof piece === "string" ? Buffer.from(piece) : piece);
    }
    signal?.throwIfAborted();
    await writeAll(file, buffer.subarray(0, length));
    await file.sync();
  } finally {
    await file.close();
  }
}
