import { promisify } from "node:util";
import { createGunzip, createInflateRaw, gunzip, gunzipSync } from "node:zlib";
import { errorCode } from "../core/text/error-text.js";

const unpack = promisify(gunzip);
/** Of one member before damage, no more than this is kept in memory. */
const LARGEST_MEMBER = 64 * 1024 * 1024;
/** Less is unpacked at once: handing it to a thread takes longer. */
const SMALL = 1 << 18;
/** What unpacks to more is unpacked in pieces, a second time once its checksum is known to be right. */
const LARGEST_WHOLE = 16 * 1024 * 1024;
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
    const whole = { maxOutputLength: Math.max(1, claimed) };
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
 * What can be read of damaged gzip: all whole members before the damage. zlib's stream drops what it has unpacked
 * together with the bytes that it stumbles over, and with small members that is all of them.
 */
export async function* readableMembers(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let length = 0;
  // A member that is not all there is tried again when twice as much is, so that the effort stays in proportion.
  let wanted = 0;
  /** @returns whether the damage has been reached */
  async function* wholeMembers(): AsyncGenerator<Uint8Array, boolean> {
    let rest: Uint8Array = Buffer.concat(pending);
    let end = await endOfMember(rest);
    for (; typeof end === "number"; end = await endOfMember(rest)) {
      const pieces = await validPieces(rest.subarray(0, end));
      if (pieces === undefined) return true;
      yield* pieces;
      rest = rest.subarray(end);
    }
    pending = [rest];
    length = rest.length;
    wanted = 2 * length;
    return end === "damaged" || length > LARGEST_MEMBER;
  }
  for await (const chunk of packed) {
    pending.push(chunk);
    length += chunk.length;
    if (length >= wanted && (yield* wholeMembers())) return;
  }
  yield* wholeMembers();
}

/** Where the member ends with which the bytes begin. */
async function endOfMember(bytes: Uint8Array): Promise<number | "incomplete" | "damaged"> {
  const start = startOfData(bytes);
  if (typeof start !== "number") return start;
  const inflate = createInflateRaw();
  inflate.end(bytes.subarray(start));
  try {
    for await (const piece of inflate as AsyncIterable<Uint8Array>) void piece;
  } catch (error) {
    return errorCode(error) === "Z_BUF_ERROR" ? "incomplete" : "damaged";
  }
  const end = start + inflate.bytesWritten + TRAILER_BYTES;
  return end > bytes.length ? "incomplete" : end;
}

/** Behind the header of a member (RFC 1952, 2.3). */
function startOfData(bytes: Uint8Array): number | "incomplete" | "damaged" {
  const MAGIC = [0x1f, 0x8b, 8];
  if (MAGIC.some((byte, i) => bytes.length > i && bytes[i] !== byte)) return "damaged";
  const flags = bytes[3] ?? 0;
  if (flags > 0x1f) return "damaged";
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  // A name and a comment, each up to a zero.
  for (const flag of [8, 16])
    if ((flags & flag) !== 0) {
      const zero = at < bytes.length ? bytes.indexOf(0, at) : -1;
      if (zero < 0) return "incomplete";
      at = zero + 1;
    }
  if ((flags & 2) !== 0) at += 2;
  return at > bytes.length ? "incomplete" : at;
}
