import { promisify } from "node:util";
import { createGunzip, gunzip, gunzipSync } from "node:zlib";
import { errorCode } from "../core/text/errors.js";
import { ZstdDecoder } from "../core/bytes/zstd-decoder.js";

const unpack = promisify(gunzip);
/** Less is unpacked at once: handing it to a thread takes longer. */
const SMALL = 1 << 18;
/** What unpacks to more is unpacked in pieces, a second time once its checksum is known to be right. */
const LARGEST_WHOLE = 16 * 1024 * 1024;
const LARGEST_PIECE = 1 << 20;
/** Deflate packs no better: two bits for 258 bytes. */
const BEST_RATIO = 1032;
/** The checksum and the length at the end of a member (RFC 1952, 2.3.1). */
const TRAILER_BYTES = 8;

/** Unpacked bytes, whole or in pieces. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** What the end of a member says that it unpacks to, in bytes (modulo 2^32). */
export function claimedLength(packed: Uint8Array): number {
  const { buffer, byteOffset, byteLength } = packed;
  return byteLength < TRAILER_BYTES ? 0 : new DataView(buffer, byteOffset, byteLength).getUint32(byteLength - 4, true);
}

/**
 * What gzip unpacks to, when its checksum is right; undefined when it is damaged. However much it is takes no more
 * memory than a few megabytes.
 */
export async function validPieces(packed: Uint8Array): Promise<Pieces | undefined> {
  const claimed = claimedLength(packed);
  if (claimed > BEST_RATIO * packed.length) return undefined;
  try {
    // Pieces of the default 16 kB each cost a way to a thread and back.
    const whole = { maxOutputLength: Math.max(1, claimed), chunkSize: Math.min(LARGEST_PIECE, Math.max(64, claimed)) };
    if (packed.length <= SMALL && claimed <= LARGEST_WHOLE) return [gunzipSync(packed, whole)];
    if (claimed <= LARGEST_WHOLE) return [await unpack(packed, whole)];
    let length = 0;
    for await (const piece of inPieces(packed)) {
      length += piece.length;
      if (length > claimed) return undefined;
    }
    return inPieces(packed);
  } catch {
    // zlib's checksum does not vouch for it.
    return undefined;
  }
}

function inPieces(packed: Uint8Array): AsyncIterable<Uint8Array> {
  const source = createGunzip({ chunkSize: 1 << 18 });
  source.end(packed);
  return source;
}

/**
 * Unpacks gzip as it comes, one member or several. Of damaged gzip all is given that comes before: zlib drops what it
 * has unpacked of the piece that it stumbles over, so that piece is unpacked once more, a few bytes at a time.
 * @param chunks of the packed bytes, each time from the first on
 * @returns through the generator whether it ends within a member, or cannot be read on
 */
export async function* ungzip(
  chunks: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, { readonly torn: boolean }> {
  let given = 0;
  /** From this packed byte on zlib gets little at a time. */
  let careful = Infinity;
  for (;;) {
    let passed = 0;
    let packed = 0;
    const found: Uint8Array[] = [];
    function* fresh(): Generator<Uint8Array> {
      for (const bytes of found.splice(0)) {
        const from = Math.min(bytes.length, Math.max(0, given - passed));
        passed += bytes.length;
        given = Math.max(given, passed);
        if (from < bytes.length) yield bytes.subarray(from);
      }
    }
    const source = createGunzip({ chunkSize: 1 << 18 });
    source.on("data", (bytes: Uint8Array) => found.push(bytes));
    const ended = new Promise<void>((resolve, reject) => {
      source.on("end", resolve);
      source.on("error", reject);
    });
    // Heard by who waits for it.
    ended.catch(() => undefined);
    try {
      for await (const chunk of chunks())
        for (let at = 0; at < chunk.length;) {
          const bytes = chunk.slice(at, at + (packed < careful ? USUAL_BYTES : FEW_BYTES));
          await Promise.race([ended, new Promise<void>((resolve) => source.write(bytes, () => resolve()))]);
          yield* fresh();
          at += bytes.length;
          packed += bytes.length;
        }
      source.end();
      await ended;
      yield* fresh();
      return { torn: false };
    } catch (error) {
      const code = errorCode(error);
      if (code?.startsWith("Z_") !== true) throw error;
      yield* fresh();
      if (code === "Z_BUF_ERROR" || careful < Infinity) return { torn: true };
      careful = packed;
    } finally {
      source.destroy();
    }
  }
}

/** What zlib gets at a time: it may stand for a thousand times as many bytes. */
const USUAL_BYTES = 1 << 16;
const FEW_BYTES = 1 << 6;

/** Bytes unpacked at a time. 4 of them may stand for 128 KiB, so this bounds the memory. */
const PIECE = 1024;
/** As zstd's own command line unless it is asked for more. */
const MAX_WINDOW = 128 * 1024 ** 2;
/** That of blocks of 16 KiB, as the highest levels make them, in the largest window. */
const MOVED_PER_BYTE = MAX_WINDOW / (16 * 1024);

/** How unpacking ended: torn when the data ends within a frame, damaged when it cannot be read on. */
interface UnpackEnd {
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
