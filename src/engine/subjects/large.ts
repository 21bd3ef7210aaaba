import type { Family, Problem } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import type { OpenedFile, RunHeader } from "../../protocol/index.js";
import { largeHeader } from "../header.js";
import type { LargeRun } from "./large-run.js";
import { inParts, LiveTiles } from "../capture/live-tiles.js";
import { Subject, type SubjectHost } from "./subject.js";

/** A file whose samples stay on disk: each family is read when something is asked of it. */
export class LargeSubject extends Subject {
  readonly tiles;

  constructor(
    readonly answers: LargeRun,
    private readonly problems: readonly Problem[],
    readonly file: OpenedFile,
    private readonly host: SubjectHost,
  ) {
    super(answers.frame);
    const read = inParts(
      async (signal, onSome) => {
        const tiles = await answers.tiles(signal, onSome);
        await answers.offerLoad(signal);
        return tiles;
      },
      () => host.push(),
    );
    this.tiles = new LiveTiles(read, answers.pendingTiles());
    host.beside(() => this.tiles.readNow());
  }

  /** They are pushed as they come: nobody waits for them. */
  override renewTiles(): Promise<void> {
    this.host.beside(() => this.tiles.readNow());
    return Promise.resolve();
  }

  override async close(): Promise<void> {
    await super.close();
    await this.answers.close();
  }

  protected describe(): RunHeader {
    return largeHeader(this.answers, this.problems, this.file);
  }

  override addClient(paths: readonly string[], signal: AbortSignal): Promise<readonly Problem[]> {
    return this.answers.addClient(this.file.path, paths, signal);
  }

  protected override samplesOf(
    only: (family: Family) => boolean,
    signal: AbortSignal,
    onProgress?: (fraction: number) => void,
  ): Promise<Run> {
    return this.answers.samplesOf(only, signal, onProgress);
  }
}
