import { t } from "@vscode/l10n";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { Disposable, ViewColumn, window, type WebviewPanel } from "vscode";
import { UserError } from "../../core/text/errors.js";
import { ChannelServer, COMPARISON_GUARDS, type Assertion, type Handlers } from "../../protocol/index.js";
import { comparedSets } from "../../protocol/compared-sets.js";
import {
  DEFAULT_COMPARISON_SETTINGS,
  MAX_CANDIDATES,
  type ComparedSource,
  type ComparisonRequests,
  type ComparisonSettings,
  type ComparisonState,
  type ComparisonViewEvents,
  type ComparisonViewRequests,
  type ReportFormat,
} from "../../protocol/comparison.js";
import { MEMORY_KEYS, VIEW_TYPES } from "../command-ids.js";
import type { SpawnComparison } from "../engine.js";
import { writeExperiment } from "../experiment/new-experiment.js";
import type { Notifier } from "../notify.js";
import { FILE_FORMATS, openRunFile, saveText, selectedFiles } from "../workbench-files.js";
import { SETTINGS } from "../settings/definitions.js";
import { onSettings, openedFolder, readSetting } from "../settings/read.js";
import type { ShownSetting } from "../settings/shown-setting.js";
import { isArtifact, parseArtifactName } from "../../core/artifacts/names.js";
import type { FolderPanelsParts } from "../view/folder-panels.js";
import { LayoutMemory } from "../view/layouts.js";
import { setPanelTitle } from "../workbench-text.js";
import { OpenPanels } from "../view/left-tabs.js";
import { webviewPort } from "../view/bridge.js";
import { buildPage, copyForPage, preparePanel, VisiblePage } from "../view/page.js";
import { chooseRuns, type ChooserParts } from "./choose.js";
import { ActiveComparison, COMPARISON_SETTINGS, readComparisonSettings, saveComparisonSettings } from "./comparison.js";
import { sourcesOf, titleOf } from "./page-state.js";
import { isFolder } from "../../files/folders.js";

export interface ComparisonsParts extends ChooserParts, FolderPanelsParts {
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  readonly spawnComparison: SpawnComparison;
  readonly assertions: ShownSetting<readonly Assertion[]>;
  readonly notifier: Notifier;
  /** The artifact that has taken the place of a capture's journal. */
  successorOf(journal: string): Promise<string | undefined>;
  /** Shows the capture of this window. */
  showCapture(): void;
}

const layouts = new LayoutMemory<string>("serverMetrics.comparisonLayouts", 50);
/** Paths of runs by sets of repeats, where a user has grouped them. */
const groupings = new LayoutMemory<readonly (readonly string[])[]>("serverMetrics.comparisonSets", 50);

/** What the engine answers by itself. */
type Relayed = Exclude<keyof ComparisonRequests, "comparisonState" | "configure" | "findingChanges" | "report">;

/** All comparisons that are open, each in a panel of its own. */
export class Comparisons implements Disposable {
  private readonly shown = new Set<ActiveComparison>();
  private readonly settingsListener: Disposable;
  private readonly open: OpenPanels;
  /** Changed settings are written one after the other: the last change stays. */
  private saving: Promise<void> = Promise.resolve();

  constructor(private readonly parts: ComparisonsParts) {
    this.settingsListener = onSettings(COMPARISON_SETTINGS, () => this.applySettings());
    this.open = new OpenPanels(parts.memory, MEMORY_KEYS.comparisons);
    parts.leftTabs.restore(VIEW_TYPES.comparison, (panel, state) => this.restore(panel, state));
  }

  /** **Compare Runs**: of the selected files or rows, else of those asked for. @throws UserError */
  async compareRuns(clicked: unknown, selected: unknown): Promise<void> {
    const rows: readonly unknown[] =
      Array.isArray(selected) && selected.length > 0 ? selected : clicked === undefined ? [] : [clicked];
    const files = (await Promise.all(rows.flatMap(selectedFiles).map(inFolder))).flat();
    if (rows.length > 0 && files.length === 0)
      throw new UserError(
        t("Nothing that is selected is a file on disk, and runs are read from disk."),
        t("Save a copy to a folder first."),
      );
    const runs = await runsOf(files);
    if (files.length > 1 && runs.length === 1)
      throw new UserError(
        t`The selected files are all of one run, ${nameOf(runs[0])}.`,
        t("Select files of different runs."),
      );
    const [only] = runs;
    if (only !== undefined && runs.length === 1) return this.compareWith([only]);
    const sources =
      runs.length > 1
        ? runs.map((file) => ({ path: file }))
        : await chooseRuns(this.parts, { title: t("Compare Runs"), several: true });
    if (sources === undefined) return;
    if (sources.length === 1)
      throw new UserError(t("A comparison needs at least two runs."), t("Choose more than one file."));
    if (sources.length > MAX_CANDIDATES + 1)
      throw new UserError(
        t`${sources.length} runs are selected; a comparison takes 2 to ${MAX_CANDIDATES + 1} runs.`,
        t("Select fewer runs."),
      );
    this.show(sources);
  }

