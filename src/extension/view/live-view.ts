import { t } from "@vscode/l10n";
import { Disposable, ViewColumn, window, type WebviewPanel } from "vscode";
import type { HostEvents, ViewEvents } from "../../protocol/index.js";
import type { EngineRun } from "../engine.js";
import { VIEW_TYPES } from "../command-ids.js";
import { loadLayout, loadRunLayout, saveLayout, saveRunLayout } from "./layouts.js";
import { RunPanel, type RunPanelHost, type RunPanelParts } from "./run-panel.js";
import { endedSource } from "./bridge.js";

const RECOVER = t(
  "If the capture had not been saved, “Server Metrics: Recover Unsaved Captures” writes its artifacts and shows it here again. Saved runs are in the Artifacts view.",
);

const ENDED = t(
  "The capture shown here ended when the window was closed or reloaded, or its extensions were restarted.",
);

/** The one panel of this window that shows the latest run. While it is open it keeps its run alive. */
export class LiveView {
  private panel: RunPanel | undefined;
  private shown: { readonly run: EngineRun; readonly hold: Disposable } | undefined;

  constructor(private readonly parts: RunPanelParts) {
    // What it showed has ended, and a panel in its place says so.
    parts.leftTabs.restore(VIEW_TYPES.live, (panel) => this.restore(panel));
  }

  /** Brings the run to the front, in place of the one shown before. @param column where a new panel opens */
  show(run: EngineRun, column = ViewColumn.Active): void {
    if (this.panel !== undefined) this.panel.panel.reveal();
    const panel = this.panel ?? this.adopt(newPanel(column));
    if (this.shown?.run === run) return;
    const before = this.shown;
    const title = run.label === undefined ? t("Server Metrics") : t`Server Metrics: ${run.label}`;
    const ended = run.onDidEnd(() => (this.shown = undefined));
    const hold = this.present(panel, run, title, t("The engine of the capture shown here has ended."));
    this.shown = { run, hold: Disposable.from(ended, hold) };
    before?.hold.dispose();
  }

  /** Shows a run in a panel of its own, which keeps it alive. */
  showApart(run: EngineRun): void {
    const panel = new RunPanel(newPanel(ViewColumn.Active), this.parts);
    const title = t`Server Metrics: ${run.label ?? "run"}`;
    const hold = this.present(panel, run, title, t("The engine of this run has ended."));
    panel.panel.onDidDispose(() => {
      hold.dispose();
    });
  }

  /** Opens the view on `run` and tells the page. */
  send<K extends keyof HostEvents>(run: EngineRun, name: K, payload: ViewEvents[K]): void {
    this.show(run);
    this.panel?.send(name, payload);
  }

  /** A panel that is brought back: its run ended with the window or the extension host. */
  private restore(panel: WebviewPanel): void {
    if (this.panel !== undefined) {
      panel.dispose();
      return;
    }
    this.adopt(panel).show(t("Server Metrics"), endedSource(ENDED, RECOVER), this.host(undefined));
  }

  /** @param reason what the page says once the run's engine has ended by itself @returns what keeps the run alive */
  private present(panel: RunPanel, run: EngineRun, title: string, reason: string): Disposable {
    panel.show(title, run.engine.client, this.host(run));
    return Disposable.from(
      run.onDidEnd(() => panel.show(title, endedSource(reason, RECOVER), this.host(undefined))),
      run.hold(),
    );
  }

  private adopt(panel: WebviewPanel): RunPanel {
    const adopted = new RunPanel(panel, this.parts);
    this.panel = adopted;
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown?.hold.dispose();
      this.shown = undefined;
    });
    return adopted;
  }

  private host(run: EngineRun | undefined): RunPanelHost {
    return {
      captureCommand: (params) => this.parts.actions.captureCommand(params, run),
      endpointCommand: async ({ command, url }) => {
        if (run !== undefined) await this.parts.actions.endpointCommand(command, url, run);
      },
      // What it shows is read from no file.
      showFile: () => null,
      loadLayout: () => {
        const id = run?.header?.benchmarkId;
        const own = id === undefined ? null : loadRunLayout(this.parts.memory, id, "capture");
        return own ?? loadLayout(this.parts.memory);
      },
      saveLayout: async (layout) => {
        const id = run?.header?.benchmarkId;
        if (id !== undefined) await saveRunLayout(this.parts.memory, id, "capture", layout);
        return saveLayout(this.parts.memory, layout);
      },
    };
  }
}

function newPanel(column: ViewColumn): WebviewPanel {
  return window.createWebviewPanel(VIEW_TYPES.live, t("Server Metrics"), column);
}
