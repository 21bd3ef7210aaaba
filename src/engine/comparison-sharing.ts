import type { PartialContent } from "../core/compare/index.js";
import type { HelperClient, Spawned } from "./client.js";
import type { SourceRun } from "./comparison-run.js";
import { SecondThread } from "./comparison-second.js";

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
   * Settles who reads each run that nobody has begun to read. The first table is there before a second thread would
   * have started: averages take one thread 1.4 s of processor time, and two of them 1.9 s. Never rejects.
   */
  async assign(runs: readonly SourceRun[], content: PartialContent): Promise<void> {
    const large: SourceRun[] = [];
    for (const run of runs) if (await run.isLarge(this.rows)) large.push(run);
    const { spawn } = this;
    if (spawn === undefined || content === "averages") return;
    for (const [i, run] of large.entries()) if (i % 2 === 1) run.second ??= this.second ??= new SecondThread(spawn());
  }

  /** Once all is read and compared: the thread's own memory is free again. */
  async end(): Promise<void> {
    const { second } = this;
    this.second = undefined;
    await second?.end();
  }
}