  /** **Compare with…**: the run of these files, by the richest of them, with one that is asked for. */
  async compareWith(files: readonly string[]): Promise<void> {
    const [file] = await runsOf(files);
    if (file === undefined) return;
    const others = await chooseRuns(this.parts, {
      title: t`Compare ${nameOf(file)} with…`,
      near: file,
      without: [file],
    });
    if (others !== undefined) this.show([{ path: file }, ...others]);
  }

  /** **Compare This Capture with…** @throws UserError when there is none */
  async compareCapture(): Promise<void> {
    const capture = await this.parts.capture();
    if (capture === undefined)
      throw new UserError(
        t("There is no capture to compare."),
        t("Start one, or compare saved runs with “Compare Runs”."),
      );
    const others = await chooseRuns(
      { ...this.parts, capture: () => Promise.resolve(undefined) },
      {
        title: t("Compare This Capture with…"),
        without: [capture.path],
        ...(capture.live === true ? {} : { near: capture.path }),
      },
    );
    if (others !== undefined) this.show([...others, capture]);
  }

  /** A panel that is brought back, with what its page kept or what it is known to have shown. */
  restore(panel: WebviewPanel, state?: unknown): void {
    const known = this.open.take(panel.title);
    const sources = sourcesOf(state ?? known);
    if (sources.length === 0) {
      this.parts.notifier.log.info("A comparison was closed before it named its runs, and is not restored.");
      panel.dispose();
      return;
    }
    this.adopt(panel, sources, false);
  }

  /** Artifacts have been written: those of a compared capture take the place of its journal. */
  async captureWritten(): Promise<void> {
    for (const comparison of this.shown) {
      for (const { path: file } of comparison.sources) {
        const successor = await this.parts.successorOf(file);
        if (successor !== undefined) await comparison.call("moveSource", { from: file, to: successor });
      }
    }
  }

  dispose(): void {
    this.settingsListener.dispose();
    // The tabs stay: the next extension host shows them anew.
    for (const comparison of this.shown) comparison.dispose();
  }

  /** The run that began first becomes the baseline. */
  private show(sources: readonly ComparedSource[]): void {
    const title = titleOf({ runs: [] });
    this.adopt(
      window.createWebviewPanel(VIEW_TYPES.comparison, title, ViewColumn.Active, { enableScripts: true }),
      sources,
      true,
    );
  }

  private adopt(panel: WebviewPanel, sources: readonly ComparedSource[], oldestFirst: boolean): void {
    const { assertions, extensionUri, memory, spawnComparison } = this.parts;
    const comparison = new ActiveComparison(
      sources,
      {
        spawnComparison,
        settings: () => this.settings(),
        sets: (runs) => groupings.load(memory, idOf(runs)) ?? undefined,
      },
      oldestFirst,
    );
    this.shown.add(comparison);
    preparePanel(panel, this.parts);
    const handlers = this.handlers(panel, comparison);
    const page = new VisiblePage(
      panel,
      () =>
        new ChannelServer<ComparisonViewRequests, ComparisonViewEvents, Relayed>(
          webviewPort(panel.webview),
          handlers,
          COMPARISON_GUARDS,
          { ask: comparison.call.bind(comparison) },
        ),
    );
    const keep = () => this.open.keep(panel, { sources: comparison.sources });
    keep();
    const subscriptions = Disposable.from(
      page,
      comparison,
      assertions.onDidChange((list) => page.current?.emit("assertions", { assertions: list })),
      comparison.onDidChange((state) => {
        setPanelTitle(panel, titleOf(state));
        page.current?.emit("state", state);
        keep();
        this.keepGrouping(state);
      }),
    );
    panel.onDidDispose(() => {
      this.shown.delete(comparison);
      subscriptions.dispose();
    });
    buildPage(panel, extensionUri, "comparison");
  }

  /** Of these runs, for whenever they are compared again. */
  private keepGrouping({ grouped, runs }: ComparisonState): void {
    if (grouped !== true) return;
    const id = idOf(runs.map(({ source }) => source));
    const sets = comparedSets(runs).map((set) => set.map(({ source }) => source.path));
    if (JSON.stringify(groupings.load(this.parts.memory, id)) === JSON.stringify(sets)) return;
    this.parts.notifier.run(groupings.save(this.parts.memory, id, sets));
  }

