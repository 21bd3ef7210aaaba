import path from "node:path";
import { Uri, ViewColumn, window, type Memento, type WebviewPanel } from "vscode";
import { ChannelServer, SWEEP_GUARDS } from "../../protocol/index.js";
import type { SweepPageState, SweepViewRequests } from "../../protocol/sweep.js";
import { MEMORY_KEYS, SWEEP_VIEW_TYPE } from "../command-ids.js";
import type { SpawnEngine } from "../engine.js";
import type { ExportReport } from "../report/export-report.js";
import { setPanelTitle } from "../workbench-text.js";
import { webviewPort } from "../view/bridge.js";
import type { LeftTabs } from "../view/left-tabs.js";
import { openRunFile } from "../view/open-file.js";
import { OpenPanels } from "../view/open-panels.js";
import { pageOf, pageOptions } from "../view/page.js";
import { SweepReader } from "./sweep-reader.js";

export interface SweepsParts {
  readonly extensionUri: Uri;
  readonly memory: Memento;
  readonly leftTabs: LeftTabs;
  readonly spawnEngine: SpawnEngine;
  readonly exportReport: ExportReport;
}

/** All sweeps that are open, each in a panel of its own. */
export class Sweeps {
  private readonly open: OpenPanels;

  constructor(private readonly parts: SweepsParts) {
    this.open = new OpenPanels(parts.memory, MEMORY_KEYS.sweeps);
    parts.leftTabs.restore(SWEEP_VIEW_TYPE, (panel) => this.restore(panel));
  }

  /** **Open Sweep…**: a folder of runs as throughput against latency. The folder is asked for unless one is clicked. */
  async openSweep(clicked: unknown): Promise<void> {
    const [uri] =
      clicked instanceof Uri
        ? [clicked]
        : ((await window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: "Open Sweep" })) ??
          []);
    if (uri === undefined) return;
    const options = { retainContextWhenHidden: true };
    this.show(window.createWebviewPanel(SWEEP_VIEW_TYPE, "", ViewColumn.Active, options), uri.fsPath);
  }

  /** A panel that is brought back, with what its page kept or what it is known to have shown. */
  restore(panel: WebviewPanel, state?: unknown): void {
    const known = this.open.take(panel.title);
    const folder = folderOf(state ?? known);
    if (folder === undefined) panel.dispose();
    else this.show(panel, folder);
  }

  private show(panel: WebviewPanel, folder: string): void {
    const { extensionUri, leftTabs, spawnEngine, exportReport } = this.parts;
    leftTabs.add(panel);
    setPanelTitle(panel, `Sweep ${path.basename(folder)}`);
    const state: SweepPageState = { folder };
    this.open.keep(panel, state);
    panel.iconPath = Uri.joinPath(extensionUri, "media", "activity-bar.svg");
    panel.webview.options = pageOptions(extensionUri);
    const reader = new SweepReader(folder, spawnEngine);
    const server = new ChannelServer<SweepViewRequests, Record<string, never>>(
      webviewPort(panel.webview),
      {
        sweep: async (choice, signal) => ({ folder, sweep: await reader.read(choice, signal) }),
        exportReport: async (_params, signal) => {
          const sweep = await reader.read({}, signal);
          return exportReport((files, given) => files.sweepReport(folder, sweep, given));
        },
        openFile: (file) => openRunFile(file.path),
      },
      SWEEP_GUARDS,
    );
    panel.onDidDispose(() => {
      server.dispose();
      reader.dispose();
    });
    panel.webview.html = pageOf(panel.webview, extensionUri, "sweep");
  }
}

/** The folder that a page kept with its state; undefined when it kept something else. */
function folderOf(state: unknown): string | undefined {
  const known = typeof state === "object" && state !== null && "folder" in state ? state.folder : undefined;
  return typeof known === "string" && known !== "" ? known : undefined;
}
