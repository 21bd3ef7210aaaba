import { Sweeps } from "./sweep/sweeps.js";
import path from "node:path";
import { Disposable, commands, ViewColumn, window, type ExtensionContext, type WebviewPanel } from "vscode";
import { AgentTools } from "./agents.js";
import { addMark } from "./capture/marks.js";
import { Captures } from "./capture/captures.js";
import { exportCapture } from "./capture/export.js";
import { Journals } from "./capture/journals.js";
import { moveJournal } from "./capture/move-journal.js";
import { OutputFolders } from "./capture/output-folder.js";
import { offerRecovery, offerRecoveryAtStart, type RecoverParts } from "./capture/recover.js";
import type { EngineRun } from "./capture/engine-run.js";
import { startCapture, startCaptureOnOpen, type StartParts } from "./capture/start.js";
import { stopCapture } from "./capture/stop.js";
import { type WriteParts } from "./capture/write-artifacts.js";
import { CaptureSources } from "./compare/capture-source.js";
import { Comparisons } from "./compare/comparisons.js";
import {
  COMPARISON_VIEW_TYPE,
  EXPERIMENT_VIEW_TYPE,
  LIVE_VIEW_TYPE,
  SWEEP_VIEW_TYPE,
  type CommandId,
} from "./command-ids.js";
import { registerCommands } from "./commands.js";
import { commandHandlers } from "./command-handlers.js";
import { DemoServerThread } from "./demo/server.js";
import {
  editEndpointUrl,
  type EndpointParts,
  removeEndpoint,
  retryEndpoint,
  setEndpointHeaders,
} from "./endpoint-commands.js";
import { comparisonSpawner, engineSpawner } from "./engine.js";
import { Experiments } from "./experiment/experiments.js";
import { ExperimentTasks } from "./experiment/experiment-tasks.js";
import { RunEditors } from "./editors/run-editors.js";
import { reportExporter } from "./report/export-report.js";
import { EndpointHeaders } from "./headers.js";
import { Notifier } from "./notify.js";
import { Origins } from "./origins.js";
import { SETTINGS } from "./settings/definitions.js";
import { ShownSetting } from "./settings/shown-setting.js";
import { followApprovals } from "./capture/request.js";
import { followSecretParameters } from "./settings/read.js";
import { createLog } from "./workbench-text.js";
import { createStatusBar } from "./status-bar.js";
import { RegisteredSources, type ServerMetricsApi } from "./registered-sources.js";
import { openInstance, type StoreParts } from "./stores/open-run.js";
import { ArtifactsTree } from "./tree/artifacts-tree.js";
import { CaptureTree } from "./tree/capture-tree.js";
import { LeftTabs } from "./view/left-tabs.js";
import { LinkRelay } from "./view/link-relay.js";
import { LiveView, type RunActions } from "./view/live-view.js";
import type { RunPanelParts } from "./view/run-panel.js";

/** What `deactivate` has to end in order. */
let shutDown: () => Promise<void> = () => Promise.resolve();

/** VS Code waits about this long for an extension to end. */
const SHUTDOWN_MS = 3500;

