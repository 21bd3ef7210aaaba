import { rm } from "node:fs/promises";
import type { UserError } from "../../core/text/errors.js";
import { JsonlWriter, type RunEvent } from "../../core/artifacts/index.js";
import {
  epochNs,
  type EpochNs,
  type Phase,
  type Problem,
  type RunMetadata,
  type Scrape,
} from "../../core/model/index.js";
import { describeFileError } from "../failure.js";
import { DiskSync, type Member, MemberFile, type MemberFileOptions, WaitingMembers } from "./member-file.js";
import { HEARTBEAT_MS } from "./files.js";
import { withHeader } from "./members.js";
import { journalNotices } from "./notices.js";
import { Packer } from "./packer.js";

/**
 * With packing and writing a crash then costs at most a second, also beside other load. Of the usual 333 ms between
 * scrapes two fit in it, as many as in half a second.
 */
const FLUSH_MS = 400;
/**
 * Scrapes of a member at the latest, and of each endpoint: a member repeats the metadata of every endpoint in it, which
 * would stand in every line of 200 endpoints were it 100 for all of them.
 */
const FLUSH_SCRAPES = 100;
const FLUSH_SCRAPES_EACH = 8;
/** Bytes that are flushed together at the latest. */
const FLUSH_BYTES = 1 << 24;
/** The types and descriptions that each member repeats cost a sixth of the journal's size at this level. */
const GZIP_LEVEL = 5;
/**
 * From so many endpoints on it is packed in half the time: a scrape of 300 series in 40 µs less of processor time,
 * which is 2.4 % of a core for 200 endpoints three times a second. Of 300 gauges such a journal takes 3.4 % of its
 * text, and 1.4 % at the other level.
 */
const FLEET = 32;
const FLEET_GZIP_LEVEL = 3;
/** Half a second after a failed write, then twice as long each time, it is tried again. */
const RETRY_MS = 500;
const LONGEST_RETRY_MS = 5000;
/** What each member repeats. */
const STANDING: ReadonlySet<RunEvent["kind"]> = new Set(["run_start", "profiling_start", "profiling_end", "phase"]);

export interface JournalOptions extends MemberFileOptions {
  readonly metadata: RunMetadata;
  readonly time: EpochNs;
  /** Once this many bytes are on disk, scrapes are no longer journalled; the capture goes on. */
  readonly limitBytes: number;
  /** Called once when the limit is reached, and each time when the disk refuses and when it takes again. */
  readonly onNotice: (problem: Problem) => void;
  /** Scrapes that are flushed together at the latest. */
  readonly batch?: number;
  /** What may wait in memory for the disk; absent: 64 MiB. */
  readonly waitingBytes?: number;
}

/**
 * The always-on record of a capture: JSONL in gzip members of their own, appended. A member is written whole at most a
 * second after its first line, so what a crash can lose is what a reader could not have seen yet. Each can be read
 * without the others, so that damage costs no more than the members it lies in. What the disk refuses waits in memory
 * and is written when it can be; beyond 64 MiB of it the newest is passed over, which a notice says, and the numbers of
 * the members tell whoever recovers it.
 */
