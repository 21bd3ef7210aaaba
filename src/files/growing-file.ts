import type { Compression } from "../core/artifacts/index.js";
import { errorCode, UserError } from "../core/text/index.js";
import { ZstdExcess } from "../core/bytes/index.js";
import { describeFileError } from "./failure.js";
import { ungzip, unzstd } from "./unpacking.js";
import { GapFinder, type JournalGap, isJournal, journalMembers } from "./journal/members.js";
import { RegularFile, withFile, type Reach } from "./opener.js";

export interface ReadOptions extends Reach {
  readonly signal?: AbortSignal;
  /** Share read, 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

/** How a reading ended. */
export interface ReadEnd {
  /** A packed file ends within a member or frame, or is damaged: all before that has been given. */
  readonly torn: boolean;
  /** What is missing of a damaged journal, so far. */
  readonly gaps: readonly JournalGap[];
}

const HEAD = 1 << 16;
const CHUNK = 1 << 20;
/** Bytes at the beginning and at the end of what was read that tell whether it is still there. */
const CHECKED = 4096;
/** A packed file may unpack to this, and to so many times its own size: samples pack to a twentieth or a fiftieth. */
const UNPACKED_AT_LEAST = 512 * 1024 ** 2;
const UNPACKED_RATIO = 200;

/** What was read of a file, by which it is known again. */
interface Known {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  /** Where the tail ends: bytes on disk. */
  readonly end: number;
}

/**
 * The bytes of a file that others append to, unpacked if it is gzip or zstd: each reading gives what has come since
 * the one before. Nothing stays open in between. A file that has been cut, or replaced by another, is refused; one
 * replaced by a longer copy of itself is not.
 */
export class GrowingFile {
  private known: Known | undefined;
  /** Bytes given of a plain file. */
  private at = 0;
  /** Unpacked bytes given. */
  private given = 0;
  /** Of a journal, where the member begins that was not there whole. */
  private memberStart = 0;
  /** Of another packed file. */
  private torn = false;
  private kind: Kind | undefined;
  private readonly finder = new GapFinder();

  constructor(
    readonly path: string,
    private readonly reach: Reach = {},
  ) {}

  /** Bytes on disk that have been read. */
  get bytes(): number {
    return this.known?.end ?? 0;
  }

