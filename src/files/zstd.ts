import { ZstdDecoder } from "../core/bytes/zstd-decoder.js";

/** Bytes unpacked at a time. 4 of them may stand for 128 KiB, so this bounds the memory. */
const PIECE = 1024;
/** As zstd's own command line unless it is asked for more. */
const MAX_WINDOW = 128 * 1024 ** 2;
/** That of blocks of 16 KiB, as the highest levels make them, in the largest window. */
const MOVED_PER_BYTE = MAX_WINDOW / (16 * 1024);

/** How unpacking ended: torn when the data ends within a frame, damaged when it cannot be read on. */
export interface UnpackEnd {
  readonly torn: boolean;
  readonly damage?: string;
}

/**
 * Unpacks zstd (RFC 8878), one frame or several, as it comes. All that can be read is given, also of data that is cut
 * off or damaged.
 * @returns through the generator how it ended
 * @throws ZstdExcess
 */
export async function* unzstd(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, UnpackEnd> {
  const decoder = new ZstdDecoder({ mostWindow: MAX_WINDOW, movedPerByte: MOVED_PER_BYTE });
  try {
    for await (const chunk of packed)
      for (let at = 0; at < chunk.length; at += PIECE) {
        decoder.push(chunk.slice(at, at + PIECE));
        yield* decoder.taken();
      }
  } catch (error) {
    if (!isZstdError(error)) throw error;
    yield* decoder.taken();
    return { torn: true, damage: error.message };
  }
  try {
    decoder.end();
  } catch (error) {
    if (!isZstdError(error)) throw error;
    yield* decoder.taken();
    return { torn: true };
  }
  yield* decoder.taken();
  return { torn: false };
}

/** The decoder's own errors carry a number; on damaged data it may also run beyond its buffers. */
function isZstdError(error: unknown): error is Error {
  return (
    error instanceof RangeError ||
    error instanceof TypeError ||
    (error instanceof Error && "code" in error && typeof error.code === "number")
  );
}
