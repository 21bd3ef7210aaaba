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
