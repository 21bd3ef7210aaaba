import type { Problem } from "../../core/model/index.js";
import type { ExportOptions, OpenedFile, RunHeader } from "../../protocol/index.js";
import { largeHeader } from "../header.js";
import type { LargeRun } from "./large-run.js";
import { inParts, LiveTiles } from "../capture/live-tiles.js";
import { engineError } from "../described.js";
import { Subject, type ExportContext, type Exported, type SubjectHost } from "./subject.js";

/** A file whose samples stay on disk: each family is read when something is asked of it. */
export class LargeSubject extends Subject {
  readonly tiles;

  constructor(
    readonly answers: LargeRun,
    private readonly problems: readonly Problem[],
    readonly file: OpenedFile,
    private readonly host: SubjectHost,
  ) {
    super();
    const read = inParts(
      (signal, onSome) => answers.tiles(signal, onSome),
      () => host.push(),
    );
    this.tiles = new LiveTiles(read, answers.pendingTiles());
    host.beside(() => this.tiles.readNow());
  }

  get inputConfig() {
    return this.answers.frame.metadata.inputConfig;
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

  override findings(): Promise<never> {
    return Promise.reject(
      engineError(
        "no-findings",
        "findings need all samples, but of a file this large only what is shown is read",
        "The command line reads it whole: server-metrics insights FILE",
      ),
    );
  }

  /** A client's files are not read beside a file of this size. */
  override clientServer(): Promise<readonly never[]> {
    return Promise.resolve([]);
  }

  override addClient(): Promise<never> {
    return Promise.reject(engineError("no-samples", "the samples of a file this large stay on disk"));
  }

  override movesWith(): Promise<never> {
    return this.findings();
  }

  protected settled() {
    return this.answers.frame;
  }

  protected async write(options: ExportOptions, context: ExportContext): Promise<Exported> {
    const run = await this.answers.whole(context.signal, (fraction) => context.onProgress("Reading", fraction));
    return this.writeRun(run, options, context);
  }
}
