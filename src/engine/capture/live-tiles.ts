import type { Tile } from "../../core/query/index.js";

/** The share of one core that reading the tiles may take before it is done less often. */
const SHARE = 0.1;

/** Reads all tiles. May tell of some before it has all. */
export type ReadTiles = (signal: AbortSignal, onSome: (tiles: readonly Tile[]) => void) => Promise<readonly Tile[]>;

/** The time between two parts of a reading that are shown. */
const PART_MS = 250;

/** Shows tiles as they come: a view that waited for all of a fleet's would be empty meanwhile. */
export function inParts(read: ReadTiles, push: () => void): ReadTiles {
  return async (signal, onSome) => {
    let shown = performance.now();
    const tiles = await read(signal, (some) => {
      if (performance.now() - shown < PART_MS || signal.aborted) return;
      shown = performance.now();
      onSome(some);
      push();
    });
    if (signal.aborted) return tiles;
    onSome(tiles);
    push();
    return tiles;
  };
}

/**
 * The tiles of a run as last read. Reading them walks every sample of the key families, so it is done in steps between
 * the scrapes, and of a large run not at every push.
 */
export class LiveTiles {
  private reading: { readonly done: Promise<void>; readonly controller: AbortController } | undefined;
  private dueMs = 0;

  /** @param tiles what stands for them until they are read */
  constructor(
    private readonly readAll: ReadTiles,
    private tiles: readonly Tile[] = [],
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
    const show = (tiles: readonly Tile[]) => {
      if (!signal.aborted) this.tiles = tiles;
    };
    const tiles = await this.readAll(signal, show).catch((error: unknown) => {
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
