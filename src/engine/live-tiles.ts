import { tileSteps, type Tile } from "../core/query/index.js";
import type { Run } from "../core/store/index.js";
import { runSteps } from "./stepper.js";

/** The share of one core that reading the tiles may take before it is done less often. */
const SHARE = 0.1;

/**
 * The tiles of a run as last read. Reading them walks every sample of the key families, so it is done in steps between
 * the scrapes, and of a large run not at every push.
 */
export class LiveTiles {
  private tiles: readonly Tile[] = [];
  private reading: { readonly done: Promise<void>; readonly controller: AbortController } | undefined;
  private dueMs = 0;

  constructor(private readonly run: Run) {}

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
    this.reading?.controller.abort();
    const controller = new AbortController();
    const done = this.read(controller.signal).finally(() => {
      if (this.reading?.controller === controller) this.reading = undefined;
    });
    this.reading = { done, controller };
    return done;
  }

  private async read(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const tiles = await runSteps(tileSteps(this.run), signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    // Given up for the next one, which settles for it.
    if (signal.aborted || tiles === undefined) return this.reading?.done;
    this.tiles = tiles;
    const now = performance.now();
    this.dueMs = now + (now - begun) / SHARE;
  }
}
