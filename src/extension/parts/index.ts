import path from "node:path";
import type { ExtensionContext } from "vscode";
import type { EngineRun } from "../capture/engine-run.js";
import { moveJournal } from "../capture/move-journal.js";
import { offerRecovery, type RecoverParts } from "../capture/recover.js";
import { startCapture, type StartParts } from "../capture/start.js";
import { stopCapture } from "../capture/stop.js";
import type { WriteParts } from "../capture/write-artifacts.js";
import type { EndpointParts } from "../endpoint-commands.js";
import { flagLenses } from "../insights/flag-lenses.js";
import { runsPanels } from "../library/runs-panels.js";
import { openInstance, type StoreParts } from "../stores/open-run.js";
import { ArtifactsTree } from "../tree/artifacts-tree.js";
import { CaptureTree } from "../tree/capture-tree.js";
import { WorkspaceTests } from "../tests/workspace-tests.js";
import { pageActions } from "./page-actions.js";
import { createServices } from "./services.js";
import { createComparisons, createViews } from "./views.js";

/** What the extension is made of, each part given what it works with: services, views, then what commands need. */
export function createParts(context: ExtensionContext) {
  const services = createServices(context);
  const { captures, folders, headers, journals, notifier, spawnEngine } = services;
  const artifactsTree = new ArtifactsTree(folders, notifier);
  const showWritten = () => notifier.run(comparisons.captureWritten());
  const writeParts: WriteParts = {
    folders,
    notifier,
    onWritten: () => {
      artifactsTree.refreshSoon();
      showWritten();
    },
  };
  const actions = pageActions(captures, writeParts, () => endpointParts);
  const views = createViews(context, services, writeParts, actions, (totals, instance) =>
    openInstance(storeParts, totals, instance),
  );
  const comparisons = createComparisons(context, services, views, artifactsTree);
  const shared = { captures, headers, spawnEngine, showRun: (shown: EngineRun) => views.liveView.show(shown) };
  const recoverParts: RecoverParts = { ...writeParts, ...shared, journals, offered: new Set() };
  const storeParts: StoreParts = {
    ...writeParts,
    ...shared,
    memory: context.globalState,
    openRun: () => views.editors.shownRun(),
    showApart: (shown) => views.liveView.showApart(shown),
  };
  const startParts: StartParts = {
    ...shared,
    memory: context.workspaceState,
    demo: services.demo,
    notifier,
    journals,
    moveJournal: (captured) => moveJournal({ folders, journals, notifier, onMoved: showWritten }, captured),
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
  return {
    ...services,
    ...views,
    context,
    extensionUri: context.extensionUri,
    demoFile: path.join(context.globalStorageUri.fsPath, "demo-run.jsonl"),
    comparisons,
    runs: runsPanels({
      extensionUri: context.extensionUri,
      memory: context.workspaceState,
      leftTabs: views.leftTabs,
      cliPath: services.cliPath,
      comparisons,
      notifier,
      reports: services.reports,
      ...shared,
    }),
    captureTree: new CaptureTree(captures, notifier),
    artifactsTree,
    flagLenses: flagLenses({ cliPath: services.cliPath, artifacts: artifactsTree, notifier }),
    tests: new WorkspaceTests({ cliPath: services.cliPath, artifacts: artifactsTree }),
    writeParts,
    recoverParts,
    storeParts,
    startParts,
    endpointParts,
  };
}
