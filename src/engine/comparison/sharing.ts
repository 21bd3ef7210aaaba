import type { HelperClient, Spawned } from "../client.js";
import type { SourceRun } from "./compared-run.js";
import { SecondThread } from "./second.js";

/** Starts the second thread of a comparison. */
export type SpawnHelper = () => Spawned<HelperClient>;

/** Who reads which file: of the large ones a second thread reads every other, never a third. */
export class ReadingShares {
  private second: SecondThread | undefined;

  /**
   * @param rows from which on a file is large
   * @param spawn absent: there is one thread alone
   */
  constructor(
    private readonly rows: number,
    private readonly spawn: SpawnHelper | undefined,
  ) {}

  /**
   * Settles who reads each run that nobody has begun to read. The second thread starts at once, so that it need not be
   * waited for: 0.25 s while the first one works. Never rejects.
   */
  async assign(runs: readonly SourceRun[]): Promise<void> {
    const large: SourceRun[] = [];
    for (const run of runs) if (await run.isLarge(this.rows)) large.push(run);
    const { spawn } = this;
    if (spawn === undefined) return;
    for (const [i, run] of large.entries()) if (i % 2 === 1) run.second ??= this.second ??= new SecondThread(spawn());
  }

  /** A run has been read here: the second thread computes some of what will be asked of it. */
  ahead(run: SourceRun): void {
    if (this.second !== undefined) run.computeAhead(this.second);
  }

  /** @param seconds length of the slices that will be asked for */
  cut(seconds: number | undefined): void {
    if (seconds !== undefined) void this.second?.cut(seconds);
  }

  /** Once all is read and compared: the thread's own memory is free again. */
  async end(): Promise<void> {
    const { second } = this;
    this.second = undefined;
    await second?.end();
  }
}
