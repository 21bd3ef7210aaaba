import path from "node:path";
import {
  Disposable,
  RelativePattern,
  TabInputText,
  Uri,
  ViewColumn,
  window,
  workspace,
  type Memento,
  type WebviewPanel,
} from "vscode";
import { UserError } from "../../core/text/user-error.js";
import { ChannelServer, EXPERIMENT_GUARDS } from "../../protocol/index.js";
import type {
  ExperimentPageState,
  ExperimentViewEvents,
  ExperimentViewRequests,
  ReadExperiment,
  ShownExperiment,
} from "../../protocol/experiment.js";
import { EXPERIMENT_VIEW_TYPE, MEMORY_KEYS } from "../command-ids.js";
import { commandLenses, pickOne, setPanelTitle } from "../workbench-text.js";
import { webviewPort } from "../view/bridge.js";
import type { LeftTabs } from "../view/left-tabs.js";
import { openRunFolder } from "../view/open-folder.js";
import { OpenPanels } from "../view/open-panels.js";
import { pageOf, pageOptions } from "../view/page.js";
import { EXPERIMENT_FILES, findExperiments, type ExperimentTasks } from "./experiment-tasks.js";
import { readExperiment } from "./command-line.js";

interface Parts {
  readonly extensionUri: Uri;
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  readonly memory: Memento;
  readonly leftTabs: LeftTabs;
  readonly tasks: ExperimentTasks;
}

const FILE_NAME = /\.experiment\.(?:ya?ml|json)$/i;
/** Files change several times while a run ends. */
const SETTLED_MS = 200;
/** A process that is killed changes no file. */
const LOOK_MS = 3000;

/** The panels of experiments, and what is offered in their files. */
export class Experiments implements Disposable {
  private readonly open: OpenPanels;
  private readonly shown = new Map<string, { readonly panel: WebviewPanel; readonly showPlan: () => void }>();
  private readonly lenses: Disposable;

  constructor(private readonly parts: Parts) {
    this.open = new OpenPanels(parts.memory, MEMORY_KEYS.experiments);
    parts.leftTabs.restore(EXPERIMENT_VIEW_TYPE, (panel) => this.restore(panel));
    this.lenses = commandLenses({ pattern: `**/${EXPERIMENT_FILES}` }, ({ uri }) => [
      { title: "Run", icon: "play", command: "serverMetrics.runExperiment", argument: uri },
      { title: "Plan", icon: "list-ordered", command: "serverMetrics.planExperiment", argument: uri },
      { title: "Show", icon: "graph-line", command: "serverMetrics.showExperiment", argument: uri },
    ]);
  }

  /** **Run Experiment**: of the menu's file, the one in front, or one that is picked. @throws UserError */
  async run(clicked: unknown): Promise<void> {
    const uri = await this.experimentOf(clicked);
    if (uri === undefined) return;
    await saved(uri);
    this.reveal(uri);
    await this.parts.tasks.run(uri);
  }

  /** **Show Experiment**, or its plan. */
  async show(clicked: unknown, showPlan = false): Promise<void> {
    const uri = await this.experimentOf(clicked);
    if (uri === undefined) return;
    await saved(uri);
    this.reveal(uri);
    if (showPlan) this.shown.get(uri.fsPath)?.showPlan();
  }

  /** A panel that is brought back, with what its page kept or what it is known to have shown. */
  restore(panel: WebviewPanel, state?: unknown): void {
    const file = fileOf(state ?? this.open.take(panel.title));
    if (file === undefined || this.shown.has(file)) panel.dispose();
    else this.fill(panel, file);
  }

  dispose(): void {
    this.lenses.dispose();
  }

  private async experimentOf(clicked: unknown): Promise<Uri | undefined> {
    if (clicked instanceof Uri) return clicked;
    const front = [...this.shown].find(([, { panel }]) => panel.active)?.[0];
    if (front !== undefined) return Uri.file(front);
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    if (input instanceof TabInputText && FILE_NAME.test(input.uri.path)) return input.uri;
    const found = await findExperiments();
    if (found.length === 0)
      throw new UserError("There is no experiment in this workspace.", "“New Experiment…” writes an example.");
    const rows = found.map((uri) => ({ label: workspace.asRelativePath(uri), uri }));
    return (rows.length === 1 ? rows[0] : await pickOne(rows, { title: "Experiment" }))?.uri;
  }

  private reveal({ fsPath: file }: Uri): void {
    const known = this.shown.get(file);
    if (known !== undefined) return known.panel.reveal();
    const column = window.tabGroups.activeTabGroup.activeTab === undefined ? ViewColumn.Active : ViewColumn.Beside;
    this.fill(window.createWebviewPanel(EXPERIMENT_VIEW_TYPE, "", column, { retainContextWhenHidden: true }), file);
  }

  private fill(panel: WebviewPanel, file: string): void {
    const { extensionUri, cliPath, leftTabs, tasks } = this.parts;
    leftTabs.add(panel);
    setPanelTitle(panel, `Experiment ${path.basename(file)}`);
    const state: ExperimentPageState = { file };
    this.open.keep(panel, state);
    panel.iconPath = Uri.joinPath(extensionUri, "media", "activity-bar.svg");
    panel.webview.options = pageOptions(extensionUri);
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
          return null;
        },
        openRun: async ({ folder }) => {
          if (latest?.runs.some((run) => run.folder === folder) === true)
            await openRunFolder(Uri.joinPath(Uri.file(latest.out), folder));
          return null;
        },
      },
      EXPERIMENT_GUARDS,
    );
    const subscriptions = [
      tasks.onChanged((own) => own === file && changed()),
      workspace.onDidSaveTextDocument((document) => document.uri.fsPath === file && changed()),
    ];
    const watch = (folder: string, pattern: string) => {
      const watcher = workspace.createFileSystemWatcher(new RelativePattern(Uri.file(folder), pattern));
      subscriptions.push(
        watcher,
        watcher.onDidCreate(changed),
        watcher.onDidChange(changed),
        watcher.onDidDelete(changed),
      );
    };
    watch(path.dirname(file), EXPERIMENT_FILES);
    const look = setInterval(() => {
      if (latest?.runner?.state === "alive" && !isAlive(latest.runner.pid)) changed();
    }, LOOK_MS);
    const showPlan = () => {
      plan = true;
      changed();
    };
    this.shown.set(file, { panel, showPlan });
    panel.onDidDispose(() => {
      this.shown.delete(file);
      clearInterval(look);
      clearTimeout(timer);
      Disposable.from(...subscriptions).dispose();
      server.dispose();
    });
    panel.webview.html = pageOf(panel.webview, extensionUri, "experiment");
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

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

/** The file that a page kept with its state; undefined when it kept something else. */
function fileOf(state: unknown): string | undefined {
  const known = typeof state === "object" && state !== null && "file" in state ? state.file : undefined;
  return typeof known === "string" && known !== "" ? known : undefined;
}
