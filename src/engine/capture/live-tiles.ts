import type { Tile } from "../../core/query/index.js";

/** The share of one core that reading the tiles may take before it is done less often. */
const SHARE = 0.1;

/** Reads all tiles. May tell of some before it has all. */
export type ReadTiles = (signal: AbortSignal, onSome: (tiles: readonly Tile[]) => void) => Promise<readonly Tile[]>;

/** The time between two parts of a reading that are shown. */
const PART_MS = 250;

/**
 * The tiles of a run as last read. Reading them walks every sample of the key families, so it is done in steps between
 * the scrapes, and of a large run not at every push.
 */
export class LiveTiles {
  private reading: { readonly done: Promise<void>; readonly controller: AbortController } | undefined;
  private dueMs = 0;

  /**
   * @param tiles what stands for them until they are read
   * @param push called whenever some have been read: a view that waited for all of a fleet's would be empty meanwhile
   */
  constructor(
    private readonly readAll: ReadTiles,
    private tiles: readonly Tile[] = [],
    private readonly push: () => void = () => undefined,
  ) {}

  get latest(): readonly Tile[] {
    return this.tiles;
  }

  /** Joins a reading under way; else reads, unless the last time was too recent for what it cost. */
  readIfDue(): Promise<void> {
    if (this.reading !== undefined) return this.reading.done;
    return performance.now() < this.dueMs ? Promise.resolve() : this.readNow();
  }

  /** Reads anew. A reading under way is given up: what it stands on has changed. */
  readNow(): Promise<void> {
    this.stop();
    const controller = new AbortController();
    const done = this.read(controller.signal).finally(() => {
      if (this.reading?.controller === controller) this.reading = undefined;
    });
    this.reading = { done, controller };
    return done;
  }

  /** Gives up a reading under way. */
  stop(): void {
    this.reading?.controller.abort();
    this.reading = undefined;
  }

  private async read(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    let shownMs = begun;
    const show = (tiles: readonly Tile[]) => {
      shownMs = performance.now();
      this.tiles = tiles;
      this.push();
    };
    const showSome = (some: readonly Tile[]) => {
      if (!signal.aborted && performance.now() - shownMs >= PART_MS) show(some);
    };
    const tiles = await this.readAll(signal, showSome).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    // Given up for the next one, which settles for it.
    if (signal.aborted || tiles === undefined) return this.reading?.done;
    show(tiles);
    const now = performance.now();
    this.dueMs = now + (now - begun) / SHARE;
  }
}
