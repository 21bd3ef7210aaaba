import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from "node:zlib";
import { messageOf, errorCode } from "../../core/text/errors.js";
import { ZstdDecoder } from "../../core/bytes/zstd-decoder.js";

export type Decoded =
  | { readonly kind: "body"; readonly body: Uint8Array }
  | { readonly kind: "too-large" }
  /** The compressed body ends early. */
  | { readonly kind: "truncated" }
  | { readonly kind: "unknown"; readonly encoding: string }
  | { readonly kind: "corrupt"; readonly reason: string };

/** Done by the thread pool, so that no body holds up the other endpoints. */
const gunzipAsync = promisify<Uint8Array, ZlibOptions, Buffer>(gunzip);
const inflateAsync = promisify<Uint8Array, ZlibOptions, Buffer>(inflate);
const inflateRawAsync = promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw);
const DECODERS: ReadonlyMap<string, typeof gunzipAsync> = new Map([
  ["gzip", gunzipAsync],
  ["x-gzip", gunzipAsync],
  ["br", promisify<Uint8Array, ZlibOptions, Buffer>(brotliDecompress)],
  // "deflate" means the zlib format, but some servers send the bare stream; its first byte tells.
  ["deflate", (body, options) => (isZlib(body) ? inflateAsync : inflateRawAsync)(body, options)],
]);

/** Undoes a response's Content-Encoding. `limitBytes` bounds the decoded body. */
export async function decodeBody(body: Uint8Array, contentEncoding: string, limitBytes: number): Promise<Decoded> {
  const [encoding, ...more] = contentEncoding
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "" && one !== "identity");
  if (encoding === undefined) return { kind: "body", body };
  if (more.length > 0) return { kind: "unknown", encoding: contentEncoding };
  // An empty body has nothing to decode, whatever its headers say.
  if (body.length === 0) return { kind: "body", body };
  if (encoding === "zstd") return decodeZstd(body, limitBytes);
  const decode = DECODERS.get(encoding);
  if (decode === undefined) return { kind: "unknown", encoding };
  try {
    return { kind: "body", body: await decode(body, { maxOutputLength: limitBytes }) };
  } catch (error) {
    return describe(error);
  }
}

/** Bytes unpacked at a time. 4 of them may stand for 128 KiB, so this bounds what is made beyond the limit. */
const ZSTD_PIECE = 64;
/** Bytes, and bytes that the decoder has moved for them, after which the other endpoints have their turn. */
const ZSTD_TURN = 4096;
const ZSTD_WORK = 64 * 1024 ** 2;
/** RFC 9659: an answer's frames ask for no more. */
const ZSTD_WINDOW = 8 * 1024 ** 2;
/** That of a server which flushes its answer by 8 KiB. */
const ZSTD_MOVED = ZSTD_WINDOW / 8192;

async function decodeZstd(body: Uint8Array, limitBytes: number): Promise<Decoded> {
  const blocks: Uint8Array[] = [];
  let length = 0;
  let moved = 0;
  const decoder = new ZstdDecoder({ mostWindow: ZSTD_WINDOW, movedPerByte: ZSTD_MOVED });
  const take = () => {
    for (const block of decoder.taken()) {
      length += block.length;
      blocks.push(block);
    }
  };
  try {
    for (let at = 0; at < body.length; at += ZSTD_PIECE) {
      decoder.push(body.slice(at, at + ZSTD_PIECE));
      take();
      if (length > limitBytes) return { kind: "too-large" };
      if (at % ZSTD_TURN === 0 || decoder.movedBytes - moved > ZSTD_WORK) {
        moved = decoder.movedBytes;
        await setImmediate();
      }
    }
  } catch (error) {
    return describe(error);
  }
  try {
    decoder.end();
  } catch {
    return { kind: "truncated" };
  }
  take();
  return { kind: "body", body: Buffer.concat(blocks) };
}

function isZlib(body: Uint8Array): boolean {
  const [method = 0, flags = 0] = body;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}

function describe(error: unknown): Decoded {
  const code = errorCode(error);
  if (code === "ERR_BUFFER_TOO_LARGE") return { kind: "too-large" };
  if (code === "Z_BUF_ERROR") return { kind: "truncated" };
  return { kind: "corrupt", reason: messageOf(error) };
}

/** A body as JSON; undefined where it is none, as one too large for a text is. */
export function parsedJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
