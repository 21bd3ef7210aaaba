import {
  spawnComparison,
  spawnEngine,
  ENGINE_ENDED,
  type ComparisonClient,
  type EngineClient,
  type Spawned,
} from "../engine/client.js";
import { SETTINGS } from "./settings/definitions.js";
import { readSetting } from "./settings/read.js";
import type { Log } from "./workbench-text.js";
import { Disposable, EventEmitter } from "vscode";
import type { FamilySummary, RunHeader, Tile } from "../protocol/index.js";
import { UserError } from "../core/text/errors.js";
import { MAX_LEFT_OUT, type LeftOutFile } from "../core/model/files.js";
import type { FolderOfRuns } from "../protocol/library.js";

/** The worker thread that owns one run. */
export type RunEngine = Omit<Spawned<EngineClient>, "exited">;
/** The worker thread that owns the runs of one comparison. */
export type ComparingEngine = Omit<Spawned<ComparisonClient>, "exited">;

/** @param task a capture may take as much memory as there is: what it holds exists nowhere else but in its journal */
export type SpawnEngine = (task?: "capture") => RunEngine;
export type SpawnComparison = () => ComparingEngine;

/** Engines of the bundle at `workerPath`; what they log goes to the extension's log. */
export function engineSpawner(workerPath: string, log: Log): SpawnEngine {
  return (task) => {
    const spawned = spawnEngine(workerPath, task === "capture" ? undefined : readSetting(SETTINGS.memoryLimit));
    spawned.client.on("log", ({ level, message }) => log[level](message));
    return spawned;
  };
}

/** As `engineSpawner`. */
export function comparisonSpawner(workerPath: string): SpawnComparison {
  return () => spawnComparison(workerPath, readSetting(SETTINGS.memoryLimit));
}

/**
 * A run in an engine: a capture, running or stopped, one rebuilt from its journal, or an opened file.
 * It lives as long as something holds it; the last one to let go ends the engine.
 */
export class EngineRun {
  /** Undefined until the engine's first report. */
  header: RunHeader | undefined;
  families: readonly FamilySummary[] = [];
  /** As last reported. */
  tiles: readonly Tile[] = [];
  /** The file its scrapes are kept in until artifacts have been written and verified. */
  journalPath: string | undefined;
  /** Where its artifacts were written first. */
  directory: string | undefined;
  private readonly changed = new EventEmitter<void>();
  private readonly ended = new EventEmitter<void>();
  private readonly holds = new Set<Disposable>();
  private readonly unlisten: readonly (() => void)[];

  readonly onDidChange = this.changed.event;
  /** The engine is gone: every further request rejects. */
  readonly onDidEnd = this.ended.event;

  constructor(readonly engine: RunEngine) {
    this.unlisten = [
      engine.client.on("progress", ({ header, tiles }) => {
        this.header = header;
        this.tiles = tiles;
        this.changed.fire();
      }),
      engine.client.on("families", ({ families }) => {
        this.families = families;
        this.changed.fire();
      }),
    ];
  }

  get label(): string | undefined {
    return this.header?.label;
  }

  get startedAt(): Date {
    return new Date(this.header?.originMs ?? Date.now());
  }

  /** Asks for the present state instead of waiting for the next report. */
  async refresh(): Promise<void> {
    const description = await this.engine.client.call("describe", {});
    this.header = description.header;
    this.families = description.families;
    this.changed.fire();
  }

  /** Keeps the run alive until the returned disposable is disposed. */
  hold(): Disposable {
    const hold = new Disposable(() => {
      if (this.holds.delete(hold) && this.holds.size === 0) void this.end();
    });
    this.holds.add(hold);
    return hold;
  }

  /** Ends the engine whoever holds it. */
  async end(): Promise<void> {
    this.holds.clear();
    for (const remove of this.unlisten) remove();
    this.ended.fire();
    this.changed.dispose();
    this.ended.dispose();
    await this.engine.dispose();
  }
}

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
