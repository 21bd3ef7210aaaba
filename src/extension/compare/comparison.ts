import { t } from "@vscode/l10n";
import { EventEmitter, type Disposable } from "vscode";
import { UserError } from "../../core/text/user-error.js";
import type {
  ComparedSource,
  ComparisonEngineRequests,
  ComparisonRequests,
  ComparisonSettings,
  ComparisonState,
} from "../../protocol/comparison.js";
import type { Handlers } from "../../protocol/index.js";
import { ENGINE_ENDED } from "../../engine/client.js";
import type { ComparingEngine, SpawnComparison } from "../engine.js";

export interface ComparisonParts {
  readonly spawnComparison: SpawnComparison;
  /** As the settings are now. */
  readonly settings: () => ComparisonSettings;
  /** From where on findings speak. */
  readonly thresholds: () => Readonly<Record<string, number>>;
  /** Paths by sets of repeats, as a user grouped these runs before. */
  readonly sets: (sources: readonly ComparedSource[]) => readonly (readonly string[])[] | undefined;
}

/** One comparison in an engine of its own. It answers any number of pages. */
export class ActiveComparison implements Disposable {
  private engine: ComparingEngine;
  private latest: ComparisonState | undefined;
  private crash: UserError | undefined;
  private readonly changed = new EventEmitter<ComparisonState>();
  readonly onDidChange = this.changed.event;

  /** @param oldestFirst the run that began first becomes the baseline */
  constructor(
    private readonly given: readonly ComparedSource[],
    private readonly parts: ComparisonParts,
    { oldestFirst }: { readonly oldestFirst: boolean },
  ) {
    this.engine = this.begin(given, parts.settings(), oldestFirst);
  }

  /** As last received; undefined before the first. */
  get state(): ComparisonState | undefined {
    return this.latest;
  }

  /** What is compared, also before the engine has answered. */
  get sources(): readonly ComparedSource[] {
    return this.latest?.runs.map(({ source }) => source) ?? this.given;
  }

  /**
   * What pages may ask of the engine. An engine that ended by itself is replaced when a page asks for the state anew.
   */
  requests(): Handlers<ComparisonRequests> {
    const by =
      <K extends keyof ComparisonRequests>(name: K) =>
      (params: ComparisonEngineRequests[K]["params"], signal: AbortSignal) =>
        this.client().call(name, params, signal);
    return {
      comparisonState: (params, signal) => {
        if (this.crash !== undefined) this.restart();
        return this.client().call("comparisonState", params, signal);
      },
      comparison: by("comparison"),
      configure: by("configure"),
      arrange: by("arrange"),
      readAgain: by("readAgain"),
      runChart: by("runChart"),
      runHeatmap: by("runHeatmap"),
      runCheck: by("runCheck"),
      findingChanges: (_, signal) =>
        this.client().call("findingChanges", { thresholds: this.parts.thresholds() }, signal),
      report: (params, signal) =>
        this.client().call("report", { ...params, thresholds: this.parts.thresholds() }, signal),
    };
  }

  /** For a report. */
  call<K extends keyof ComparisonRequests>(
    name: K,
    params: ComparisonEngineRequests[K]["params"],
    signal?: AbortSignal,
  ): Promise<ComparisonEngineRequests[K]["result"]> {
    return this.client().call(name, params, signal);
  }

  async configure(settings: ComparisonSettings): Promise<void> {
    await this.client().call("configure", settings);
  }

  async add(source: ComparedSource): Promise<void> {
    await this.client().call("addSource", { source });
  }

  /** The content of a compared file is in another now. */
  async move(from: string, to: string): Promise<void> {
    await this.client().call("moveSource", { from, to });
  }

  dispose(): void {
    this.changed.dispose();
    void this.engine.dispose();
  }

  private client() {
    if (this.crash !== undefined) throw this.crash;
    return this.engine.client;
  }

  private restart(): void {
    this.crash = undefined;
    this.engine = this.begin(this.sources, this.latest?.settings ?? this.parts.settings(), false);
  }

  private begin(
    sources: readonly ComparedSource[],
    settings: ComparisonSettings,
    oldestFirst: boolean,
  ): ComparingEngine {
    const engine = this.parts.spawnComparison();
    engine.client.on("state", (state) => this.publish(state));
    void engine.crashed.then((reason) => {
      if (reason !== undefined && engine === this.engine) this.lost(reason);
    });
    // The engine's end is reported by `crashed`.
    const sets = this.parts.sets(sources);
    const given = { sources, settings, oldestFirst, ...(sets === undefined ? {} : { sets }) };
    engine.client.call("compare", given).catch(() => undefined);
    return engine;
  }

  private lost(reason: string): void {
    const message = t`the engine of this comparison ended unexpectedly: ${reason}`;
    const remedy = t("Close the comparison and compare fewer or smaller runs, or show it again to retry.");
    this.crash = new UserError(message, remedy, { code: ENGINE_ENDED });
    if (this.latest === undefined) return;
    const { comparing: _, ...state } = this.latest;
    this.publish({ ...state, problem: { code: ENGINE_ENDED, message, remedy } });
  }

  private publish(state: ComparisonState): void {
    this.latest = state;
    this.changed.fire(state);
  }
}
