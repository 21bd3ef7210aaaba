import { openRunFolder } from "./view/open-folder.js";
import { Sweeps } from "./sweep/sweeps.js";
import path from "node:path";
import { Disposable, commands, env, Uri, ViewColumn, window, type ExtensionContext, type WebviewPanel } from "vscode";
import { AgentTools } from "./agents.js";
import { addMark, markProfilingStart } from "./capture/marks.js";
import { Captures } from "./capture/captures.js";
import { exportCapture } from "./capture/export.js";
import { givenRequest } from "./capture/given.js";
import { showCaptureMenu } from "./capture/menu.js";
import { Journals } from "./capture/journals.js";
import { moveJournal } from "./capture/move-journal.js";
import { OutputFolders } from "./capture/output-folder.js";
import { offerRecovery, offerRecoveryAtStart, type RecoverParts } from "./capture/recover.js";
import type { EngineRun } from "./capture/engine-run.js";
import { startCapture, startCaptureOnOpen, type StartParts } from "./capture/start.js";
import { stopCapture } from "./capture/stop.js";
import { reveal, type WriteParts } from "./capture/write-artifacts.js";
import { CaptureSources } from "./compare/capture-source.js";
import { Comparisons } from "./compare/comparisons.js";
import { COMPARISON_VIEW_TYPE, LIVE_VIEW_TYPE, SWEEP_VIEW_TYPE, type CommandId } from "./command-ids.js";
import { registerCommands, type CommandHandlers } from "./commands.js";
import { DemoServer } from "./demo/server.js";
import { openDocumentation } from "./documentation.js";
import {
  addEndpoint,
  discoverAndSave,
  type EndpointParts,
  forgetApprovedServers,
  forgetJsonEndpoints,
  removeEndpoint,
  editEndpointUrl,
  retryEndpoint,
  setEndpointHeaders,
} from "./endpoint-commands.js";
import { comparisonSpawner, engineSpawner } from "./engine.js";
import { fileOf, RunEditors } from "./editors/run-editors.js";
import { EndpointHeaders } from "./headers.js";
import { Notifier } from "./notify.js";
import { Origins } from "./origins.js";
import { SETTINGS } from "./settings/definitions.js";
import { ShownSetting } from "./settings/shown-setting.js";
import { followApprovals } from "./capture/request.js";
import { followSecretParameters, openSettings } from "./settings/read.js";
import { createLog } from "./workbench-text.js";
import { createStatusBar } from "./status-bar.js";
import { RegisteredSources, type ServerMetricsApi } from "./registered-sources.js";
import { openInstance, openRunFromStore, type StoreParts } from "./stores/open-run.js";
import { ArtifactsTree } from "./tree/artifacts-tree.js";
import { artifactFiles, artifactPath, captureNode } from "./tree/arguments.js";
import { nameOf, valueOf } from "./tree/capture-model.js";
import { CaptureTree } from "./tree/capture-tree.js";
import { LeftTabs } from "./view/left-tabs.js";
import { LinkRelay } from "./view/link-relay.js";
import { openRunFile } from "./view/open-file.js";
import { LiveView, type RunActions } from "./view/live-view.js";
import type { RunPanelParts } from "./view/run-panel.js";

/** What `deactivate` has to end in order. */
let shutDown: () => Promise<void> = () => Promise.resolve();

/** VS Code waits about this long for an extension to end. */
const SHUTDOWN_MS = 3500;