/** @returns what other extensions can do: docs/sources.md */
export function activate(context: ExtensionContext): ServerMetricsApi {
  const parts = createParts(context);
  const { agents, captures, comparisons, experiments, headers, liveView, notifier, recoverParts, sources } = parts;
  const { startParts, sweeps } = parts;
  context.subscriptions.push(
    parts.log,
    followSecretParameters((error) => notifier.error(error)),
    followApprovals(headers.origins),
    captures,
    parts.demo,
    parts.assertions,
    parts.leftTabs,
    parts.editors,
    comparisons,
    experiments,
    parts.experimentTasks,
    parts.captureTree,
    parts.artifactsTree,
    agents.register(),
    sources,
    createStatusBar(captures),
    offerRecoveryAtStart(recoverParts),
    registerCommands(commandHandlers(parts), (error) => notifier.error(error)),
    registerSerializer(LIVE_VIEW_TYPE, (panel) => liveView.restore(panel)),
    registerSerializer(COMPARISON_VIEW_TYPE, (panel, state) => comparisons.restore(panel, state)),
    registerSerializer(SWEEP_VIEW_TYPE, (panel, state) => sweeps.restore(panel, state)),
    registerSerializer(EXPERIMENT_VIEW_TYPE, (panel, state) => experiments.restore(panel, state)),
    new Disposable(() => {
      shutDown = () => Promise.resolve();
    }),
  );
  shutDown = async () => {
    await Promise.all([endCapture(captures), beforeShutdown(agents.end())]);
  };
  // What the window opened with (a README, restored editors) stays in view.
  const beside = () =>
    window.tabGroups.activeTabGroup.activeTab === undefined ? ViewColumn.Active : ViewColumn.Beside;
  notifier.run(startCaptureOnOpen({ ...startParts, showRun: (shown) => liveView.show(shown, beside()) }));
  return { apiVersion: sources.apiVersion, registerSource: (source) => sources.registerSource(source) };
}

