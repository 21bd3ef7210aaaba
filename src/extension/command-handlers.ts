import { t } from "@vscode/l10n";
import { commands, env, Uri } from "vscode";
import type { Captures } from "./capture/captures.js";
import { exportCapture } from "./capture/export.js";
import { presetRequest } from "./capture/preset-request.js";
import { addMark, markProfilingStart } from "./capture/marks.js";
import { showCaptureMenu } from "./capture/menu.js";
import type { OutputFolders } from "./capture/output-folder.js";
import { offerRecovery, type RecoverParts } from "./capture/recover.js";
import { startCapture, type StartParts } from "./capture/start.js";
import { stopCapture } from "./capture/stop.js";
import { reveal, type WriteParts } from "./capture/write-artifacts.js";
import type { Comparisons } from "./compare/comparisons.js";
import type { DemoServerThread } from "./demo/server.js";
import { fileOf, type RunEditors } from "./editors/run-editors.js";
import type { ReportExporter } from "./report/export-report.js";
import type { LinkContext } from "./editors/run-link.js";
import type { Experiments } from "./experiment/experiments.js";
import { newExperiment } from "./experiment/new-experiment.js";
import { selectedFiles } from "./tree/selected-files.js";
import { openSettings } from "./settings/read.js";
import { openRunFromStore, type StoreParts } from "./stores/open-run.js";
import { artifactFiles, artifactPath, captureNode } from "./tree/arguments.js";
import type { ArtifactsTree } from "./tree/artifacts-tree.js";
import { nameOf, valueOf } from "./tree/capture-model.js";
import type { CaptureTree } from "./tree/capture-tree.js";
import type { LinkRelay } from "./view/link-relay.js";
import type { LiveView } from "./view/live-view.js";
import type { FolderPanels } from "./view/folder-panels.js";
import { openRunFile } from "./view/open-file.js";
import { openRunFolder } from "./view/open-folder.js";
import type { CommandHandlers } from "./commands.js";
import { openDocumentation } from "./documentation.js";
import {
  addEndpoint,
  discoverAndSave,
  type EndpointParts,
  forgetApprovedServers,
  forgetJsonEndpoints,
  removeEndpoint,
  retryEndpoint,
  setEndpointHeaders,
} from "./endpoint-commands.js";
import type { Notifier } from "./notify.js";
import type { Log } from "./workbench-text.js";

/** What the commands work with. */
export interface CommandParts {
  readonly extensionUri: Uri;
  /** Where the demo run is recorded. */
  readonly demoFile: string;
  readonly log: Log;
  readonly notifier: Notifier;
  readonly captures: Captures;
  readonly demo: DemoServerThread;
  readonly links: LinkRelay;
  readonly liveView: LiveView;
  readonly editors: RunEditors;
  readonly context: LinkContext;
  readonly comparisons: Comparisons;
  readonly reports: ReportExporter;
  readonly sweeps: FolderPanels;
  readonly runs: FolderPanels;
  readonly folders: OutputFolders;
  /** The bundled `cli.js`. */
  readonly cliPath: string;
  readonly experiments: Experiments;
  readonly captureTree: CaptureTree;
  readonly artifactsTree: ArtifactsTree;
  readonly writeParts: WriteParts;
  readonly recoverParts: RecoverParts;
  readonly storeParts: StoreParts;
  readonly startParts: StartParts;
  readonly endpointParts: EndpointParts;
}

