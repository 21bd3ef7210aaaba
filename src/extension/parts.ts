import path from "node:path";
import { commands, type ExtensionContext } from "vscode";
import { AgentTools } from "./agents.js";
import { Captures } from "./capture/captures.js";
import { exportCapture } from "./capture/export.js";
import { Journals } from "./capture/journals.js";
import { addMark } from "./capture/running.js";
import { OutputFolders } from "./capture/output-folder.js";
import type { StartParts } from "./capture/start.js";
import { CaptureSources } from "./compare/capture-source.js";
import { Comparisons } from "./compare/comparisons.js";
import { DemoServerThread } from "./demo/server.js";
import { RunEditors } from "./editors/run-editors.js";
import { editEndpointUrl, removeEndpoint, retryEndpoint, setEndpointHeaders } from "./endpoint-commands.js";
import { comparisonSpawner, engineSpawner } from "./engine.js";
import { Experiments } from "./experiment/experiments.js";
import { EndpointHeaders } from "./headers.js";
import { flagLenses } from "./insights/flag-lenses.js";
import { runsPanels } from "./library/runs-panels.js";
import type { CommandId } from "./manifest/commands.js";
import { Notifier } from "./notify.js";
import { Origins } from "./origins.js";
import { RegisteredSources } from "./registered-sources.js";
import { ReportExporter } from "./report/export-report.js";
import { SETTINGS } from "./settings/definitions.js";
import { ShownSetting } from "./settings/shown-setting.js";
import { openInstance, type StoreParts } from "./stores/open-run.js";
import { WorkspaceTests } from "./tests/workspace-tests.js";
import { ArtifactsTree } from "./tree/artifacts-tree.js";
import { CaptureTree } from "./tree/capture-tree.js";
import { LeftTabs } from "./view/left-tabs.js";
import { LinkRelay } from "./view/link-relay.js";
import { LiveView } from "./view/live-view.js";
import type { RunActions, RunPanelParts } from "./view/run-panel.js";
import { createLog } from "./workbench-text.js";

export type Parts = ReturnType<typeof createParts>;

/** What the extension is made of, each part given what it works with. */
export function createParts(context: ExtensionContext) {
  const { extensionUri, globalState, workspaceState } = context;
  const bundle = (file: string) => context.asAbsolutePath(path.join("dist", file));
  const cliPath = bundle("cli.js");
  const log = createLog("Server Metrics");
  const notifier = new Notifier(log);
  const headers = new EndpointHeaders(context.secrets, new Origins(globalState));
  const folders = new OutputFolders(globalState);
  const captures = new Captures();
  const spawnEngine = engineSpawner(bundle("engine.js"), log);
  const demo = new DemoServerThread(bundle("demo.js"), notifier);
  const artifactsTree = new ArtifactsTree(folders, notifier);
  const onMoved = () => notifier.run(comparisons.captureWritten());
  const captureParts: StartParts & StoreParts = {
    captures,
    headers,
    folders,
    notifier,
    spawnEngine,
    demo,
    journals: new Journals(
      path.join((context.storageUri ?? context.globalStorageUri).fsPath, "journals"),
      workspaceState,
    ),
    memory: workspaceState,
    globalMemory: globalState,
    offered: new Set(),
    openRun: () => editors.shownRun(),
    showRun: (run) => liveView.show(run),
    showApart: (run) => liveView.showApart(run),
    onMoved,
    onWritten: () => {
      artifactsTree.refreshSoon();
      onMoved();
    },
  };
  const shared = {
    extensionUri,
    cliPath,
    notifier,
    memory: workspaceState,
    leftTabs: new LeftTabs(),
    reports: new ReportExporter(extensionUri, notifier),
  };
  const assertions = new ShownSetting(SETTINGS.assertions, notifier);
  const links = new LinkRelay();
  const panelParts: RunPanelParts = {
    ...shared,
    assertions,
    objectives: new ShownSetting(SETTINGS.slo, notifier),
    links,
    actions: runActions(captureParts),
    openInstance: (totals, instance) => openInstance(captureParts, totals, instance),
  };
  const liveView = new LiveView(panelParts);
  const editors = new RunEditors(panelParts, { spawnEngine, write: captureParts });
  const captureSources = new CaptureSources(captures);
  const comparisons = new Comparisons({
    ...shared,
    spawnComparison: comparisonSpawner(bundle("comparison.js")),
    assertions,
    artifacts: () => artifactsTree.runs(),
    capture: () => captureSources.current(),
    successorOf: (journal) => captureSources.successorOf(journal),
    showCapture: () => {
      if (captures.latest !== undefined) liveView.show(captures.latest);
    },
  });
  return {
    ...shared,
    context,
    log,
    captureParts,
    captures,
    headers,
    folders,
    demo,
    /** Where the demo run is recorded. */
    demoFile: path.join(context.globalStorageUri.fsPath, "demo-run.jsonl"),
    sources: new RegisteredSources(),
    agents: new AgentTools({
      workerPath: bundle("agents.js"),
      cliPath,
      folder: () => folders.forAgents(),
      origins: headers.origins,
    }),
    assertions,
    links,
    liveView,
    editors,
    comparisons,
    runs: runsPanels({ ...shared, comparisons, captures, spawnEngine, showRun: (run) => liveView.show(run) }),
    experiments: new Experiments(shared),
    captureTree: new CaptureTree(captures, notifier),
    artifactsTree,
    flagLenses: flagLenses({ cliPath, artifacts: artifactsTree, notifier }),
    tests: new WorkspaceTests({ cliPath, artifacts: artifactsTree }),
  };
}

const COMMANDS = {
  stop: "serverMetrics.stopCapture",
  markProfilingStart: "serverMetrics.markProfilingStart",
  addMark: "serverMetrics.addMark",
  recover: "serverMetrics.recoverCaptures",
  start: "serverMetrics.startCapture",
} as const satisfies Record<string, CommandId>;

/** What the buttons of a run's page do. */
function runActions(parts: StartParts): RunActions {
  return {
    captureCommand: async ({ command, time }, shown) => {
      if (command === "exportAs") return exportCapture(parts, shown);
      if (command === "addMark" && time !== undefined) return addMark(parts.captures, time);
      await commands.executeCommand(COMMANDS[command]);
    },
    endpointCommand: (command, url, shown) => {
      switch (command) {
        case "retry":
          return retryEndpoint(shown, url);
        case "setHeaders":
          return setEndpointHeaders(parts, url);
        case "editUrl":
          return editEndpointUrl(parts, shown, url);
        case "remove":
          return removeEndpoint(parts, shown, url);
      }
    },
  };
}
