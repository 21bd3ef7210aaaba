import type { Member } from "./disk-sync.js";

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
