import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openArtifact } from "../../src/files/open/index.js";
import { healthy, serve, type TestServer } from "../support/faulty-server.js";
import { TrtllmServer } from "../support/trtllm-server.js";
import { answerOf } from "../support/mcp.js";
import { packFolder, root } from "../workbench/project.mjs";
import {
  answer,
  notification,
  openWorkbench,
  pick,
  pressInNotification,
  runCommand,
  screenshot,
  statusBarItem,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

/**
 * An extension around the sample of docs/sources.md: two commands run it and end what it has registered. A third calls
 * the language-model tool that `ask.json` names, once there is one of that name, as an agent does.
 */
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
    `const { commands, lm, workspace } = require("vscode");
     const { readFileSync, renameSync, writeFileSync } = require("node:fs");
     const sample = require("./sample.js");
     const subscriptions = [];
     async function ask() {
       const at = (name) => workspace.workspaceFolders[0].uri.fsPath + "/" + name;
       const { name, input } = JSON.parse(readFileSync(at("ask.json"), "utf8"));
       while (!lm.tools.some((tool) => tool.name === name)) await new Promise((resolve) => setTimeout(resolve, 50));
       const answer = await lm.invokeTool(name, { input, toolInvocationToken: undefined }).then(
         ({ content }) => ({ text: content[0].value }),
         (error) => ({ error: String(error) }),
       );
       writeFileSync(at("answer.part"), JSON.stringify(answer));
       renameSync(at("answer.part"), at("answer.json"));
     }
     exports.activate = (context) => context.subscriptions.push(
       commands.registerCommand("simulator.begin", () => sample.activate({ subscriptions })),
       commands.registerCommand("simulator.ask", ask),
       commands.registerCommand("simulator.end", () => subscriptions.splice(0).forEach((one) => one.dispose())),
     );`,
  );
  const commands = [
    { command: "simulator.begin", title: "Simulator: Begin" },
    { command: "simulator.end", title: "Simulator: End" },
    { command: "simulator.ask", title: "Simulator: Ask" },
  ];
  const manifest = {
    name: "simulator",
    publisher: "test",
    version: "0.0.1",
    engines: { vscode: "^1.95.0" },
    files: ["*.js"],
  };
  await write("package.json", JSON.stringify({ ...manifest, main: "./index.js", contributes: { commands } }));
  await write("README.md", "Simulates a device.\n");
  const file = path.join(folder, "simulator.vsix");
  await packFolder(folder, file);
  return file;
}

describe("metrics of another extension, agents, and a store that takes nothing", () => {
  let folder: string;
  let store: TestServer;
  let metrics: TestServer;
  let workbench: Workbench;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-e2e-"));
    store = await serve((request, response) => {
      request.resume().on("end", () => response.writeHead(413).end("request entity too large"));
    });
    metrics = await serve(healthy());
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      besides: [await otherExtension(path.join(folder, "simulator"))],
      settings: {
        "chat.disableAIFeatures": false,
        "serverMetrics.formats": ["jsonl"],
        "serverMetrics.interval": "100ms",
        "serverMetrics.remoteWrite": store.origin,
      },
    });
  });
  afterAll(() => Promise.all([store.close(), metrics.close()]));
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
    await runCommand(page, "Server Metrics: Stop Capture");
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

  /** Has the other extension call a tool. @param button of the question that the workbench puts to the user first */
  const asked = async (name: string, input: object, button?: { readonly of: string; readonly press: string }) => {
    const { page } = workbench;
    const answered = path.join(folder, "answer.json");
    await rm(answered, { force: true });
    await writeFile(path.join(folder, "ask.json"), JSON.stringify({ name, input }));
    await runCommand(page, "Simulator: Ask");
    if (button !== undefined) {
      const dialog = page.locator(".monaco-dialog-box").filter({ hasText: button.of });
      await dialog.waitFor();
      await screenshot(page, `agent-${name}`);
      await dialog.locator(".monaco-button", { hasText: button.press }).click();
    }
    let text: string | undefined;
    await until(
      async () => (text = await readFile(answered, "utf8").catch(() => undefined)) !== undefined,
      () => `${name} has not answered`,
    );
    return JSON.parse(text ?? "") as { readonly text?: string; readonly error?: string };
  };

  it("let agents capture when the user agrees, and tell the run by language-model tools and by the MCP server", async () => {
    const { page } = workbench;
    const urls = [`${metrics.origin}/metrics`];
    const start = { of: metrics.origin, press: "Allow" };
    const refused = await asked("server_metrics_start_capture", { urls }, { ...start, press: "Cancel" });
    expect(refused.text).toContain("did not agree");
    expect(metrics.requests).toEqual([]);

    const started = await asked("server_metrics_start_capture", { urls, label: "by an agent" }, start);
    const { capture } = answerOf(started.text ?? "");
    const { text } = await asked("server_metrics_stop_capture", { capture });
    expect(answerOf(text ?? "")).toMatchObject({ run: capture, endpoints_answered: 1 });

    await runCommand(page, "MCP: List Servers");
    await pick(page, /Select an MCP Server/, /^Server Metrics/);
    await screenshot(page, "agent-mcp");
    await pick(page, /Server Metrics/, "Start Server");
    const listed = await asked("mcp_server_metric_list_runs", { contains: "by-an-agent" });
    expect(answerOf(listed.text ?? "")).toMatchObject({ runs: [{ id: capture }], total_runs: 1 });
  });

  it("are TensorRT-LLM's iteration statistics once they are chosen, in a capture that begins at once", async () => {
    const { page } = workbench;
    const trtllm = await TrtllmServer.start();
    try {
      const url = `${trtllm.origin}/metrics`;
      await runCommand(page, "Notifications: Clear All Notifications");
      await runCommand(page, "Server Metrics: Start Capture");
      await answer(page, /endpoints/, trtllm.origin);
      await answer(page, /Type another URL, or continue/);
      await answer(page, /warm-up/);
      await answer(page, /label/, "statistics");
      const said = `${url} is JSON, as TensorRT-LLM's iteration statistics are`;
      await notification(page, said).waitFor();
      await screenshot(page, "iteration-statistics-offer");
      const readings = trtllm.asked.length;
      await pressInNotification(page, said, "Record Iteration Statistics…");
      const dialog = page.locator(".monaco-dialog-box").filter({ hasText: "takes them away from all other readers" });
      await dialog.waitFor();
      await screenshot(page, "iteration-statistics-question");
      // Nothing more is read before the answer.
      expect(trtllm.asked).toHaveLength(readings);
      await dialog.locator(".monaco-button", { hasText: "Stop and Start Again" }).click();
      await statusBarItem(page, /1\/1 up/).waitFor();
      for (let iter = 1; iter <= 3; iter++)
        trtllm.iterate({
          iter,
          iterLatencyMS: 20,
          numActiveRequests: iter,
          numCompletedRequests: 1,
          usedNumBlocks: 25,
          reusedBlocks: 4,
        });
      await until(
        () => Promise.resolve(trtllm.taken.length === 3),
        () => "the statistics are not read",
      );
      const view = await webview(page, ".run-view .tile");
      await view.locator(".tile", { hasText: "trtllm:num_requests_running" }).waitFor();
      await screenshot(page, "iteration-statistics");
      await runCommand(page, "Server Metrics: Stop Capture");
      await view.locator(".run-state", { hasText: "Stopped" }).waitFor();
    } finally {
      await trtllm.close();
    }
  });
});
