import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openArtifact } from "../../src/files/open/index.js";
import { serve, type TestServer } from "../support/faulty-server.js";
import { packFolder, root } from "../workbench/project.mjs";
import {
  notification,
  openWorkbench,
  runCommand,
  screenshot,
  statusBarItem,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

/** An extension around the sample of docs/sources.md: two commands run it and end what it has registered. */
async function otherExtension(folder: string): Promise<string> {
  const docs = await readFile(path.join(root, "docs/sources.md"), "utf8");
  const [, sample = ""] = /```ts\n(.*?)```/s.exec(docs) ?? [];
  const { outputText } = ts.transpileModule(sample, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  await mkdir(folder);
  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);
  await write("sample.js", `let depth = 0;\nconst queueDepth = async () => ++depth;\n${outputText}`);
  await write(
    "index.js",
    `const { commands } = require("vscode");
     const sample = require("./sample.js");
     const subscriptions = [];
     exports.activate = (context) => context.subscriptions.push(
       commands.registerCommand("simulator.begin", () => sample.activate({ subscriptions })),
       commands.registerCommand("simulator.end", () => subscriptions.splice(0).forEach((one) => one.dispose())),
     );`,
  );
  const commands = [
    { command: "simulator.begin", title: "Simulator: Begin" },
    { command: "simulator.end", title: "Simulator: End" },
  ];
  const manifest = {
    name: "simulator",
    publisher: "test",
    version: "0.0.1",
    engines: { vscode: "^1.90.0" },
    files: ["*.js"],
  };
  await write("package.json", JSON.stringify({ ...manifest, main: "./index.js", contributes: { commands } }));
  await write("README.md", "Simulates a device.\n");
  const file = path.join(folder, "simulator.vsix");
  await packFolder(folder, file);
  return file;
}

describe("metrics of another extension, and a store that takes nothing", () => {
  let folder: string;
  let store: TestServer;
  let workbench: Workbench;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-e2e-"));
    store = await serve((request, response) => {
      request.resume().on("end", () => response.writeHead(413).end("request entity too large"));
    });
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      besides: [await otherExtension(path.join(folder, "simulator"))],
      settings: {
        "serverMetrics.formats": ["jsonl"],
        "serverMetrics.interval": 100,
        "serverMetrics.remoteWrite": store.origin,
      },
    });
  });
  afterAll(() => store.close());
  tidied(() => ({ workbench, folder }));

  it("are captured without a question, end with their source, and what was not written is counted", async () => {
    const { page } = workbench;
    await runCommand(page, "Simulator: Begin");
    await statusBarItem(page, /1\/1 up/).waitFor();
    const view = await webview(page, ".run-view");
    await view.getByText("simulator_queue_depth").first().waitFor();
    await until(
      () => Promise.resolve(store.requests.length > 0),
      () => "nothing was written",
    );
    await runCommand(page, "Simulator: End");
    await statusBarItem(page, /0\/1 up/).waitFor();
    await view.getByText("The extension that supplied this source has ended it.").first().waitFor();
    await screenshot(page, "other-extension-ended");
    await runCommand(page, "Stop Server Metrics Capture");
    await view
      .getByText(/[1-9]\d* could not be written/)
      .first()
      .waitFor();
    // Where they stay: on a slow machine they have passed.
    await runCommand(page, "Notifications: Show Notifications");
    for (const text of [/[1-9]\d* could not be written/, /HTTP 413/, /Server metrics written as JSONL/])
      await notification(page, text).waitFor();
    await screenshot(page, "other-extension-loss");
    const names = await readdir(folder, { recursive: true });
    const file = names.find((name) => name.endsWith("server_metrics_export.jsonl")) ?? "";
    const opened = await openArtifact(path.join(folder, file));
    if (opened.kind !== "samples") throw new Error("no samples");
    const { store: held } = opened.run;
    expect([...held.seriesKeys()].map(({ family }) => family.name)).toEqual(["simulator_queue_depth"]);
    const [axis] = held.endpoints;
    expect(axis?.rows).toBeGreaterThan(axis?.failures ?? 0);
    expect(axis?.failures).toBeGreaterThan(0);
  });
});