/** What the extension is made of, each given what it works with. */
function createParts(context: ExtensionContext) {
  const log = createLog("Server Metrics");
  const notifier = new Notifier(log);
  const inDist = (file: string) => context.asAbsolutePath(path.join("dist", file));
  const captures = new Captures();
  const spawnEngine = engineSpawner(inDist("engine.js"), log);
  const headers = new EndpointHeaders(context.secrets, new Origins(context.globalState));
  const demo = new DemoServerThread(inDist("demo.js"), notifier);
  const sources = new RegisteredSources();
  const folders = new OutputFolders(context.globalState);
  const cliPath = inDist("cli.js");
  const agents = new AgentTools({
    workerPath: inDist("agents.js"),
    cliPath,
    folder: () => folders.forAgents(),
    origins: headers.origins,
  });
  const journals = new Journals(
    path.join((context.storageUri ?? context.globalStorageUri).fsPath, "journals"),
    context.workspaceState,
  );

  const run = (command: CommandId) => async () => {
    await commands.executeCommand(command);
  };
  const actions: RunActions = {
    captureCommand: async ({ command, time }, shown) => {
      switch (command) {
        case "stop":
          return run("serverMetrics.stopCapture")();
        case "markProfilingStart":
          return run("serverMetrics.markProfilingStart")();
        case "addMark":
          return time === undefined ? run("serverMetrics.addMark")() : addMark(captures, time);
        case "exportAs":
          return exportCapture(writeParts, shown);
        case "recover":
          return run("serverMetrics.recoverCaptures")();
        case "start":
          return run("serverMetrics.startCapture")();
      }
    },
    endpointCommand: (command, url, shown) => {
      switch (command) {
        case "retry":
          return retryEndpoint(shown, url);
        case "setHeaders":
          return setEndpointHeaders(endpointParts, url);
        case "editUrl":
          return editEndpointUrl(endpointParts, shown, url);
        case "remove":
          return removeEndpoint(endpointParts, shown, url);
      }
    },
  };
  const assertions = new ShownSetting(SETTINGS.assertions, notifier);
  const objectives = new ShownSetting(SETTINGS.slo, notifier);
  const links = new LinkRelay();
  const leftTabs = new LeftTabs();
  const exportReport = reportExporter(context.extensionUri, notifier);
  const panelParts: RunPanelParts = {
    exportReport,
    extensionUri: context.extensionUri,
    assertions,
    objectives,
    links,
    leftTabs,
    openInstance: (totals, instance) => openInstance(storeParts, totals, instance),
  };
  const liveView = new LiveView(panelParts, context.workspaceState, actions);
  const showRun = (shown: EngineRun) => liveView.show(shown);
  const artifactsTree = new ArtifactsTree(folders, notifier);
  const writeParts: WriteParts = {
    folders,
    notifier,
    onWritten: () => {
      artifactsTree.refreshSoon();
      retarget();
    },
  };
  const retarget = () => notifier.run(comparisons.captureWritten());
  const editors = new RunEditors(
    panelParts,
    { spawnEngine, layouts: context.workspaceState, write: writeParts },
    actions,
  );
  const captureSources = new CaptureSources(captures);
  const comparisons = new Comparisons({
    extensionUri: context.extensionUri,
    cliPath,
    layouts: context.workspaceState,
    leftTabs,
    spawnComparison: comparisonSpawner(inDist("comparison.js")),
    assertions,
    notifier,
    exportReport,
    artifacts: () => artifactsTree.runs(),
    capture: () => captureSources.current(),
    successorOf: (journal) => captureSources.successorOf(journal),
    showCapture: () => {
      if (captures.latest !== undefined) showRun(captures.latest);
    },
  });
  const sweeps = new Sweeps({
    extensionUri: context.extensionUri,
    memory: context.workspaceState,
    leftTabs,
    spawnEngine,
    exportReport,
  });
  const experimentTasks = new ExperimentTasks({ cliPath, memory: context.workspaceState, notifier });
  const experiments = new Experiments({
    extensionUri: context.extensionUri,
    cliPath,
    memory: context.workspaceState,
    leftTabs,
    tasks: experimentTasks,
  });
  const recoverParts: RecoverParts = {
    ...writeParts,
    captures,
    spawnEngine,
    journals,
    headers,
    offered: new Set(),
    showRun,
  };
  const storeParts: StoreParts = {
    ...writeParts,
    captures,
    headers,
    memory: context.globalState,
    spawnEngine,
    showRun,
    openRun: () => editors.shownRun(),
    showApart: (shown) => liveView.showApart(shown),
  };
  const startParts: StartParts = {
    memory: context.workspaceState,
    captures,
    spawnEngine,
    headers,
    demo,
    notifier,
    journals,
    showRun,
    moveJournal: (captured) => moveJournal({ folders, journals, notifier, onMoved: retarget }, captured),
    recover: () => offerRecovery(recoverParts, true),
    stopCapture: () => stopCapture(captures, writeParts),
  };
  const endpointParts: EndpointParts = {
    captures,
    headers,
    notifier,
    spawnEngine,
    startCapture: () => startCapture(startParts),
  };
  const captureTree = new CaptureTree(captures, notifier);

  return {
    extensionUri: context.extensionUri,
    demoFile: path.join(context.globalStorageUri.fsPath, "demo-run.jsonl"),
    log,
    notifier,
    captures,
    headers,
    demo,
    sources,
    agents,
    assertions,
    links,
    leftTabs,
    liveView,
    editors,
    comparisons,
    sweeps,
    cliPath,
    experiments,
    experimentTasks,
    captureTree,
    artifactsTree,
    writeParts,
    recoverParts,
    storeParts,
    startParts,
    endpointParts,
  };
}

/** Panels that the workbench brings back after a reload of the window, with what their pages kept. */
function registerSerializer(viewType: string, restore: (panel: WebviewPanel, state: unknown) => void): Disposable {
  return window.registerWebviewPanelSerializer(viewType, {
    deserializeWebviewPanel: (panel, state) => Promise.resolve(restore(panel, state)),
  });
}

/**
 * A capture in progress is stopped and its journal closed; the next start of the window offers to write its artifacts.
 */
export async function deactivate(): Promise<void> {
  await shutDown();
}

async function endCapture(captures: Captures): Promise<void> {
  const run = captures.latest;
  if (run === undefined) return;
  if (captures.active !== undefined) {
    await beforeShutdown(run.engine.client.call("stopCapture", {}));
  }
  await run.end();
}

/** Waits for the end of a capture as long as VS Code does. */
async function beforeShutdown(ending: Promise<unknown>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, SHUTDOWN_MS).unref());
  const ended = ending.then(
    () => undefined,
    // The journal is flushed every second: little is lost, and nobody is left to tell.
    () => undefined,
  );
  await Promise.race([ended, late]);
}