/** @returns what other extensions can do: docs/sources.md */
export function activate(context: ExtensionContext): ServerMetricsApi {
  const log = createLog("Server Metrics");
  const notifier = new Notifier(log);
  const inDist = (file: string) => context.asAbsolutePath(path.join("dist", file));
  const captures = new Captures();
  const spawnEngine = engineSpawner(inDist("engine.js"), log);
  const headers = new EndpointHeaders(context.secrets, new Origins(context.globalState));
  const demo = new DemoServer(inDist("demo.js"), notifier);
  const sources = new RegisteredSources();
  const folders = new OutputFolders(context.globalState);
  const agents = new AgentTools({
    workerPath: inDist("agents.js"),
    cliPath: inDist("cli.js"),
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
  const panelParts: RunPanelParts = {
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
    layouts: context.workspaceState,
    leftTabs,
    spawnComparison: comparisonSpawner(inDist("comparison.js")),
    assertions,
    notifier,
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

  const handlers: CommandHandlers = {
    "serverMetrics.startCapture": (given) => startCapture(startParts, givenRequest(given)),
    "serverMetrics.stopCapture": () => stopCapture(captures, writeParts),
    "serverMetrics.markProfilingStart": () => markProfilingStart(captures, notifier),
    "serverMetrics.addMark": () => addMark(captures),
    "serverMetrics.openLiveView": () => {
      if (captures.latest === undefined)
        notifier.info("There is no capture to show.", {
          title: "Start Capture",
          run: run("serverMetrics.startCapture"),
        });
      else showRun(captures.latest);
    },
    "serverMetrics.exportCapture": () => exportCapture(writeParts, captures.latest),
    "serverMetrics.recoverCaptures": () => offerRecovery(recoverParts, true),
    "serverMetrics.openRunFromPrometheus": () => openRunFromStore(storeParts),
    "serverMetrics.showCaptureMenu": () => showCaptureMenu(captures),
    "serverMetrics.startDemoServer": () => demo.start(),
    "serverMetrics.stopDemoServer": () => demo.stop(),
    "serverMetrics.openDemoRun": async () => {
      const file = path.join(context.globalStorageUri.fsPath, "demo-run.jsonl");
      await demo.record(file);
      await openRunFile(file);
    },
    "serverMetrics.discoverEndpoints": () => discoverAndSave(endpointParts),
    "serverMetrics.addEndpoint": () => addEndpoint(endpointParts),
    "serverMetrics.setEndpointHeaders": (node) => setEndpointHeaders(endpointParts, captureNode(node)?.url),
    "serverMetrics.forgetJsonEndpoints": () => forgetJsonEndpoints(notifier),
    "serverMetrics.forgetApprovedServers": () => forgetApprovedServers(endpointParts),
    "serverMetrics.openSettings": () => openSettings(),
    "serverMetrics.openDocumentation": () => openDocumentation(context.extensionUri),
    "serverMetrics.showLog": () => log.show(),
    "serverMetrics.capture.showInChart": (argument) => {
      const node = captureNode(argument);
      const shown = captureTree.shownRun;
      if (shown === undefined || (node?.kind !== "family" && node?.kind !== "series")) return;
      liveView.send(shown, "showInChart", {
        family: node.family,
        ...(node.kind === "series" ? { series: [node.series] } : {}),
      });
    },
    "serverMetrics.capture.copyName": async (argument) => {
      const node = captureNode(argument);
      if (node !== undefined) await env.clipboard.writeText(nameOf(captureTree.model, node));
    },
    "serverMetrics.capture.copyValue": async (argument) => {
      const node = captureNode(argument);
      const value = node === undefined ? undefined : valueOf(captureTree.model, node);
      if (value === undefined) notifier.info("This row has no single value: copy that of one of its series.");
      else await env.clipboard.writeText(value);
    },
    "serverMetrics.capture.retryEndpoint": async (argument) => {
      const node = captureNode(argument);
      if (node !== undefined && captures.active !== undefined) await retryEndpoint(captures.active, node.url);
    },
    "serverMetrics.capture.removeEndpoint": async (argument) => {
      const node = captureNode(argument);
      if (node !== undefined && captures.active !== undefined)
        await removeEndpoint(endpointParts, captures.active, node.url);
    },
    "serverMetrics.artifacts.open": async (argument) => {
      // Of a run the richest file; of a folder with several runs that of each.
      const { distinctRuns } = await import("./run-files.js");
      const files = await distinctRuns(artifactFiles(argument));
      for (const file of files) await commands.executeCommand("vscode.open", Uri.file(file), { preview: false });
    },
    "serverMetrics.artifacts.reveal": async (argument) => {
      const file = artifactPath(argument);
      if (file !== undefined) await reveal(Uri.file(file));
    },
    "serverMetrics.artifacts.copyPath": async (argument) => {
      const file = artifactPath(argument);
      if (file !== undefined) await env.clipboard.writeText(file);
    },
    "serverMetrics.artifacts.refresh": () => artifactsTree.refreshSoon(),
    "serverMetrics.editor.openAsText": (file) => editors.openAsText(file),
    "serverMetrics.editor.openAsRunView": (file) => editors.openAsRunView(file),
    "serverMetrics.editor.exportAs": (file) => editors.exportAs(file),
    "serverMetrics.linkEditors": () => links.toggleActive(),
    "serverMetrics.editor.reload": (file) => editors.reload(file),
    "serverMetrics.editor.compareWith": (argument) => {
      const files = artifactFiles(argument);
      return comparisons.compareWith(files.length > 0 ? files : [fileOf(argument).fsPath]);
    },
    "serverMetrics.editor.addClient": (uri) => editors.addClient(uri),
    "serverMetrics.openFolder": (uri) => openRunFolder(uri),
    "serverMetrics.openSweep": (uri) => sweeps.openSweep(uri),
    "serverMetrics.compareRuns": (clicked, selected) => comparisons.compareRuns(clicked, selected),
    "serverMetrics.compareCapture": () => comparisons.compareCapture(),
    "serverMetrics.editor.follow": (file) => editors.follow(file, true),
    "serverMetrics.editor.stopFollowing": (file) => editors.follow(file, false),
  };

  context.subscriptions.push(
    log,
    followSecretParameters((error) => notifier.error(error)),
    followApprovals(headers.origins),
    captures,
    demo,
    assertions,
    leftTabs,
    editors,
    comparisons,
    captureTree,
    artifactsTree,
    agents.register(),
    sources,
    createStatusBar(captures),
    offerRecoveryAtStart(recoverParts),
    registerCommands(handlers, (error) => notifier.error(error)),
    registerSerializer(LIVE_VIEW_TYPE, (panel) => liveView.restore(panel)),
    registerSerializer(COMPARISON_VIEW_TYPE, (panel, state) => comparisons.restore(panel, state)),
    registerSerializer(SWEEP_VIEW_TYPE, (panel, state) => sweeps.restore(panel, state)),
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
