import type { ChannelServer, EngineEvents, EngineRequests, Tile } from "../protocol/index.js";
import type { Answers } from "./answers.js";
import type { Subject } from "./subjects/subject.js";

/** The time between two pushes to a view. */
export const PUSH_MS = 1000;

/** Tells a view of its subject: whenever something has changed, and once a second while it goes on by itself. */
export class Pushes {
  private timer: NodeJS.Timeout | undefined;
  /** The tiles are older than the run. */
  private tilesDue = false;
  /** Whose families the view has, and of how many series. */
  private sentFamilies: { readonly of: Answers; readonly series: number } | undefined;
  private sentTiles: readonly Tile[] = [];

  constructor(
    private readonly server: ChannelServer<EngineRequests, EngineEvents>,
    private readonly subject: () => Subject | undefined,
  ) {}

  /** Families, header and tiles as they are. */
  now(): void {
    const subject = this.subject();
    if (subject === undefined) return;
    const { answers, tiles } = subject;
    const { seriesCount: series } = answers;
    // Another phase of a file, or the run after its first part, may have other families of the same number.
    if (this.sentFamilies?.of !== answers || this.sentFamilies.series !== series) {
      this.sentFamilies = { of: answers, series };
      this.server.emit("families", { families: answers.families() });
    }
    this.sentTiles = tiles.latest;
    this.server.emit("progress", { header: subject.header(), tiles: this.sentTiles });
  }

  /** What a request just changed: the header at once, the tiles as soon as they are read. */
  async changed(): Promise<null> {
    const subject = this.subject();
    const reading = subject?.renewTiles();
    this.now();
    await reading;
    if (subject === this.subject() && subject?.tiles.latest !== this.sentTiles) this.now();
    return null;
  }

  /** Once a second, however long the tiles of the last push took. */
  start(last = performance.now()): void {
    const due = last + PUSH_MS;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.next(due), Math.max(0, due - performance.now()));
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** What cannot be shown must not end a capture: it is written to the log. */
  async logged(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.server.emit("log", {
        level: "error",
        message: `The view could not be updated with the run's progress: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      });
    }
  }

  private async next(due: number): Promise<void> {
    const subject = this.subject();
    if (subject === undefined) return;
    await this.logged(async () => {
      const grown = await subject.advance();
      if (grown) this.tilesDue = true;
      if (this.tilesDue) await subject.readTiles();
      // A file that has been read in the meantime has pushed its own state.
      if (this.subject() !== subject) return;
      const fresh = subject.tiles.latest !== this.sentTiles;
      if (fresh) this.tilesDue = false;
      if (grown || fresh) this.now();
    });
    if (this.subject() === subject && subject.isLive) this.start(Math.max(due, performance.now() - PUSH_MS));
  }
}
