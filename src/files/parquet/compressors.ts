import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { decompress } from "fzstd";
import type { Compressors } from "hyparquet/src/types.js";
import { snappyUncompressor } from "hysnappy";

/** Snappy packs no better: three bytes for 64. */
const MAX_SNAPPY = 22;

const uncompress = snappyUncompressor();

/** @throws Error for a page whose stated length cannot be true, before memory is taken for it */
function unsnapped(input: Uint8Array, outputLength: number): Uint8Array {
  // What a damaged page says of its length is not believed.
  let length = 0;
  let at = 0;
  for (let byte = 128; byte >= 128 && at < 5; at++) {
    byte = input[at] ?? 0;
    length += (byte & 127) * 2 ** (7 * at);
  }
  if (length > MAX_SNAPPY * input.length) throw new Error(`a page of ${input.length} bytes cannot hold ${length}`);
  if (length !== outputLength) throw new Error(`a page holds ${length} bytes instead of ${outputLength}`);
  return uncompress(input, outputLength);
}

/** Into memory of the stated size: what a frame says of its window costs nothing. */
function unzstd(input: Uint8Array, outputLength: number): Uint8Array {
  // The decoder leaves out what has no room.
  const length = zstdLength(input) ?? outputLength;
  if (length !== outputLength) throw new Error(`a page holds ${length} bytes instead of ${outputLength}`);
  // The decoder compares it loosely with a number, for which an array of numbers would become a text of them all.
  return decompress(input, Object.assign(new Uint8Array(outputLength), { valueOf: () => NaN }));
}

/** What a frame says of its content's length, which most do (RFC 8878, 3.1.1.1). */
function zstdLength(frame: Uint8Array): number | undefined {
  if (frame.length < 14) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const descriptor = view.getUint8(4);
  const single = (descriptor & 0b10_0000) !== 0;
  const at = 5 + (single ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  switch (descriptor >> 6) {
    case 0:
      return single ? view.getUint8(at) : undefined;
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return at + 8 > frame.length ? undefined : Number(view.getBigUint64(at, true));
  }
}

/** None of them unpacks a page to more than its header says. */
export const COMPRESSORS: Compressors = {
  SNAPPY: unsnapped,
  GZIP: (input, outputLength) => gunzipSync(input, { maxOutputLength: Math.max(1, outputLength) }),
  BROTLI: (input, outputLength) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, outputLength) }),
  ZSTD: unzstd,
};
/** Compressions that need no other library. */
export const READ_HERE: ReadonlySet<string> = new Set(["UNCOMPRESSED", ...Object.keys(COMPRESSORS)]);
