import { epochNs, type EpochNs } from "../../core/model/index.js";

/**
 * What the gzip header of a journal's member says of it, in a subfield of its own (RFC 1952, 2.3.1.1): readers of gzip
 * skip it, and by it members are found again behind damage.
 */
export interface MemberHeader {
  /** From 0, without holes. */
  readonly sequence: number;
  /** Of the whole member, its header among them. */
  readonly bytes: number;
  readonly scrapes: number;
  /** In all members before it. */
  readonly scrapesBefore: number;
  /** Of its scrapes; both 0 when it has none. */
  readonly first: EpochNs;
  readonly last: EpochNs;
}

/** The 10 bytes of a gzip header, the length of the extra field, and our subfield: id, length, data. */
const DATA_BYTES = 37;
export const HEADER_BYTES = 10 + 2 + 4 + DATA_BYTES;
const FEXTRA = 4;
const VERSION = 1;
/** From byte 10 of a member on: lengths, the subfield's id "SM" and the version. */
const SIGNATURE = Uint8Array.of(DATA_BYTES + 4, 0, 0x53, 0x4d, DATA_BYTES, 0, VERSION);
const SIGNATURE_AT = 10;

/** Puts the header into what gzip gave. */
export function withHeader(packed: Uint8Array, header: Omit<MemberHeader, "bytes">): Uint8Array {
  const member = new Uint8Array(packed.length + HEADER_BYTES - 10);
  member.set(packed.subarray(0, 10));
  member.set(packed.subarray(10), HEADER_BYTES);
  member[3] = FEXTRA;
  member.set(SIGNATURE, SIGNATURE_AT);
  const view = new DataView(member.buffer, SIGNATURE_AT + SIGNATURE.length);
  view.setUint32(0, header.sequence, true);
  view.setUint32(4, member.length, true);
  view.setUint32(8, header.scrapes, true);
  view.setUint32(12, header.scrapesBefore, true);
  view.setBigInt64(16, header.first, true);
  view.setBigInt64(24, header.last, true);
  view.setUint32(32, checksum(view), true);
  return member;
}

/** The header of the member that begins at `at`; undefined where none does. */
export function headerAt(bytes: Uint8Array, at = 0): MemberHeader | undefined {
  if (at < 0 || at + HEADER_BYTES > bytes.length) return undefined;
  if (bytes[at] !== 0x1f || bytes[at + 1] !== 0x8b || bytes[at + 2] !== 8 || bytes[at + 3] !== FEXTRA) return undefined;
  for (const [i, byte] of SIGNATURE.entries()) if (bytes[at + SIGNATURE_AT + i] !== byte) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at + SIGNATURE_AT + SIGNATURE.length, 36);
  if (view.getUint32(32, true) !== checksum(view)) return undefined;
  return {
    sequence: view.getUint32(0, true),
    bytes: view.getUint32(4, true),
    scrapes: view.getUint32(8, true),
    scrapesBefore: view.getUint32(12, true),
    first: epochNs(view.getBigInt64(16, true)),
    last: epochNs(view.getBigInt64(24, true)),
  };
}

/** FNV-1a of the fields: gzip's own checksum does not cover its header. */
function checksum(fields: DataView): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < 32; at++) hash = Math.imul(hash ^ fields.getUint8(at), 0x01000193) >>> 0;
  return hash;
}

/** Where the next member begins, from `from` on; -1 when the bytes hold none's whole header. */
export function nextMember(bytes: Uint8Array, from: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = buffer.indexOf(SIGNATURE, from + SIGNATURE_AT);
  while (at >= 0 && headerAt(bytes, at - SIGNATURE_AT) === undefined) at = buffer.indexOf(SIGNATURE, at + 1);
  return at < 0 ? -1 : at - SIGNATURE_AT;
}
