import { commands, env, Uri } from "vscode";
import { type Captures } from "./capture/captures.js";
import { exportCapture } from "./capture/export.js";
import { givenRequest } from "./capture/given.js";
import { addMark, markProfilingStart } from "./capture/marks.js";
import { showCaptureMenu } from "./capture/menu.js";
import { offerRecovery, type RecoverParts } from "./capture/recover.js";
import { startCapture, type StartParts } from "./capture/start.js";
import { stopCapture } from "./capture/stop.js";
import { reveal, type WriteParts } from "./capture/write-artifacts.js";
import { type Comparisons } from "./compare/comparisons.js";
import { type DemoServer } from "./demo/server.js";
import { fileOf, type RunEditors } from "./editors/run-editors.js";
import { openSettings } from "./settings/read.js";
import { openRunFromStore, type StoreParts } from "./stores/open-run.js";
import { type Sweeps } from "./sweep/sweeps.js";
import { artifactFiles, artifactPath, captureNode } from "./tree/arguments.js";
import { type ArtifactsTree } from "./tree/artifacts-tree.js";
import { nameOf, valueOf } from "./tree/capture-model.js";
import { type CaptureTree } from "./tree/capture-tree.js";
import { type LinkRelay } from "./view/link-relay.js";
import { type LiveView } from "./view/live-view.js";
import { openRunFile } from "./view/open-file.js";
import { openRunFolder } from "./view/open-folder.js";
import { type CommandHandlers } from "./commands.js";
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
import { type Notifier } from "./notify.js";
import { type Log } from "./workbench-text.js";

/** What the commands work with. */
export interface CommandParts {
  readonly extensionUri: Uri;
  /** Where the demo run is recorded. */
  readonly demoFile: string;
  readonly log: Log;
  readonly notifier: Notifier;
  readonly captures: Captures;
  readonly demo: DemoServer;
  readonly links: LinkRelay;
  readonly liveView: LiveView;
  readonly editors: RunEditors;
  readonly comparisons: Comparisons;
  readonly sweeps: Sweeps;
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
  const {
    log,
    notifier,
    captures,
    demo,
    links,
    liveView,
    editors,
    comparisons,
    sweeps,
    captureTree,
    artifactsTree,
    writeParts,
    recoverParts,
    storeParts,
    startParts,
    endpointParts,
  } = parts;
  return {
    "serverMetrics.startCapture": (given) => startCapture(startParts, givenRequest(given)),
    "serverMetrics.stopCapture": () => stopCapture(captures, writeParts),
    "serverMetrics.markProfilingStart": () => markProfilingStart(captures, notifier),
    "serverMetrics.addMark": () => addMark(captures),
    "serverMetrics.openLiveView": () => {
      if (captures.latest === undefined)
        notifier.info("There is no capture to show.", {
          title: "Start Capture",
          run: () => startCapture(startParts),
        });
      else liveView.show(captures.latest);
    },
    "serverMetrics.exportCapture": () => exportCapture(writeParts, captures.latest),
    "serverMetrics.recoverCaptures": () => offerRecovery(recoverParts, true),
    "serverMetrics.openRunFromPrometheus": () => openRunFromStore(storeParts),
    "serverMetrics.showCaptureMenu": () => showCaptureMenu(captures),
    "serverMetrics.startDemoServer": () => demo.start(),
    "serverMetrics.stopDemoServer": () => demo.stop(),
    "serverMetrics.openDemoRun": async () => {
      await demo.record(parts.demoFile);
      await openRunFile(parts.demoFile);
    },
    "serverMetrics.discoverEndpoints": () => discoverAndSave(endpointParts),
    "serverMetrics.addEndpoint": () => addEndpoint(endpointParts),
    "serverMetrics.setEndpointHeaders": (node) => setEndpointHeaders(endpointParts, captureNode(node)?.url),
    "serverMetrics.forgetJsonEndpoints": () => forgetJsonEndpoints(notifier),
    "serverMetrics.forgetApprovedServers": () => forgetApprovedServers(endpointParts),
    "serverMetrics.openSettings": () => openSettings(),
    "serverMetrics.openDocumentation": () => openDocumentation(parts.extensionUri),
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
}