/** What each command does. */
export function commandHandlers(parts: CommandParts): CommandHandlers {
  return {
    "serverMetrics.startCapture": (given) => startCapture(parts.startParts, presetRequest(given)),
    "serverMetrics.stopCapture": () => stopCapture(parts.captures, parts.writeParts),
    "serverMetrics.markProfilingStart": () => markProfilingStart(parts.captures, parts.notifier),
    "serverMetrics.addMark": () => addMark(parts.captures),
    "serverMetrics.openLiveView": () => {
      if (parts.captures.latest === undefined)
        parts.notifier.info(t("There is no capture to show."), {
          title: t("Start Capture"),
          run: () => startCapture(parts.startParts),
        });
      else parts.liveView.show(parts.captures.latest);
    },
    "serverMetrics.exportCapture": () => exportCapture(parts.writeParts, parts.captures.latest),
    "serverMetrics.recoverCaptures": () => offerRecovery(parts.recoverParts, true),
    "serverMetrics.openRunFromPrometheus": () => openRunFromStore(parts.storeParts),
    "serverMetrics.showCaptureMenu": () => showCaptureMenu(parts.captures),
    "serverMetrics.startDemoServer": () => parts.demo.start(),
    "serverMetrics.stopDemoServer": () => parts.demo.stop(),
    "serverMetrics.openDemoRun": async () => {
      await parts.demo.record(parts.demoFile);
      await openRunFile(parts.demoFile);
    },
    "serverMetrics.discoverEndpoints": () => discoverAndSave(parts.endpointParts),
    "serverMetrics.addEndpoint": () => addEndpoint(parts.endpointParts),
    "serverMetrics.setEndpointHeaders": (node) => setEndpointHeaders(parts.endpointParts, captureNode(node)?.url),
    "serverMetrics.forgetJsonEndpoints": () => forgetJsonEndpoints(parts.notifier),
    "serverMetrics.forgetApprovedServers": () => forgetApprovedServers(parts.endpointParts),
    "serverMetrics.openSettings": () => openSettings(),
    "serverMetrics.openDocumentation": () => openDocumentation(parts.extensionUri),
    "serverMetrics.showLog": () => parts.log.show(),
    "serverMetrics.capture.showInChart": (argument) => {
      const node = captureNode(argument);
      const shown = parts.captureTree.shownRun;
      if (shown === undefined || (node?.kind !== "family" && node?.kind !== "series")) return;
      parts.liveView.send(shown, "showInChart", {
        family: node.family,
        ...(node.kind === "series" ? { series: [node.series] } : {}),
      });
    },
    "serverMetrics.capture.copyName": async (argument) => {
      const node = captureNode(argument);
      if (node !== undefined) await env.clipboard.writeText(nameOf(parts.captureTree.model, node));
    },
    "serverMetrics.capture.copyValue": async (argument) => {
      const node = captureNode(argument);
      const value = node === undefined ? undefined : valueOf(parts.captureTree.model, node);
      if (value === undefined) parts.notifier.info(t("This row has no single value: copy that of one of its series."));
      else await env.clipboard.writeText(value);
    },
    "serverMetrics.capture.retryEndpoint": async (argument) => {
      const node = captureNode(argument);
      if (node !== undefined && parts.captures.active !== undefined)
        await retryEndpoint(parts.captures.active, node.url);
    },
    "serverMetrics.capture.removeEndpoint": async (argument) => {
      const node = captureNode(argument);
      if (node !== undefined && parts.captures.active !== undefined)
        await removeEndpoint(parts.endpointParts, parts.captures.active, node.url);
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
    "serverMetrics.artifacts.refresh": () => parts.artifactsTree.refreshSoon(),
    "serverMetrics.editor.openAsText": (file) => parts.editors.openAsText(file),
    "serverMetrics.editor.openAsRunView": (file) => parts.editors.openAsRunView(file),
    "serverMetrics.editor.exportAs": (file) => parts.editors.exportAs(file),
    "serverMetrics.linkEditors": () => parts.links.toggleActive(),
    "serverMetrics.editor.copyLink": (file) => parts.editors.copyLink(parts.context, file),
    "serverMetrics.editor.reload": (file) => parts.editors.reload(file),
    "serverMetrics.editor.compareWith": (argument) => {
      const files = selectedFiles(argument);
      return parts.comparisons.compareWith(files.length > 0 ? files : [fileOf(argument).fsPath]);
    },
    "serverMetrics.editor.addClient": (uri) => parts.editors.addClient(uri),
    "serverMetrics.exportReport": () => parts.reports.ofActive(),
    "serverMetrics.openFolder": (uri) => openRunFolder(uri),
    "serverMetrics.openSweep": (uri) => parts.sweeps.openFolder(uri),
    "serverMetrics.showRuns": (uri) => parts.runs.openFolder(uri, parts.folders.ofRuns()),
    "serverMetrics.newExperiment": () => newExperiment(parts.cliPath),
    "serverMetrics.runExperiment": (uri) => parts.experiments.run(uri),
    "serverMetrics.planExperiment": (uri) => parts.experiments.show(uri, true),
    "serverMetrics.showExperiment": (uri) => parts.experiments.show(uri),
    "serverMetrics.compareRuns": (clicked, selected) => parts.comparisons.compareRuns(clicked, selected),
    "serverMetrics.compareCapture": () => parts.comparisons.compareCapture(),
    "serverMetrics.editor.follow": (file) => parts.editors.follow(file, true),
    "serverMetrics.editor.stopFollowing": (file) => parts.editors.follow(file, false),
  };
}
