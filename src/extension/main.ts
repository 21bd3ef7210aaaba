import "./l10n.js";
import { Disposable, ViewColumn, window, type ExtensionContext } from "vscode";
import type { Captures } from "./capture/captures.js";
import { offerRecoveryAtStart } from "./capture/recover.js";
import { followApprovals } from "./capture/request.js";
import { startCaptureOnOpen } from "./capture/start.js";
import { commandHandlers } from "./command-handlers.js";
import { registerCommands } from "./commands.js";
import { openLinks } from "./editors/run-link.js";
import { createParts } from "./parts.js";
import type { ServerMetricsApi } from "./registered-sources.js";
import { followSecretParameters } from "./settings/read.js";
import { createStatusBar } from "./status-bar.js";

/** What `deactivate` has to end in order. */
let shutDown: () => Promise<void> = () => Promise.resolve();

/** VS Code waits about this long for an extension to end. */
const SHUTDOWN_MS = 3500;

/** @returns what other extensions can do: docs/sources.md */
export function activate(context: ExtensionContext): ServerMetricsApi {
  const parts = createParts(context);
  const { agents, captureParts, captures, comparisons, experiments, headers, liveView, notifier, sources } = parts;
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
    parts.captureTree,
    parts.artifactsTree,
    parts.tests,
    parts.flagLenses,
    agents.register(),
    sources,
    createStatusBar(captures),
    offerRecoveryAtStart(captureParts),
    registerCommands(commandHandlers(parts), (error) => notifier.error(error)),
    openLinks(notifier, (file, link) => parts.editors.openLink(file, link)),
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
  notifier.run(startCaptureOnOpen({ ...captureParts, showRun: (shown) => liveView.show(shown, beside()) }));
  return { apiVersion: sources.apiVersion, registerSource: (source) => sources.registerSource(source) };
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
  if (captures.active !== undefined) await beforeShutdown(run.engine.client.call("stopCapture", {}));
  await run.end();
}

/** Waits for the end of a capture as long as VS Code does. */
async function beforeShutdown(ending: Promise<unknown>): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, SHUTDOWN_MS).unref());
  // The journal is flushed every second: little is lost, and nobody is left to tell.
  await Promise.race([ending.catch(() => undefined), late]);
}
