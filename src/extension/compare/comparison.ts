import { t } from "@vscode/l10n";
import { EventEmitter, ConfigurationTarget, workspace, type Disposable } from "vscode";
import { UserError } from "../../core/text/errors.js";
import type {
  ComparedSource,
  ComparisonEngineRequests,
  ComparisonSettings,
  ComparisonState,
} from "../../protocol/comparison.js";
import { ENGINE_ENDED } from "../../engine/client.js";
import type { ComparingEngine, SpawnComparison } from "../engine.js";
import { objectivesOf, SETTINGS } from "../settings/definitions.js";
import { readSetting, writeSetting } from "../settings/read.js";

interface ComparisonParts {
  readonly spawnComparison: SpawnComparison;
  /** As the settings are now. */
  readonly settings: () => ComparisonSettings;
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
    oldestFirst: boolean,
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

  /** Asks the engine. @throws UserError once it has ended by itself */
  async call<K extends keyof ComparisonEngineRequests>(
    name: K,
    params: ComparisonEngineRequests[K]["params"],
    signal?: AbortSignal,
  ): Promise<ComparisonEngineRequests[K]["result"]> {
    if (this.crash !== undefined) throw this.crash;
    return this.engine.client.call(name, params, signal);
  }

  /** Replaces an engine that ended by itself. */
  revive(): void {
    if (this.crash === undefined) return;
    this.crash = undefined;
    this.engine = this.begin(this.sources, this.latest?.settings ?? this.parts.settings(), false);
  }

  dispose(): void {
    this.changed.dispose();
    void this.engine.dispose();
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

/** How runs are compared by the settings. @throws UserError for one that cannot be read */
export function readComparisonSettings(): ComparisonSettings {
  return {
    threshold: readSetting(SETTINGS.compareThreshold) / 100,
    labelRules: readSetting(SETTINGS.compareLabelRules),
    directions: readSetting(SETTINGS.compareDirections),
    objectives: objectivesOf(readSetting(SETTINGS.slo)),
  };
}

/** All of these. */
export const COMPARISON_SETTINGS = [
  SETTINGS.compareThreshold,
  SETTINGS.compareLabelRules,
  SETTINGS.compareDirections,
  SETTINGS.slo,
];

/**
 * Keeps what was changed in a view with the workspace, for later comparisons. Without a workspace it holds for that one
 * comparison alone.
 */
export async function saveComparisonSettings({
  threshold,
  labelRules,
  directions,
}: Partial<ComparisonSettings>): Promise<void> {
  if (workspace.workspaceFolders === undefined) return;
  const target = ConfigurationTarget.Workspace;
  // In per cent with the digits a person would type.
  if (threshold !== undefined)
    await writeSetting(SETTINGS.compareThreshold, Number((threshold * 100).toPrecision(6)), target);
  if (labelRules !== undefined) await writeSetting(SETTINGS.compareLabelRules, labelRules, target);
  if (directions !== undefined) await writeSetting(SETTINGS.compareDirections, directions, target);
}