  /** What the engine does not answer by itself. */
  private handlers(panel: WebviewPanel, comparison: ActiveComparison): Handlers<Omit<ComparisonViewRequests, Relayed>> {
    const { assertions, cliPath, memory, reports } = this.parts;
    const thresholds = () => readSetting(SETTINGS.insightThresholds);
    return {
      copy: copyForPage,
      assertions: () => assertions.current,
      comparisonState: (params, signal) => {
        comparison.revive();
        return comparison.call("comparisonState", params, signal);
      },
      findingChanges: (_, signal) => comparison.call("findingChanges", { thresholds: thresholds() }, signal),
      report: (params, signal) => comparison.call("report", { ...params, thresholds: thresholds() }, signal),
      saveReport: async ({ format, ...which }, signal) => {
        const how = { csvSafe: readSetting(SETTINGS.csvSafe), thresholds: thresholds() };
        const { text } = await comparison.call("report", { format, ...which, ...how }, signal);
        await this.save(comparison, format, text);
      },
      exportReport: reports.offer(panel, (files, signal) =>
        files.reportOfComparison(comparison, { signal, thresholds: thresholds() }),
      ),
      addCandidate: async () => {
        // What could not be read may be tried again.
        const without =
          comparison.state?.runs.flatMap(({ source, state }) => (state.kind === "failed" ? [] : [source.path])) ?? [];
        const near = without[0];
        const chosen = await chooseRuns(this.parts, {
          title: t("Add a Run to the Comparison"),
          without,
          ...(near === undefined ? {} : { near }),
        });
        for (const source of chosen ?? []) await comparison.call("addSource", { source });
      },
      openRun: async ({ run }) => {
        const source = comparison.state?.runs.find(({ id }) => id === run)?.source;
        if (source?.live === true) this.parts.showCapture();
        else if (source !== undefined) await openRunFile(source.path);
      },
      addRepeats: async () => {
        const files = comparison.sources.map(({ path: file }) => file);
        await writeExperiment(cliPath, "repeats", ["--from", ...files]);
      },
      loadComparisonLayout: () => layouts.load(memory, idOf(comparison.sources)),
      saveComparisonLayout: ({ layout }) => layouts.save(memory, idOf(comparison.sources), layout),
      configure: async (changes, signal) => {
        await comparison.call("configure", changes, signal);
        this.saving = this.saving
          .then(() => saveComparisonSettings(changes))
          .catch((error: unknown) => this.parts.notifier.error(error));
      },
    };
  }

  /** Those that cannot be read are said, and the ones by default taken: a comparison is shown in any case. */
  private settings(): ComparisonSettings {
    try {
      return readComparisonSettings();
    } catch (error) {
      this.parts.notifier.error(error);
      return DEFAULT_COMPARISON_SETTINGS;
    }
  }

  /** What was changed elsewhere goes for the comparisons that are open, too. */
  private applySettings(): void {
    const settings = this.settings();
    for (const comparison of this.shown) {
      const known = comparison.state?.settings;
      if (known === undefined || same(known, settings)) continue;
      this.parts.notifier.run(comparison.call("configure", settings));
    }
  }

  private async save(comparison: ActiveComparison, format: ReportFormat, text: string): Promise<void> {
    const [baseline, ...candidates] = comparison.state?.runs.map(({ label }) => label.replace(/[^\w.-]+/g, "-")) ?? [];
    await saveText(this.parts.notifier, {
      title: t`Save the Comparison as ${FILE_FORMATS[format].name}`,
      folder: openedFolder() ?? path.dirname(comparison.sources[0]?.path ?? "/"),
      file: `compare-${baseline ?? ""}-${candidates.length === 1 ? (candidates[0] ?? "") : `${candidates.length}-runs`}`,
      format,
      text,
      what: t("The comparison was"),
    });
  }
}

/** What is compared, whatever the order. */
function idOf(sources: readonly ComparedSource[]): string {
  return sources
    .map(({ path: file }) => file)
    .sort()
    .join("\n");
}

/** The artifacts of a folder; of anything else itself. */
async function inFolder(file: string): Promise<readonly string[]> {
  if (!(await isFolder(file))) return [file];
  const artifacts = (await readdir(file)).filter(isArtifact).map((name) => path.join(file, name));
  if (artifacts.length === 0)
    throw new UserError(
      t`The folder ${path.basename(file)} holds no artifact.`,
      t("Select files named server_metrics_export or *_server_metrics, or other files one by one."),
    );
  return artifacts;
}

function same(a: ComparisonSettings, b: ComparisonSettings): boolean {
  return (
    Math.abs(a.threshold - b.threshold) < 1e-9 &&
    JSON.stringify([a.labelRules, a.directions, a.objectives]) ===
      JSON.stringify([b.labelRules, b.directions, b.objectives])
  );
}

/** A file's run in a title: its folder, or its own name where that says more. */
function nameOf(file = ""): string {
  const name = path.basename(file);
  const named = parseArtifactName(name);
  return named !== undefined && named.prefix === undefined ? path.basename(path.dirname(file)) : name;
}

async function runsOf(files: readonly string[]): Promise<readonly string[]> {
  const { distinctRuns } = await import("../run-files.js");
  return distinctRuns(files);
}