  /**
   * What was not read yet, a chunk at a time; a chunk is overwritten by the next. To be called again when it has come
   * to its end.
   * @returns through the generator what could not be given
   * @throws UserError, with code "replaced" when what was read is no longer there; the signal's reason
   */
  async *read({ signal, onProgress }: ReadOptions): AsyncGenerator<Uint8Array, ReadEnd> {
    try {
      const file = await RegularFile.open(this.path, this.reach);
      try {
        await this.check(file);
        const { size } = file;
        const reading = { file, signal, onProgress, size };
        this.kind ??= size === 0 ? undefined : await kindOf(file);
        if (this.kind === "journal") return yield* this.members(reading);
        return yield* this.kind === "gzip" || this.kind === "zstd"
          ? this.unpacked(reading, this.kind)
          : this.plain(reading);
      } finally {
        await file.close();
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw described(this.path, error);
    }
  }

  /** Whether there is more than was read. @throws as `read` */
  async hasGrown(): Promise<boolean> {
    try {
      return await withFile(this.path, this.reach, async (file) => {
        await this.check(file);
        return file.size > this.bytes;
      });
    } catch (error) {
      throw described(this.path, error);
    }
  }

  private async *plain({ file, signal, onProgress, size }: FileReading): AsyncGenerator<Uint8Array, ReadEnd> {
    const buffer = new Uint8Array(CHUNK);
    // Many want no more than the first.
    for (let wanted = HEAD; ; wanted = CHUNK) {
      const bytesRead = await file.read(buffer.subarray(0, wanted), this.at);
      signal?.throwIfAborted();
      if (bytesRead === 0) break;
      this.at += bytesRead;
      yield buffer.subarray(0, bytesRead);
      onProgress?.(Math.min(1, this.at / size));
    }
    this.known = await knownUpTo(file, this.at);
    return { torn: false, gaps: [] };
  }

  /** Member by member: what is damaged of a journal does not take what follows along. */
  private async *members({ file, signal, onProgress, size }: FileReading): AsyncGenerator<Uint8Array, ReadEnd> {
    for await (const member of journalMembers(file, this.memberStart)) {
      signal?.throwIfAborted();
      this.finder.member(member);
      for await (const piece of member.text) {
        signal?.throwIfAborted();
        this.count(piece.length, size);
        yield piece;
      }
      this.memberStart = member.end;
      onProgress?.(member.end / size);
    }
    // What follows the last whole member may still be being written, or be taken back.
    this.known = await knownUpTo(file, this.memberStart);
    return { torn: this.memberStart < size, gaps: [...this.finder.gaps] };
  }

  /** What is packed tells no place to go on from: what has grown is unpacked from its beginning. */
  private async *unpacked(
    { file, signal, onProgress, size }: FileReading,
    kind: Compression,
  ): AsyncGenerator<Uint8Array, ReadEnd> {
    if (size === this.known?.end) return { torn: this.torn, gaps: [] };
    let packedBytes = 0;
    let torn = false;
    const packed = () =>
      chunksOf(file, (read) => {
        signal?.throwIfAborted();
        packedBytes = read;
      });
    async function* noted() {
      ({ torn } = yield* kind === "gzip" ? ungzip(packed) : unzstd(packed()));
    }
    for await (const fresh of this.beyondGiven(noted(), size, signal)) {
      if (fresh.length > 0) yield fresh;
      onProgress?.(Math.min(1, packedBytes / size));
    }
    this.known = await knownUpTo(file, size);
    this.torn = torn;
    return { torn, gaps: [] };
  }

  /** Of each piece of what is unpacked the part that was not given before; empty where all of it was. */
  private async *beyondGiven(
    all: AsyncIterable<Uint8Array>,
    size: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    let toSkip = this.given;
    for await (const bytes of all) {
      signal?.throwIfAborted();
      const fresh = bytes.subarray(Math.min(toSkip, bytes.length));
      toSkip -= bytes.length - fresh.length;
      this.count(fresh.length, size);
      yield fresh;
    }
  }

  /** @throws UserError when more has been unpacked than an artifact of that size can hold */
  private count(bytes: number, size: number): void {
    this.given += bytes;
    const limit = UNPACKED_AT_LEAST + size * UNPACKED_RATIO;
    if (this.given > limit) throw tooMuch(this.path, size, limit);
  }

  private async check(file: RegularFile): Promise<void> {
    const { known } = this;
    if (known === undefined) return;
    if (file.size < known.end) throw replaced(`${this.path} is shorter than what was read from it.`);
    const same =
      Buffer.compare(known.head, await file.bytesAt(0, known.head.length)) === 0 &&
      Buffer.compare(known.tail, await file.bytesAt(known.end - known.tail.length, known.tail.length)) === 0;
    if (!same) throw replaced(`${this.path} no longer contains what was read from it: it was rewritten.`);
  }
}

interface FileReading {
  readonly file: RegularFile;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ReadOptions["onProgress"];
  /** As the reading began. */
  readonly size: number;
}

type Kind = "journal" | "gzip" | "zstd" | "plain";

/** Whether a file is gzip, or a journal whose beginning is damaged. */
export async function isGzip(path: string, reach: Reach): Promise<boolean> {
  const kind = await withFile(path, reach, kindOf);
  return kind === "gzip" || kind === "journal";
}

/** How an open file is packed, by its first bytes: gzip (RFC 1952) or zstd, also one of skippable frames (RFC 8878). */
export async function packingOf(file: RegularFile): Promise<Compression | undefined> {
  return packingOfBytes(await file.bytesAt(0, 4));
}

/** As `packingOf`. @param bytes the first four, or all */
export function packingOfBytes([first, second, third, fourth]: Uint8Array): Compression | undefined {
  if (first === 0x1f && second === 0x8b) return "gzip";
  const isFrame = first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd;
  const isSkippable = first !== undefined && first >> 4 === 5 && second === 0x2a && third === 0x4d && fourth === 0x18;
  return isFrame || isSkippable ? "zstd" : undefined;
}

async function kindOf(file: RegularFile): Promise<Kind> {
  return (await isJournal(file)) ? "journal" : ((await packingOf(file)) ?? "plain");
}

function tooMuch(path: string, size: number, limit: number): UserError {
  return new UserError(
    `${path} unpacks to more than ${Math.round(limit / 1024 ** 2)} MiB from ${size} bytes: no artifact compresses that well, so reading stopped there.`,
    "If you trust it, decompress it yourself and open the result.",
  );
}

async function knownUpTo(file: RegularFile, end: number): Promise<Known> {
  const length = Math.min(CHECKED, end);
  return { head: await file.bytesAt(0, length), tail: await file.bytesAt(end - length, length), end };
}

async function* chunksOf(file: RegularFile, onRead: (position: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const chunk = await file.bytesAt(at, CHUNK / 4);
    if (chunk.length === 0) return;
    at += chunk.length;
    onRead(at);
    yield chunk;
  }
}

function replaced(message: string): UserError {
  return new UserError(message, "Reload reads it from its beginning.", { code: "replaced" });
}

function described(path: string, error: unknown): unknown {
  if (error instanceof ZstdExcess)
    return new UserError(
      `${path} cannot be read: ${error.message}.`,
      "If you trust it, decompress it yourself and open the result.",
    );
  return error instanceof UserError || errorCode(error) === undefined ? error : describeFileError(path, error, "read");
}
