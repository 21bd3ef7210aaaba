import { beginsAsParquet } from "../../core/artifacts/parquet/tail.js";
import { claimedLength, validPieces, type Pieces } from "../gzip-members.js";
import type { RegularFile } from "../opener.js";
import { headerAt, HEADER_BYTES, nextMember, type MemberHeader } from "./member-header.js";

const WINDOW = 1 << 20;
/** A journal whose beginning is damaged is looked for no further than this. */
const SEARCHED = 64 * 1024 * 1024;
/**
 * Damaged members are searched for others until so many bytes of them, and once the file's size, have been unpacked in
 * vain. After that each is passed over whole: members can be made to lie within each other by the thousand.
 */
const IN_VAIN = 64 * 1024 * 1024;

/** A member of a journal, in whole and with its checksum right. */
export interface JournalMember {
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