export class JournalWriter {
  private readonly writer = new JsonlWriter();
  /** What each member begins with: run, start and end of profiling. */
  private readonly standing: string[] = [];
  /** The member that is being filled. */
  private packer: Packer | undefined;
  private readonly spare: Buffer[] = [];
  private times: { readonly first: EpochNs; last: EpochNs; scrapes: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly heartbeat: NodeJS.Timeout;
  private readonly level: number;
  private writing: Promise<void> = Promise.resolve();
  private readonly waiting: WaitingMembers;
  /** Members that are being packed, or whose packing stands in line. */
  private packing = 0;
  private retry: { readonly timer: NodeJS.Timeout; readonly afterMs: number } | undefined;
  private troubled = false;
  private members = 0;
  /** Scrapes in members, and those of them on disk. */
  private taken = 0;
  private written = 0;
  private beyondLimit = 0;
  /** Its file was removed, and could not be made again: nothing of it is on disk. */
  private orphaned = false;
  private readonly disk: DiskSync | undefined;
  private state: "open" | "full" | "closing" | "closed" = "open";

  private constructor(
    private readonly file: MemberFile,
    private readonly options: JournalOptions,
  ) {
    this.waiting = new WaitingMembers(options.waitingBytes);
    this.level = options.metadata.endpointsConfigured.length < FLEET ? GZIP_LEVEL : FLEET_GZIP_LEVEL;
    this.heartbeat = setInterval(() => void this.enqueue(() => this.beat()), HEARTBEAT_MS).unref();
    if (options.sync === true)
      this.disk = new DiskSync(
        () => this.file.sync(),
        (error) => void this.enqueue(() => this.writeAgain(error)),
      );
  }

  /** Creates the file. @throws UserError, also when it exists */
  static async open(path: string, options: JournalOptions): Promise<JournalWriter> {
    const journal = new JournalWriter(await MemberFile.create(path, options), options);
    journal.event({ kind: "run_start", time: options.time, metadata: options.metadata });
    return journal;
  }

  get path(): string {
    return this.file.path;
  }

  /** Scrapes that were given to it and are not on disk. */
  get unwritten(): number {
    return this.beyondLimit + (this.times?.scrapes ?? 0) + this.taken - (this.orphaned ? 0 : this.written);
  }

  /** Whether a disk with room would take more of them. */
  get isWaiting(): boolean {
    return this.orphaned || !this.waiting.isEmpty;
  }

  private get batch(): number {
    const { batch, metadata } = this.options;
    return batch ?? Math.max(FLUSH_SCRAPES, FLUSH_SCRAPES_EACH * metadata.endpointsConfigured.length);
  }

  /** Takes a scrape of a phase at once; it is on disk a second later. */
  scrape(scrape: Scrape, phase: Phase | undefined): void {
    if (this.state === "full") this.beyondLimit++;
    if (this.state !== "open") return;
    const packer = this.beginMember();
    packer.append(`${this.writer.scrape(scrape, phase)}\n`);
    this.times ??= { first: scrape.time, last: scrape.time, scrapes: 0 };
    this.times.scrapes++;
    if (scrape.time > this.times.last) this.times.last = scrape.time;
    if (this.times.scrapes >= this.batch || packer.bytes >= FLUSH_BYTES) void this.flush();
  }

  /** Events are kept even when the journal is full: they are what makes sense of the rest. */
  event(event: RunEvent): void {
    if (this.state === "closing" || this.state === "closed") return;
    const line = this.writer.event(event);
    this.beginMember().append(`${line}\n`);
    // What is known of the run grows: the last line about it counts.
    if (event.kind === "run_start") this.standing[0] = line;
    else if (STANDING.has(event.kind)) this.standing.push(line);
  }

  /** Settles when everything taken so far is on disk, or the disk has refused it, which is said by a notice. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { packer } = this;
    if (packer === undefined) return this.writing;
    this.packer = undefined;
    const scrapes = this.times?.scrapes ?? 0;
    const header = {
      sequence: this.members++,
      scrapes,
      scrapesBefore: this.taken,
      first: this.times?.first ?? epochNs(0n),
      last: this.times?.last ?? epochNs(0n),
    };
    this.taken += scrapes;
    this.times = undefined;
    this.packing++;
    const packed = packer.end();
    return this.enqueue(async () => {
      this.wait({ bytes: withHeader(await packed.finally(() => this.packing--), header), scrapes });
      if (this.retry === undefined) await this.writeWaiting();
    });
  }

  /**
   * Writes what there is and closes the file. What the disk refuses goes on waiting in memory, to be written later:
   * `unwritten` tells.
   */
  async close(): Promise<void> {
    if (this.state === "closing" || this.state === "closed") return;
    void this.flush();
    this.state = "closing";
    this.stopRetry();
    await this.enqueue(() => this.writeWaiting());
  }

  /** Closes the journal and removes it: its run has been written elsewhere, or is not wanted. */
  async delete(): Promise<void> {
    await this.close();
    this.waiting.clear();
    await this.enqueue(() => this.finish());
    await rm(this.path, { force: true });
  }

  /**
   * Goes on in another file, with all that has been written so far: a place with more room. The one before is removed.
   * @throws UserError when that cannot be written; then nothing has changed
   */
  async moveTo(path: string): Promise<void> {
    const before = this.path;
    let failure: UserError | undefined;
    await this.enqueue(async () => {
      await this.file.continueIn(path).catch((error: unknown) => {
        failure = describeFileError(path, error, "write");
      });
      if (failure !== undefined) return;
      this.isWhole();
      await rm(before, { force: true });
      this.stopRetry();
      await this.writeWaiting();
    });
    if (failure !== undefined) throw failure;
  }

  /** Before a line is made: the first of a member repeats what earlier members said. */
  private beginMember(): Packer {
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
    if (this.packer !== undefined) return this.packer;
    const packer = new Packer(this.level, this.spare);
    this.packer = packer;
    if (this.members > 0) {
      this.writer.restart();
      for (const line of this.standing) packer.append(`${line}\n`);
    }
    return packer;
  }

  /** One after the other: two writes at once would mix. */
  private enqueue(step: () => Promise<void>): Promise<void> {
    return (this.writing = this.writing.then(step).catch((error: unknown) => this.noteTrouble(error)));
  }

  private wait(member: Member): void {
    const { passedOver } = this.waiting;
    if (!this.waiting.add(member) && passedOver === 0)
      this.options.onNotice(journalNotices.memoryFull(this.waiting.limitBytes));
  }

  private async writeWaiting(): Promise<void> {
    if (this.state === "closed") return;
    try {
      for (let next = this.waiting.next; next !== undefined; next = this.waiting.next) {
        await this.appendMember(next.bytes);
        this.written += next.scrapes;
        this.waiting.removeNext();
        this.disk?.wrote(next);
      }
      await this.restoreIfRemoved();
      // A write that was under way when it was closed is not the last one.
      if (this.state === "closing" && this.packing === 0) await this.settle();
      else this.noteRecovery();
    } catch (error) {
      this.noteTrouble(error);
    }
  }

  private async settle(): Promise<void> {
    try {
      await this.disk?.settle();
    } catch (error) {
      return this.writeAgain(error);
    }
    this.noteRecovery();
    await this.finish();
  }

  /** What was written may not have reached the disk, and is not there to be synchronised again. */
  private async writeAgain(error: unknown): Promise<void> {
    const members = this.disk?.takeBack() ?? [];
    if (members.length === 0) return;
    const bytes = members.reduce((sum, member) => sum + member.bytes.byteLength, 0);
    await this.file.cutTo(this.file.bytes - bytes);
    this.waiting.putBack(members);
    for (const { scrapes } of members) this.written -= scrapes;
    this.noteTrouble(error);
  }

  private async appendMember(member: Uint8Array): Promise<void> {
    await this.file.append(member);
    if (this.state !== "open" || this.file.bytes < this.options.limitBytes) return;
    this.state = "full";
    this.options.onNotice(journalNotices.limitReached(this.options.limitBytes));
  }

  private noteTrouble(error: unknown): void {
    const afterMs = Math.min(LONGEST_RETRY_MS, (this.retry?.afterMs ?? RETRY_MS / 2) * 2);
    clearTimeout(this.retry?.timer);
    this.retry = { afterMs, timer: setTimeout(() => void this.enqueue(() => this.writeWaiting()), afterMs).unref() };
    if (this.troubled) return;
    this.troubled = true;
    this.options.onNotice(journalNotices.refused(this.path, error));
  }

  private noteRecovery(): void {
    this.stopRetry();
    if (!this.troubled) return;
    this.troubled = false;
    this.options.onNotice(journalNotices.recovered(this.path, this.waiting.takePassedOver()));
  }

  private stopRetry(): void {
    clearTimeout(this.retry?.timer);
    this.retry = undefined;
  }

  private async restoreIfRemoved(): Promise<void> {
    if (!(await this.file.isRemoved())) return;
    this.orphaned = true;
    await this.file.restore();
    this.isWhole();
    this.options.onNotice(journalNotices.restored(this.path));
  }

  /** All that was written to it is in a file that has reached the disk. */
  private isWhole(): void {
    this.orphaned = false;
    this.disk?.forget();
  }

  private async beat(): Promise<void> {
    if (this.state === "closed") return;
    try {
      if (this.retry === undefined) await this.restoreIfRemoved();
      await this.file.touch();
    } catch (error) {
      if (this.retry === undefined) this.noteTrouble(error);
    }
  }

  private async finish(): Promise<void> {
    if (this.state === "closed") return;
    this.state = "closed";
    this.stopRetry();
    clearInterval(this.heartbeat);
    await this.file.close();
  }
}
