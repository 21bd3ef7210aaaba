import type { ExtensionContext } from "vscode";
import type { WriteParts } from "../capture/write-artifacts.js";
import { CaptureSources } from "../compare/capture-source.js";
import { Comparisons } from "../compare/comparisons.js";
import { RunEditors } from "../editors/run-editors.js";
import { comparisonSpawner } from "../engine.js";
import { Experiments } from "../experiment/experiments.js";
import { SETTINGS } from "../settings/definitions.js";
import { ShownSetting } from "../settings/shown-setting.js";
import { sweepPanels } from "../sweep/sweeps.js";
import type { ArtifactsTree } from "../tree/artifacts-tree.js";
import { LeftTabs } from "../view/left-tabs.js";
import { LinkRelay } from "../view/link-relay.js";
import { LiveView, type RunActions } from "../view/live-view.js";
import type { RunPanelParts } from "../view/run-panel.js";
import { bundleFile, type Services } from "./services.js";

export type Views = ReturnType<typeof createViews>;

/** The pages that show runs: the live view, editors of files, sweeps and experiments. */
export function createViews(
  context: ExtensionContext,
  { cliPath, reports, notifier, spawnEngine }: Services,
  write: WriteParts,
  actions: RunActions,
  openInstance: RunPanelParts["openInstance"],
) {
  const { extensionUri, workspaceState } = context;
  const assertions = new ShownSetting(SETTINGS.assertions, notifier);
  const objectives = new ShownSetting(SETTINGS.slo, notifier);
  const links = new LinkRelay();
  const leftTabs = new LeftTabs();
  const panelParts: RunPanelParts = {
    extensionUri,
    assertions,
    objectives,
    links,
    leftTabs,
    reports,
    openInstance,
  };
  return {
    assertions,
    links,
    leftTabs,
    liveView: new LiveView(panelParts, workspaceState, actions),
    editors: new RunEditors(panelParts, { spawnEngine, layouts: workspaceState, write }, actions),
    sweeps: sweepPanels({ extensionUri, memory: workspaceState, leftTabs, reports, spawnEngine }),
    experiments: new Experiments({ extensionUri, cliPath, memory: workspaceState, leftTabs, reports, notifier }),
  };
}

/** The panels that compare runs, among them the capture under way. */
export function createComparisons(
  context: ExtensionContext,
  { captures, cliPath, reports, notifier }: Services,
  { assertions, leftTabs, liveView }: Views,
  artifactsTree: ArtifactsTree,
): Comparisons {
  const captureSources = new CaptureSources(captures);
  return new Comparisons({
    extensionUri: context.extensionUri,
    cliPath,
    layouts: context.workspaceState,
    leftTabs,
    spawnComparison: comparisonSpawner(bundleFile(context, "comparison.js")),
    assertions,
    notifier,
    reports,
    artifacts: () => artifactsTree.runs(),
    capture: () => captureSources.current(),
    successorOf: (journal) => captureSources.successorOf(journal),
    showCapture: () => {
      if (captures.latest !== undefined) liveView.show(captures.latest);
    },
  });
}
