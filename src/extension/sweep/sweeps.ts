import { t } from "@vscode/l10n";
import { Disposable } from "vscode";
import { ChannelServer, SWEEP_GUARDS } from "../../protocol/index.js";
import type { SweepChoice, SweepViewRequests } from "../../protocol/sweep.js";
import { MEMORY_KEYS, VIEW_TYPES } from "../command-ids.js";
import type { SpawnEngine } from "../engine.js";
import { FolderEngine } from "../folder-engine.js";
import { webviewPort } from "../view/bridge.js";
import { FolderPanels, type FolderPanelsParts } from "../view/folder-panels.js";
import { openRunFile } from "../view/open-file.js";

/** **Open Sweep…**: a folder of runs as throughput against latency. */
export function sweepPanels(parts: FolderPanelsParts & { readonly spawnEngine: SpawnEngine }): FolderPanels {
  return new FolderPanels(parts, {
    viewType: VIEW_TYPES.sweep,
    memoryKey: MEMORY_KEYS.sweeps,
    view: "sweep",
    title: t("Sweep"),
    answer: (panel, folder) => {
      const reader = new FolderEngine(folder, parts.spawnEngine);
      let shown: SweepChoice = {};
      const server = new ChannelServer<SweepViewRequests, Record<string, never>>(
        webviewPort(panel.webview),
        {
          sweep: async (choice, signal) => {
            shown = choice;
            return {
              folder,
              sweep: await reader.ask((client, runs) => client.call("sweep", { ...choice, ...runs }, signal)),
            };
          },
          exportReport: parts.reports.offer(panel, async (files, signal) => {
            const sweep = await reader.ask((client, runs) => client.call("sweep", { ...shown, ...runs }, signal));
            return files.sweepReport(folder, sweep, signal);
          }),
          openFile: (file) => openRunFile(file.path),
        },
        SWEEP_GUARDS,
      );
      return Disposable.from(server, reader);
    },
  });
}
