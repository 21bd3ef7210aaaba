import { open, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { describeFileError } from "../failure.js";
import { makeFolder } from "../folders.js";
import { writeAll } from "../export/output-file.js";

export interface MemberFileOptions {
  /** Members are brought to the disk itself as they come, so that a power cut costs little more than a crash. */
  readonly sync?: boolean;
  /** Creates a file that must not exist; for tests of disks that refuse. */
  readonly create?: (path: string) => Promise<FileHandle>;
}

/** Read and written by its owner alone: labels and URLs may be confidential. */
const createFile = (path: string) => open(path, "wx+", 0o600);

/** The file that holds the members of a journal: appended to, written anew where it was removed, or moved. */
export class MemberFile {
  private size = 0;

  private constructor(
    private currentPath: string,
    private handle: FileHandle,
    private readonly options: MemberFileOptions,
  ) {}

  /** @throws UserError, also when it exists */
  static async create(path: string, options: MemberFileOptions): Promise<MemberFile> {
    const handle = await (options.create ?? createFile)(path).catch((error: unknown) => {
      throw describeFileError(path, error, "write");
    });
    if (options.sync === true) await syncFolder(dirname(path));
    return new MemberFile(path, handle, options);
  }

  get path(): string {
    return this.currentPath;
  }

  /** Bytes of whole members. */
  get bytes(): number {
    return this.size;
  }

  /** Adds a member, whole or not at all. @throws what the disk refuses it with */
  async append(member: Uint8Array): Promise<void> {
    try {
      await writeAll(this.handle, member, this.size);
    } catch (error) {
      await this.cutTo(this.size);
      throw error;
    }
    this.size += member.byteLength;
  }

  /** Waits until all of it has reached the disk. @throws what the disk refuses it with */
  async sync(): Promise<void> {
    await this.handle.datasync();
  }

  /** Takes members back. What cannot be cut off is overwritten by the next. */
  async cutTo(bytes: number): Promise<void> {
    this.size = bytes;
    await this.handle.truncate(bytes).catch(() => undefined);
  }

  /** Its folder may be removed in the middle of a capture. */
  async isRemoved(): Promise<boolean> {
    return (await this.handle.stat()).nlink === 0;
  }

  /** What the open file holds is written anew where it was. @throws what the disk refuses it with */
  async restore(): Promise<void> {
    await makeFolder(dirname(this.currentPath));
    await this.continueIn(this.currentPath);
  }

  /**
   * Copies its members to a new file, which then is on the disk, and goes on there. The old one stays.
   * @throws what the disk refuses it with
   */
  async continueIn(path: string): Promise<void> {
    const fresh = await (this.options.create ?? createFile)(path);
    try {
      const chunk = new Uint8Array(1 << 20);
      for (let at = 0; at < this.size;) {
        const { bytesRead } = await this.handle.read(chunk, 0, Math.min(chunk.length, this.size - at), at);
        if (bytesRead === 0) throw new Error(`${this.currentPath} ends before what was written to it`);
        await writeAll(fresh, chunk.subarray(0, bytesRead), at);
        at += bytesRead;
      }
      await fresh.datasync();
    } catch (error) {
      await fresh.close().catch(() => undefined);
      await rm(path, { force: true });
      throw error;
    }
    await this.handle.close().catch(() => undefined);
    this.handle = fresh;
    this.currentPath = path;
  }

  /** Says that the capture lives, by the time of its last change. Where that cannot be set, members set it. */
  async touch(): Promise<void> {
    const now = new Date();
    await this.handle.utimes(now, now).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined);
  }
}

/** So that a power cut does not lose the file's name; systems that cannot do it have no need. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

/** A second of a capture, packed. */
export interface Member {
  readonly bytes: Uint8Array;
  readonly scrapes: number;
}

/**
 * Members that are written, but may still be lost in a power cut. They are brought to the disk while later ones are
 * written: a disk that is slow to do so must not keep what comes next in memory, where a crash loses it too.
 */
export class DiskSync {
  private pending: Member[] = [];
  private state: "idle" | "busy" | "failed" = "idle";

  /** @param onFailure what was written may be lost: `takeBack` has it */
  constructor(
    private readonly sync: () => Promise<void>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  wrote(member: Member): void {
    this.pending.push(member);
    if (this.state === "idle") void this.run();
  }

  /** Settles when all that was written is on the disk. @throws what the disk refuses it with; `takeBack` has it then */
  async settle(): Promise<void> {
    if (this.pending.length === 0) return;
    await this.sync();
    this.pending = [];
  }

  /** What is not known to be on the disk, in order. It is to be written again. */
  takeBack(): readonly Member[] {
    const members = this.pending;
    this.forget();
    return members;
  }

  /** All of it has been brought to a disk in another way. */
  forget(): void {
    this.pending = [];
    if (this.state === "failed") this.state = "idle";
  }

  private async run(): Promise<void> {
    this.state = "busy";
    while (this.pending.length > 0) {
      const members = this.pending;
      const count = members.length;
      try {
        await this.sync();
        members.splice(0, count);
      } catch (error) {
        // Forgotten meanwhile: it was of a file that is no longer written.
        if (members !== this.pending) continue;
        this.state = "failed";
        this.onFailure(error);
        return;
      }
    }
    this.state = "idle";
  }
}

/** Several hours of a usual capture. The run itself has its own memory. */
const WAITING_BYTES = 64 * 1024 ** 2;

/** Packed members that are not on disk yet, the oldest first. Those that find no room are counted. */
export class WaitingMembers {
  private members: Member[] = [];
  private bytes = 0;
  private lostScrapes = 0;

  constructor(readonly limitBytes = WAITING_BYTES) {}

  get isEmpty(): boolean {
    return this.members.length === 0;
  }

  /** The next to be written. */
  get next(): Member | undefined {
    return this.members[0];
  }

  /** Scrapes that found no room since they were last taken. */
  get passedOver(): number {
    return this.lostScrapes;
  }

  /** @returns whether there was room; one member always has it, as it is the next to be written */
  add(member: Member): boolean {
    if (!this.isEmpty && this.bytes + member.bytes.byteLength > this.limitBytes) {
      this.lostScrapes += member.scrapes;
      return false;
    }
    this.members.push(member);
    this.bytes += member.bytes.byteLength;
    return true;
  }

  removeNext(): void {
    this.bytes -= this.members.shift()?.bytes.byteLength ?? 0;
  }

  /** What was written before the others has to be written again; the limit does not apply to it. */
  putBack(members: readonly Member[]): void {
    this.members.unshift(...members);
    for (const { bytes } of members) this.bytes += bytes.byteLength;
  }

  clear(): void {
    this.members = [];
    this.bytes = 0;
  }

  /** How many scrapes found no room; it counts from zero again. */
  takePassedOver(): number {
    const { lostScrapes } = this;
    this.lostScrapes = 0;
    return lostScrapes;
  }
}
