import path from "node:path";
import type { ExtensionContext } from "vscode";
import { AgentTools } from "../agents.js";
import { Captures } from "../capture/captures.js";
import { Journals } from "../capture/journals.js";
import { OutputFolders } from "../capture/output-folder.js";
import { DemoServerThread } from "../demo/server.js";
import { engineSpawner } from "../engine.js";
import { EndpointHeaders } from "../headers.js";
import { Notifier } from "../notify.js";
import { Origins } from "../origins.js";
import { RegisteredSources } from "../registered-sources.js";
import { ReportExporter } from "../report/export-report.js";
import { createLog } from "../workbench-text.js";

export type Services = ReturnType<typeof createServices>;

/** The file of a bundle that is loaded or started later. */
export function bundleFile(context: ExtensionContext, file: string): string {
  return context.asAbsolutePath(path.join("dist", file));
}

/** What there is once in a window, whatever is shown: captures, their servers and files, secrets, messages. */
export function createServices(context: ExtensionContext) {
  const log = createLog("Server Metrics");
  const notifier = new Notifier(log);
  const headers = new EndpointHeaders(context.secrets, new Origins(context.globalState));
  const folders = new OutputFolders(context.globalState);
  const cliPath = bundleFile(context, "cli.js");
  return {
    log,
    cliPath,
    notifier,
    headers,
    folders,
    reports: new ReportExporter(context.extensionUri, notifier),
    captures: new Captures(),
    spawnEngine: engineSpawner(bundleFile(context, "engine.js"), log),
    demo: new DemoServerThread(bundleFile(context, "demo.js"), notifier),
    sources: new RegisteredSources(),
    agents: new AgentTools({
      workerPath: bundleFile(context, "agents.js"),
      cliPath,
      folder: () => folders.forAgents(),
      origins: headers.origins,
    }),
    journals: new Journals(
      path.join((context.storageUri ?? context.globalStorageUri).fsPath, "journals"),
      context.workspaceState,
    ),
  };
}
