import { t } from "@vscode/l10n";
import path from "node:path";
import {
  Disposable,
  RelativePattern,
  TabInputText,
  Uri,
  ViewColumn,
  window,
  workspace,
  type WebviewPanel,
} from "vscode";
import { UserError } from "../../core/text/errors.js";
import { isRunning } from "../../files/owner.js";
import { ChannelServer, EXPERIMENT_GUARDS } from "../../protocol/index.js";
import type {
  ExperimentViewEvents,
  ExperimentViewRequests,
  ReadExperiment,
  ShownExperiment,
} from "../../protocol/experiment.js";
import { MEMORY_KEYS, VIEW_TYPES } from "../command-ids.js";
import { watchFiles, openRunFolder } from "../workbench-files.js";
import { commandLenses, pickOne } from "../workbench-text.js";
import { webviewPort } from "../view/bridge.js";
import { FolderPanels, type FolderPanelsParts } from "../view/folder-panels.js";
import { EXPERIMENT_FILES, ExperimentTasks, findExperiments, type ExperimentTasksParts } from "./tasks.js";
import { readExperiment, readExperimentReport } from "./command-line.js";

const FILE_NAME = /\.experiment\.(?:ya?ml|json)$/i;
/** Files change several times while a run ends. */
const SETTLED_MS = 200;
/** A process that is killed changes no file. */
const LOOK_MS = 3000;

/** The panels of experiments, and what is offered in their files. */
export class Experiments implements Disposable {
  private readonly panels: FolderPanels;
  /** By file: asks an open panel for its plan. */
  private readonly plans = new Map<string, () => void>();
  private readonly lenses: Disposable;
  private readonly tasks: ExperimentTasks;

  constructor(private readonly parts: ExperimentTasksParts & FolderPanelsParts) {
    this.tasks = new ExperimentTasks(parts);
    this.panels = new FolderPanels(parts, {
      viewType: VIEW_TYPES.experiment,
      memoryKey: MEMORY_KEYS.experiments,
      view: "experiment",
      title: t("Experiment"),
      answer: (panel, file) => this.answer(panel, file),
    });
    this.lenses = commandLenses({ scheme: "file", pattern: `**/${EXPERIMENT_FILES}` }, ({ uri }) => [
      { title: t("Run"), icon: "play", command: "serverMetrics.runExperiment", argument: uri },
      { title: t("Plan"), icon: "list-ordered", command: "serverMetrics.planExperiment", argument: uri },
      { title: t("Show"), icon: "graph-line", command: "serverMetrics.showExperiment", argument: uri },
    ]);
  }

  /** **Run Experiment**: of the menu's file, the one in front, or one that is picked. @throws UserError */
  async run(clicked: unknown): Promise<void> {
    const uri = await this.experimentOf(clicked);
    if (uri === undefined) return;
    await saved(uri);
    this.reveal(uri);
    await this.tasks.run(uri);
  }

  /** **Show Experiment**, or its plan. */
  async show(clicked: unknown, showPlan = false): Promise<void> {
    const uri = await this.experimentOf(clicked);
    if (uri === undefined) return;
    await saved(uri);
    this.reveal(uri);
    if (showPlan) this.plans.get(uri.fsPath)?.();
  }

  dispose(): void {
    this.lenses.dispose();
    this.tasks.dispose();
  }

  private async experimentOf(clicked: unknown): Promise<Uri | undefined> {
    if (clicked instanceof Uri) return clicked;
    const front = this.panels.inFront;
    if (front !== undefined) return Uri.file(front);
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    if (input instanceof TabInputText && FILE_NAME.test(input.uri.path)) return input.uri;
    const found = await findExperiments();
    if (found.length === 0)
      throw new UserError(t("There is no experiment in this workspace."), t("“New Experiment…” writes an example."));
    const rows = found.map((uri) => ({ label: workspace.asRelativePath(uri), uri }));
    return (rows.length === 1 ? rows[0] : await pickOne(rows, { title: t("Experiment") }))?.uri;
  }

  private reveal({ fsPath: file }: Uri): void {
    const isEmpty = window.tabGroups.activeTabGroup.activeTab === undefined;
    this.panels.reveal(file, isEmpty ? ViewColumn.Active : ViewColumn.Beside);
  }

  /** Answers a panel's page, and tells it of what changes. */
  private answer(panel: WebviewPanel, file: string): Disposable {
    const { cliPath } = this.parts;
    const { tasks } = this;
    let latest: ReadExperiment | undefined;
    let plan = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        server.emit("changed", null);
      }, SETTLED_MS);
    };
    const uri = Uri.file(file);
    const server = new ChannelServer<ExperimentViewRequests, ExperimentViewEvents>(
      webviewPort(panel.webview),
      {
        experiment: async (_, signal) => {
          const read = await readExperiment(cliPath, file, signal);
          if (read.out !== latest?.out) watch(read.out, "{experiment.jsonl,.experiment.lock}");
          latest = read;
          return { ...shownOf(file, read, tasks), showPlan: plan };
        },
        experimentCommand: async ({ command }) => {
          if (command === "openFile") await window.showTextDocument(uri, { viewColumn: ViewColumn.One });
          else if (command === "run" || command === "anew") await tasks.run(uri, command === "anew");
          else
            tasks.stop(file, latest?.runner?.state === "alive" ? latest.runner.pid : undefined, command === "stopNow");
        },
        exportReport: this.parts.reports.offer(panel, (_files, signal) => readExperimentReport(cliPath, file, signal)),
        openRun: async ({ folder }) => {
          if (latest?.runs.some((run) => run.folder === folder) === true)
            await openRunFolder(Uri.joinPath(Uri.file(latest.out), folder));
        },
      },
      EXPERIMENT_GUARDS,
    );
    const subscriptions = [
      tasks.onChanged((own) => own === file && changed()),
      workspace.onDidSaveTextDocument((document) => document.uri.fsPath === file && changed()),
    ];
    const watch = (folder: string, pattern: string) =>
      subscriptions.push(watchFiles(new RelativePattern(Uri.file(folder), pattern), changed));
    watch(path.dirname(file), EXPERIMENT_FILES);
    const look = setInterval(() => {
      if (latest?.runner?.state === "alive" && !isRunning(Number(latest.runner.pid))) changed();
    }, LOOK_MS);
    this.plans.set(file, () => {
      plan = true;
      changed();
    });
    return new Disposable(() => {
      this.plans.delete(file);
      clearInterval(look);
      clearTimeout(timer);
      Disposable.from(...subscriptions).dispose();
      server.dispose();
    });
  }
}

function shownOf(file: string, experiment: ReadExperiment, tasks: ExperimentTasks): Omit<ShownExperiment, "showPlan"> {
  const { running, failure } = tasks.stateOf(file);
  const elsewhere = experiment.runner?.state;
  return {
    file,
    experiment,
    running: running ?? (elsewhere === "alive" ? "yes" : elsewhere === "unknown" ? "unknown" : "no"),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** What is typed is what is meant. */
async function saved(uri: Uri): Promise<void> {
  await workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.save();
}
