import { t } from "@vscode/l10n";
import { commands, env, Uri } from "vscode";
import { openSweep } from "./library/runs-panels.js";
import { exportCapture } from "./capture/export.js";
import { presetRequest } from "./capture/ask-request.js";
import { addMark, markProfilingStart } from "./capture/running.js";
import { showCaptureMenu } from "./status-bar.js";
import { offerRecovery } from "./capture/recover.js";
import { startCapture } from "./capture/start.js";
import { stopCapture, reveal } from "./capture/write-artifacts.js";
import { fileOf } from "./editors/run-editors.js";
import { newExperiment } from "./experiment/new-experiment.js";
import { selectedFiles, openRunFile, openRunFolder } from "./workbench-files.js";
import { openSettings } from "./settings/read.js";
import { openRunFromStore } from "./stores/open-run.js";
import { artifactFiles, artifactPath, captureNode } from "./tree/arguments.js";
import { nameOf, valueOf, type CaptureNode } from "./tree/capture-model.js";
import type { CommandHandlers } from "./commands.js";
import { openDocumentation } from "./documentation.js";
import {
  addEndpoint,
  discoverAndSave,
  forgetApprovedServers,
  forgetJsonEndpoints,
  removeEndpoint,
  retryEndpoint,
  setEndpointHeaders,
} from "./endpoint-commands.js";
import type { EngineRun } from "./engine.js";
import type { Parts } from "./parts.js";

/** What each command does. */
export function commandHandlers(parts: Parts): CommandHandlers {
  const { captureParts, captures, captureTree, comparisons, context, demo, editors, experiments, notifier } = parts;
  /** What is done with a row of the Capture tree. */
  const onNode = (act: (node: CaptureNode) => unknown) => (argument: unknown) => {
    const node = captureNode(argument);
    return node === undefined ? undefined : act(node);
  };
  /** What is done with an endpoint of the capture in progress. */
  const onCaptured = (act: (run: EngineRun, url: string) => unknown) =>
    onNode(({ url }) => (captures.active === undefined ? undefined : act(captures.active, url)));
  return {
    "serverMetrics.startCapture": (given) => startCapture(captureParts, presetRequest(given)),
    "serverMetrics.stopCapture": () => stopCapture(captures, captureParts),
    "serverMetrics.markProfilingStart": () => markProfilingStart(captures, notifier),
    "serverMetrics.addMark": () => addMark(captures),
    "serverMetrics.openLiveView": () => {
      if (captures.latest === undefined)
        notifier.info(t("There is no capture to show."), {
          title: t("Start Capture"),
          run: () => startCapture(captureParts),
        });
      else parts.liveView.show(captures.latest);
    },
    "serverMetrics.exportCapture": () => exportCapture(captureParts, captures.latest),
    "serverMetrics.recoverCaptures": () => offerRecovery(captureParts, true),
    "serverMetrics.openRunFromPrometheus": () => openRunFromStore(captureParts),
    "serverMetrics.showCaptureMenu": () => showCaptureMenu(captures),
    "serverMetrics.startDemoServer": () => demo.start(),
    "serverMetrics.stopDemoServer": () => demo.stop(),
    "serverMetrics.openDemoRun": async () => {
      await demo.record(parts.demoFile);
      await openRunFile(parts.demoFile);
    },
    "serverMetrics.discoverEndpoints": () => discoverAndSave(captureParts),
    "serverMetrics.addEndpoint": () => addEndpoint(captureParts),
    "serverMetrics.setEndpointHeaders": (node) => setEndpointHeaders(captureParts, captureNode(node)?.url),
    "serverMetrics.forgetJsonEndpoints": () => forgetJsonEndpoints(notifier),
    "serverMetrics.forgetApprovedServers": () => forgetApprovedServers(captureParts),
    "serverMetrics.openSettings": () => openSettings(),
    "serverMetrics.openDocumentation": () => openDocumentation(context.extensionUri),
    "serverMetrics.showLog": () => parts.log.show(),
    "serverMetrics.capture.showInChart": onNode((node) => {
      const shown = captureTree.shownRun;
      if (shown === undefined || (node.kind !== "family" && node.kind !== "series")) return;
      parts.liveView.send(shown, "showInChart", {
        family: node.family,
        ...(node.kind === "series" ? { series: [node.series] } : {}),
      });
    }),
    "serverMetrics.capture.copyName": onNode((node) => env.clipboard.writeText(nameOf(captureTree.model, node))),
    "serverMetrics.capture.copyValue": async (argument) => {
      const node = captureNode(argument);
      const value = node === undefined ? undefined : valueOf(captureTree.model, node);
      if (value === undefined) notifier.info(t("This row has no single value: copy that of one of its series."));
      else await env.clipboard.writeText(value);
    },
    "serverMetrics.capture.retryEndpoint": onCaptured(retryEndpoint),
    "serverMetrics.capture.removeEndpoint": onCaptured((run, url) => removeEndpoint(captureParts, run, url)),
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
    "serverMetrics.editor.openAsText": (file) => editors.openAsText(file),
    "serverMetrics.editor.openAsRunView": (file) => editors.openAsRunView(file),
    "serverMetrics.editor.exportAs": (file) => editors.document(file).exportAs(),
    "serverMetrics.linkEditors": () => parts.links.toggleActive(),
    "serverMetrics.editor.copyLink": (file) => editors.copyLink(context, file),
    "serverMetrics.editor.reload": (file) => editors.document(file).reload(),
    "serverMetrics.editor.compareWith": (argument) => {
      const files = selectedFiles(argument);
      return comparisons.compareWith(files.length > 0 ? files : [fileOf(argument).fsPath]);
    },
    "serverMetrics.editor.addClient": (uri) => editors.addClient(uri),
    "serverMetrics.exportReport": () => parts.reports.ofActive(),
    "serverMetrics.openFolder": (uri) => openRunFolder(uri),
    "serverMetrics.openSweep": (uri) => openSweep(parts.runs, parts.memory, uri),
    "serverMetrics.showRuns": (uri) => parts.runs.openFolder(uri, parts.folders.ofRuns()),
    "serverMetrics.newExperiment": () => newExperiment(parts.cliPath),
    "serverMetrics.runExperiment": (uri) => experiments.run(uri),
    "serverMetrics.planExperiment": (uri) => experiments.show(uri, true),
    "serverMetrics.showExperiment": (uri) => experiments.show(uri),
    "serverMetrics.compareRuns": (clicked, selected) => comparisons.compareRuns(clicked, selected),
    "serverMetrics.compareCapture": () => comparisons.compareCapture(),
    "serverMetrics.editor.follow": (file) => editors.document(file).follow(true),
    "serverMetrics.editor.stopFollowing": (file) => editors.document(file).follow(false),
  };
}
