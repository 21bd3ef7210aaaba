import type { FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import { headerAt, HEADER_BYTES, nextMember, type MemberHeader } from "./member.js";

const unpack = promisify(gunzip);
/** A member is a second of a capture; one that unpacks to more is not a journal's. */
const LARGEST_TEXT = 512 * 1024 * 1024;
/** Smaller members are unpacked at once: handing them to a thread takes longer. */
const SMALL = 1 << 18;
const WINDOW = 1 << 20;
/** A journal whose beginning is damaged is looked for no further than this. */
const SEARCHED = 64 * 1024 * 1024;

/** A member of a journal, in whole and with its checksum right. */
export interface JournalMember {
  readonly header: MemberHeader;
  readonly text: Uint8Array;
  /** Where it begins and ends in the file. */
  readonly start: number;
  readonly end: number;
}

/** Whether a file is a journal, be its first members damaged. */
export async function isJournal(file: FileHandle, size: number): Promise<boolean> {
  const bytes = new Bytes(file, size);
  const head = await bytes.at(0, HEADER_BYTES);
  if (headerAt(head) !== undefined) return true;
  // Text and Parquet begin otherwise, and need not be searched.
  if (/^(PAR1|(\u00EF\u00BB\u00BF)?[\t\r\n\x20-\x7e]+$)/.test(Buffer.from(head.subarray(0, 16)).toString("latin1")))
    return false;
  return (await bytes.nextMember(0, Math.min(size, SEARCHED))) !== undefined;
}

/**
 * The sound members of a journal from `start` on. Damage is passed over to the next member that announces itself.
 * @param size bytes of the file that are read
 */
export async function* journalMembers(file: FileHandle, start: number, size: number): AsyncGenerator<JournalMember> {
  const bytes = new Bytes(file, size);
  for (let at: number | undefined = start; at !== undefined && at < size;) {
    const member: JournalMember | undefined = await memberAt(bytes, at, size);
    if (member !== undefined) yield member;
    // Behind a sound member nearly always stands the next.
    at = member?.end ?? (await bytes.nextMember(at + 1, size));
  }
}

async function memberAt(bytes: Bytes, start: number, size: number): Promise<JournalMember | undefined> {
  const header = headerAt(await bytes.at(start, HEADER_BYTES));
  if (header === undefined || header.bytes < HEADER_BYTES || start + header.bytes > size) return undefined;
  const packed = await bytes.at(start, header.bytes);
  try {
    const text =
      packed.length <= SMALL
        ? gunzipSync(packed, { maxOutputLength: LARGEST_TEXT })
        : await unpack(packed, { maxOutputLength: LARGEST_TEXT });
    return { header, text, start, end: start + header.bytes };
  } catch {
    // zlib's checksum does not vouch for it.
    return undefined;
  }
}

/** The bytes of a file, read ahead. */
class Bytes {
  private window = new Uint8Array(0);
  private from = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly size: number,
  ) {}

  /** Valid until the next call. Fewer at the end of the file. */
  async at(start: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, start + length);
    if (start < this.from || end > this.from + this.window.length) {
      const wanted = Math.min(this.size - start, Math.max(length, WINDOW));
      const { buffer, bytesRead } = await this.file.read(new Uint8Array(Math.max(0, wanted)), 0, wanted, start);
      this.window = buffer.subarray(0, bytesRead);
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
