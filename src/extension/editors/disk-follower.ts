/** What tells one state of a file on disk from another. */
export interface DiskStamp {
  readonly mtimeMs: number;
  readonly bytes: number;
}

export interface DiskFollowerParts {
  /** The file as it is now; undefined when there is none. */
  stamp(): Promise<DiskStamp | undefined>;
  /** Said once, until the file is read anew. */
  onChanged(): void;
  /** Said once, until the file is back. */
  onDeleted(): void;
  /** The file could not be looked at. */
  onTrouble(error: unknown): void;
}

/** A writer that replaces a file leaves none for a moment, and one that appends comes again at once. */
const SETTLE_MS = 500;

/** Tells once that a file is no longer what was read, however often it is written to. */
export class DiskFollower {
  private read: Promise<DiskStamp | undefined>;
  private reported: "nothing" | "changed" | "deleted" = "nothing";
  private timer: NodeJS.Timeout | undefined;
  private disposed = false;

  constructor(private readonly parts: DiskFollowerParts) {
    this.read = this.now();
  }

  /** The file is about to be read from its beginning, or has been read up to now. */
  restart(): void {
    if (this.disposed) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.reported = "nothing";
    this.read = this.now();
  }

  /** Something may have happened to the file. */
  look(): void {
    if (this.disposed || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.compare(this.read);
    }, SETTLE_MS);
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.timer);
  }

  private async compare(reading: Promise<DiskStamp | undefined>): Promise<void> {
    const [before, now] = await Promise.all([reading, this.now()]);
    // Disposed, or read anew while the disk was asked.
    if (this.disposed || reading !== this.read) return;
    const isSame = before?.mtimeMs === now?.mtimeMs && before?.bytes === now?.bytes;
    const state = isSame ? "nothing" : now === undefined ? "deleted" : "changed";
    if (state === this.reported) return;
    this.reported = state;
    if (state === "deleted") this.parts.onDeleted();
    if (state === "changed") this.parts.onChanged();
  }

  private async now(): Promise<DiskStamp | undefined> {
    try {
      return await this.parts.stamp();
    } catch (error) {
      this.parts.onTrouble(error);
      return undefined;
    }
  }
}
