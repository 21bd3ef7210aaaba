import { epochNs, isoText, warningOf, type EpochNs, type Problem } from "../../core/model/index.js";
import { beginsAsParquet } from "../../core/artifacts/parquet/tail.js";
import { claimedLength, validPieces, type Pieces } from "../unpacking.js";
import type { RegularFile } from "../opener.js";
import { noun } from "../../core/text/plural.js";

/**
 * What the gzip header of a journal's member says of it, in a subfield of its own (RFC 1952, 2.3.1.1): readers of gzip
 * skip it, and by it members are found again behind damage.
 */
interface MemberHeader {
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
function headerAt(bytes: Uint8Array, at = 0): MemberHeader | undefined {
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
function nextMember(bytes: Uint8Array, from: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = buffer.indexOf(SIGNATURE, from + SIGNATURE_AT);
  while (at >= 0 && headerAt(bytes, at - SIGNATURE_AT) === undefined) at = buffer.indexOf(SIGNATURE, at + 1);
  return at < 0 ? -1 : at - SIGNATURE_AT;
}

const WINDOW = 1 << 20;
/** A journal whose beginning is damaged is looked for no further than this. */
const SEARCHED = 64 * 1024 * 1024;
/**
 * Damaged members are searched for others until so many bytes of them, and once the file's size, have been unpacked in
 * vain. After that each is passed over whole: members can be made to lie within each other by the thousand.
 */
const IN_VAIN = 64 * 1024 * 1024;

/** A member of a journal, in whole and with its checksum right. */
interface JournalMember {
  readonly header: MemberHeader;
  readonly text: Pieces;
  /** Where it begins and ends in the file. */
  readonly start: number;
  readonly end: number;
}

/** Whether a file is a journal, be its first members damaged. */
export async function isJournal(file: RegularFile): Promise<boolean> {
  const bytes = new Bytes(file);
  const head = await bytes.at(0, HEADER_BYTES);
  if (headerAt(head) !== undefined) return true;
  // Text and Parquet begin otherwise, and need not be searched.
  if (beginsAsParquet(head) || isText(head)) return false;
  return (await bytes.nextMember(0, Math.min(file.size, SEARCHED))) !== undefined;
}

/** The sound members of a journal from `start` on. Damage is passed over to the next member that announces itself. */
export async function* journalMembers(file: RegularFile, start: number): AsyncGenerator<JournalMember> {
  const { size } = file;
  const bytes = new Bytes(file);
  let inVain = 0;
  for (let at: number | undefined = start; at !== undefined && at < size;) {
    const header = headerAt(await bytes.at(at, HEADER_BYTES));
    const end: number = at + (header?.bytes ?? 0);
    if (header !== undefined && header.bytes > HEADER_BYTES && end <= size) {
      const packed = await bytes.at(at, header.bytes);
      const text = await validPieces(packed);
      if (text !== undefined) yield { header, text, start: at, end };
      else inVain += packed.length + claimedLength(packed);
      // Behind a sound member nearly always stands the next.
      if (text !== undefined || inVain > IN_VAIN + size) {
        at = end;
        continue;
      }
    }
    at = await bytes.nextMember(at + 1, size);
  }
}

/** The bytes of a file, read ahead. */
class Bytes {
  private window: Uint8Array = new Uint8Array(0);
  private from = 0;

  constructor(private readonly file: RegularFile) {}

  /** Valid until the next call. Fewer at the end of the file. */
  async at(start: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.file.size, start + length);
    if (start < this.from || end > this.from + this.window.length) {
      this.window = await this.file.bytesAt(start, Math.max(length, WINDOW));
      this.from = start;
    }
    return this.window.subarray(start - this.from, end - this.from);
  }

  async nextMember(from: number, limit: number): Promise<number | undefined> {
    for (let at = from; at < limit;) {
      const piece = await this.at(at, Math.min(WINDOW, limit - at));
      const found = nextMember(piece, 0);
      if (found >= 0) return at + found;
      if (piece.length <= HEADER_BYTES) return undefined;
      // A header may lie across two pieces.
      at += piece.length - HEADER_BYTES + 1;
    }
    return undefined;
  }
}

/** ASCII that can be read, perhaps behind a byte-order mark. */
function isText(head: Uint8Array): boolean {
  return /^(\u00EF\u00BB\u00BF)?[\t\r\n\x20-\x7e]+$/.test(Buffer.from(head.subarray(0, 16)).toString("latin1"));
}

/** What is missing between two sound members of a journal. */
export interface JournalGap {
  /** Of the file; 0 where members are missing without a trace. */
  readonly bytes: number;
  /** That were answered, or failed, meanwhile. */
  readonly scrapes: number;
  /** Of the last scrape before it; absent at the beginning. */
  readonly after?: EpochNs;
  /** Of the first scrape behind it. */
  readonly before?: EpochNs;
}

/** Follows the members of a journal and notes what is missing between them. */
export class GapFinder {
  readonly gaps: JournalGap[] = [];
  private sequence = 0;
  private scrapes = 0;
  private end = 0;
  private last: EpochNs | undefined;

  member({ header, start, end }: JournalMember): void {
    const { sequence, scrapesBefore, scrapes, first, last } = header;
    // Bytes that a failed write has left between two members are no loss.
    if (sequence !== this.sequence)
      this.gaps.push({
        bytes: start - this.end,
        scrapes: Math.max(0, scrapesBefore - this.scrapes),
        ...(this.last === undefined ? {} : { after: this.last }),
        ...(scrapes === 0 ? {} : { before: first }),
      });
    this.sequence = sequence + 1;
    this.scrapes = scrapesBefore + scrapes;
    this.end = end;
    if (scrapes > 0) this.last = last;
  }
}

/** A gap in words. */
export function gapProblem(path: string, { bytes, scrapes, after, before }: JournalGap): Problem {
  const from = after === undefined ? "the start of the capture" : isoText(after);
  const to = before === undefined ? "" : ` and ${isoText(before)}`;
  const between = to === "" ? `after ${from}` : `between ${from}${to}`;
  return warningOf(
    `${path} is damaged (${bytes} bytes): ${scrapes} ${noun(scrapes, "scrape")} ${between} ${noun(scrapes, "is", "are")} missing.`,
  );
}
