import { Disposable, EventEmitter } from "vscode";
import type { FamilySummary, RunHeader, Tile } from "../../protocol/index.js";
import type { RunEngine } from "../engine.js";

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
