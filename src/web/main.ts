import "../extension/l10n.js";
import { commands, Uri, type ExtensionContext } from "vscode";
import { CONTEXT_KEYS } from "../extension/command-ids.js";
import { registerCommands, type CommandHandlers } from "../extension/commands.js";
import { Comparisons } from "../extension/compare/comparisons.js";
import { openDocumentation } from "../extension/documentation.js";
import { fileOf, RunEditors } from "../extension/editors/run-editors.js";
import { comparisonSpawner, engineSpawner } from "../extension/engine.js";
import { COMMAND_IDS, titleOfCommand } from "../extension/manifest/commands.js";
import { Notifier } from "../extension/notify.js";
import { followSecretParameters, openSettings } from "../extension/settings/read.js";
import { SETTINGS } from "../extension/settings/definitions.js";
import { ShownSetting } from "../extension/settings/shown-setting.js";
import { ArtifactsTree } from "../extension/tree/artifacts-tree.js";
import { selectedFiles } from "../extension/workbench-files.js";
import { LeftTabs } from "../extension/view/left-tabs.js";
import { LinkRelay } from "../extension/view/link-relay.js";
import type { RunPanelParts } from "../extension/view/run-panel.js";
import { createLog } from "../extension/workbench-text.js";
import { useDisk } from "./disk.js";
import { desktopOnly } from "./desktop-only.js";
import { workspaceDisk } from "./workspace-disk.js";

function refusal(what: string) {
  return () => Promise.reject(desktopOnly(what));
}

/** The extension where there is no Node, as on vscode.dev: it opens and compares runs, and writes nothing. */
export function activate({ extensionUri, workspaceState, subscriptions }: ExtensionContext): void {
  useDisk(workspaceDisk);
  void commands.executeCommand("setContext", CONTEXT_KEYS.inBrowser, true);
  const log = createLog("Server Metrics");
  const notifier = new Notifier(log);
  const assertions = new ShownSetting(SETTINGS.assertions, notifier);
  const objectives = new ShownSetting(SETTINGS.slo, notifier);
  const leftTabs = new LeftTabs();
  const links = new LinkRelay();
  const bundle = Uri.joinPath(extensionUri, "dist", "web", "engine.js").toString();
  const reports = { offer: () => refusal("A report") };
  const panelParts: RunPanelParts = {
    extensionUri,
    assertions,
    objectives,
    links,
    leftTabs,
    memory: workspaceState,
    reports,
    actions: { captureCommand: refusal("A capture"), endpointCommand: refusal("A capture") },
    openInstance: refusal("Reading a store"),
  };
  const folders = { base: () => undefined, choose: refusal("Writing"), ensure: refusal("Writing") };
  const artifacts = new ArtifactsTree(folders, notifier);
  const write = { folders, notifier, onWritten: () => undefined };
  const editors = new RunEditors(panelParts, { spawnEngine: engineSpawner(bundle, log), write });
  const comparisons = new Comparisons({
    ...panelParts,
    cliPath: "",
    spawnComparison: comparisonSpawner(bundle),
    notifier,
    artifacts: () => artifacts.runs(),
    capture: () => Promise.resolve(undefined),
    successorOf: () => Promise.resolve(undefined),
    showCapture: () => undefined,
  });
  const handlers: Partial<CommandHandlers> = {
    "serverMetrics.openSettings": () => openSettings(),
    "serverMetrics.openDocumentation": () => openDocumentation(extensionUri),
    "serverMetrics.showLog": () => log.show(),
    "serverMetrics.artifacts.refresh": () => artifacts.refreshSoon(),
    "serverMetrics.linkEditors": () => links.toggleActive(),
    "serverMetrics.editor.openAsText": (file) => editors.openAsText(file),
    "serverMetrics.editor.openAsRunView": (file) => editors.openAsRunView(file),
    "serverMetrics.editor.reload": (file) => editors.document(file).reload(),
    "serverMetrics.editor.compareWith": (argument) => {
      const files = selectedFiles(argument);
      return comparisons.compareWith(files.length > 0 ? files : selectedFiles(fileOf(argument)));
    },
    "serverMetrics.compareRuns": (clicked, selected) => comparisons.compareRuns(clicked, selected),
  };
  const refused = Object.fromEntries(COMMAND_IDS.map((id) => [id, refusal(`“${titleOfCommand(id)}”`)]));
  subscriptions.push(
    log,
    assertions,
    objectives,
    leftTabs,
    artifacts,
    editors,
    comparisons,
    followSecretParameters((error) => notifier.error(error)),
    registerCommands({ ...refused, ...handlers }, (error) => notifier.error(error)),
  );
}
