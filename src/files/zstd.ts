import { Decompress } from "fzstd";
import { ZstdFrames } from "../core/model/index.js";

/** Bytes unpacked at a time. 4 of them may stand for 128 KiB, so this bounds the memory. */
const PIECE = 1024;
/** As zstd's own command line unless it is asked for more. */
const MOST_WINDOW = 128 * 1024 ** 2;
/** That of blocks of 16 KiB, as the highest levels make them, in the largest window. */
const MOVED_PER_BYTE = MOST_WINDOW / (16 * 1024);

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
  let ready: Uint8Array[] = [];
  // A block may be a view of what the decoder overwrites with the next.
  const decoder = new Decompress((bytes, isLast) => {
    if (!isLast) frames.unpacked(bytes.length);
    if (bytes.length > 0) ready.push(bytes.slice());
  });
  const frames = new ZstdFrames(MOST_WINDOW, MOVED_PER_BYTE);
  const taken = () => {
    const blocks = ready;
    ready = [];
    return blocks;
  };
  try {
    for await (const chunk of packed)
      for (let at = 0; at < chunk.length; at += PIECE) {
        const piece = chunk.slice(at, at + PIECE);
        frames.push(piece);
        decoder.push(piece);
        yield* taken();
      }
  } catch (error) {
    if (!isZstdError(error)) throw error;
    yield* taken();
    return { torn: true, damage: error.message };
  }
  try {
    decoder.push(new Uint8Array(0), true);
  } catch (error) {
    if (!isZstdError(error)) throw error;
    yield* taken();
    return { torn: true };
  }
  yield* taken();
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
