import path from "node:path";
import { Uri, ViewColumn, window } from "vscode";
import { ChannelServer, SWEEP_GUARDS } from "../../protocol/index.js";
import type { SweepViewRequests } from "../../protocol/sweep.js";
import { SWEEP_VIEW_TYPE } from "../command-ids.js";
import type { SpawnEngine } from "../engine.js";
import { setPanelTitle } from "../sinks.js";
import { webviewPort } from "../view/bridge.js";
import { openRunFile } from "../view/open-file.js";
import { pageOf, pageOptions } from "../view/page.js";

/** **Open Sweep…**: a folder of runs as throughput against latency. The folder is asked for unless one is clicked. */
export async function openSweep(
  { extensionUri, spawnEngine }: { readonly extensionUri: Uri; readonly spawnEngine: SpawnEngine },
  clicked: unknown,
): Promise<void> {
  const [uri] =
    clicked instanceof Uri
      ? [clicked]
      : ((await window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, openLabel: "Open Sweep" })) ??
        []);
  if (uri === undefined) return;
  const folder = uri.fsPath;
  const panel = window.createWebviewPanel(SWEEP_VIEW_TYPE, "", ViewColumn.Active, {
    ...pageOptions(extensionUri),
    retainContextWhenHidden: true,
  });
  setPanelTitle(panel, `Sweep ${path.basename(folder)}`);
  panel.iconPath = Uri.joinPath(extensionUri, "media", "activity-bar.svg");
  const engine = spawnEngine();
  const server = new ChannelServer<SweepViewRequests, Record<string, never>>(
    webviewPort(panel.webview),
    {
      sweep: async (choice, signal) => ({
        folder,
        sweep: await engine.client.call("sweep", { ...choice, folder }, signal),
      }),
      openFile: (file) => openRunFile(file.path),
    },
    SWEEP_GUARDS,
  );
  panel.onDidDispose(() => {
    server.dispose();
    void engine.dispose();
  });
  panel.webview.html = pageOf(panel.webview, extensionUri, "sweep");
}
