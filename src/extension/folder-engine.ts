import { UserError } from "../core/text/user-error.js";
import { MAX_LEFT_OUT, type LeftOutFile } from "../core/model/left-out.js";
import { ENGINE_ENDED } from "../engine/client.js";
import type { FolderOfRuns } from "../protocol/library.js";
import type { RunEngine, SpawnEngine } from "./engine.js";

/** Reads the runs of a folder in an engine. A file that ends the engine, such as by its memory, is left out. */
export class FolderEngine {
  private engine: RunEngine | undefined;
  /** What the engine reads now. */
  private reading: string | undefined;
  private readonly leftOut: LeftOutFile[] = [];
  private isClosed = false;

  /** @param onStart of each engine, which takes the place of one that ended */
  constructor(
    private readonly folder: string,
    private readonly spawnEngine: SpawnEngine,
    private readonly onStart: (engine: RunEngine) => void = () => undefined,
  ) {}

  /** Asks the engine, and anew where a file ends it. @throws UserError */
  readonly ask = async <T>(question: (client: RunEngine["client"], folder: FolderOfRuns) => Promise<T>): Promise<T> => {
    for (;;) {
      const engine = (this.engine ??= this.start());
      try {
        return await question(engine.client, { folder: this.folder, leftOut: [...this.leftOut] });
      } catch (error) {
        const hasEnded = error instanceof UserError && error.code === ENGINE_ENDED;
        if (!hasEnded) throw error;
        const reason = (await engine.crashed) ?? error.message;
        if (this.isClosed) throw error;
        // Another request, which was pending too, has dealt with it.
        if (engine !== this.engine) continue;
        const path = this.reading;
        this.engine = undefined;
        this.reading = undefined;
        if (path === undefined || this.leftOut.length === MAX_LEFT_OUT) throw error;
        this.leftOut.push({ path, reason });
      }
    }
  };

  dispose(): void {
    this.isClosed = true;
    void this.engine?.dispose();
  }

  private start(): RunEngine {
    const engine = this.spawnEngine();
    engine.client.on("work", ({ message }) => {
      this.reading = message;
    });
    this.onStart(engine);
    return engine;
  }
}
