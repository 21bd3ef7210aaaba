import { copyFile, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame, Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { markdownCell, plainText } from "../../src/core/text/index.js";
import { runCli } from "../support/cli.js";
import { serve, type TestServer } from "../support/faulty-server.js";
import {
  answer,
  editorTab,
  expand,
  notification,
  openContainer,
  openFile,
  openWorkbench,
  pressInNotification,
  pressInTitle,
  runCommand,
  screenshot,
  statusBarItem,
  treeItem,
  until,
  waitForPrompt,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

/** A link that runs a command, an icon, HTML, Markdown and terminal escapes. A file can bear that name, too. */
const TEXT =
  "[Repair](command:workbench.action.quickOpen?%22x%22) $(squirrel) <img src=x onerror=alert(1)> **b** \u001b[2J\u202e";
/** As much of it as a label may have. */
const LABEL = TEXT.slice(0, TEXT.indexOf(" <"));
/** The start of it, as a notification, prompt, label and row show it. */
const LINK = "[Repair](command:workbench.action.quickOpen";
const LINK_APART = "[Repair] (command:workbench.action.quickOpen";
const ICON_APART = "$ (squirrel)";
/** What would have come of it, in the workbench or in one of its pages. */
const ACTING =
  ".codicon-squirrel, img[src='x'], :is(a, [href], [data-href])[href*='quickOpen'], [data-href*='quickOpen'], " +
  "a[href^='command:workbench.action.quickOpen'], [onerror]";

const quoted = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
const EXPOSITION = `# HELP hostile Help ${TEXT}
# TYPE hostile gauge
hostile{model_name="${quoted(TEXT)}"} 3
# TYPE formula gauge
formula{model_name="=1+1"} 4
# HELP vllm:num_requests_running ${TEXT}
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="${quoted(TEXT)}"} 2
`;

async function nothingActs(where: Page | Frame): Promise<void> {
  expect(await where.locator(ACTING).evaluateAll((all) => all.map((one) => one.outerHTML))).toEqual([]);
  // Neither an escape nor what turns the writing.
  if ("parentFrame" in where) expect(await where.locator("body").innerText()).not.toMatch(/[\u001b\u202e]/);
}

/** The label value "=1+1" is there, as a text. */
function noFormulaIn(csv: string): void {
  expect(csv).toMatch(/(^|,)"?'=1\+1/m);
  expect(csv).not.toMatch(/(^|,)"?[=+@]/m);
}

describe("an endpoint, files and labels with text that would act", () => {
  let folder: string;
  let server: TestServer;
  let failing = false;
  /** Answers JSON instead of metrics. */
  let isJson = false;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-e2e-"));
    server = await serve((_, response) => {
      if (isJson) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ title: TEXT }));
      else if (failing) response.writeHead(500, { "content-type": "text/plain" }).end(TEXT);
      else response.writeHead(200, { "content-type": "text/plain; version=0.0.4" }).end(EXPOSITION);
    });
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: {
        "serverMetrics.endpoints": [{ url: `${server.origin}/metrics`, label: TEXT }],
        "serverMetrics.formats": ["json", "jsonl", "csv"],
        "serverMetrics.csvSafe": true,
        // What is shown under the pointer is looked at, too.
        "workbench.hover.delay": 300,
      },
      machineSettings: { "serverMetrics.outputFolder": TEXT },
    });
  });
  tidied(() => ({ workbench, folder }));

  /** What is shown where the pointer rests. */
  const hoverOf = async (item: Locator): Promise<string> => {
    const { page } = workbench;
    const hover = page.locator(".monaco-hover:visible, .workbench-hover:visible").last();
    let text = "";
    await until(
      async () => {
        await page.mouse.move(700, 500);
        await item.hover();
        await hover.waitFor({ timeout: 3000 }).catch(() => undefined);
        text = (await hover.textContent({ timeout: 1000 }).catch(() => "")) ?? "";
        return text !== "";
      },
      () => "nothing is shown under the pointer",
    );
    await nothingActs(page);
    await page.mouse.move(700, 500);
    return text;
  };

  /** What the capture has written, wherever a folder of that name has come to be. */
  const written = async (name: string): Promise<string> => {
    const found = (await readdir(folder, { recursive: true })).find((file) => file.endsWith(name));
    expect(found, `${name} is not written`).toBeDefined();
    return path.join(folder, found ?? "");
  };

  it("show it as text where an endpoint is chosen", async () => {
    const { page } = workbench;
    await runCommand(page, "Set Endpoint Headers");
    const prompt = await waitForPrompt(page, /header/i);
    await until(
      async () => ((await prompt.textContent()) ?? "").includes(ICON_APART),
      () => "the endpoint is not offered",
    );
    await screenshot(page, "hostile-pick");
    expect(await prompt.textContent()).toContain(LINK);
    await nothingActs(page);
    await page.keyboard.press("Escape");
  });

  it("show it as text while they are captured: status bar, tree, view", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Start Capture");
    await answer(page, /warm-up/);
    await answer(page, /label/, LABEL);
    const view = await webview(page, ".run-view");
    await view.locator(".endpoint-state", { hasText: "up" }).waitFor();
    await until(
      async () => ((await view.locator("body").textContent()) ?? "").includes(LINK),
      () => "the page does not show the label",
    );
    await nothingActs(page);
    await nothingActs(view);
    await editorTab(page, ICON_APART).waitFor();

    await view.getByRole("tab", { name: "Statistics" }).click();
    await view.locator(".grid-body").getByText("=1+1").waitFor();
    await view.getByRole("button", { name: "Copy as CSV" }).click();
    await statusBarItem(page, /Copied \d+ rows/).waitFor();
    noFormulaIn(await page.evaluate(() => navigator.clipboard.readText()));

    expect(await hoverOf(statusBarItem(page, /\d+ scrapes · 1\/1 up/))).toContain(LINK);

    await openContainer(page, "Server Metrics");
    const endpoint = treeItem(page, LINK);
    expect(await endpoint.textContent()).toContain(ICON_APART);
    await expand(endpoint);
    await expand(treeItem(page, /^Other/));
    const family = treeItem(page, /^hostile/);
    expect(await hoverOf(family)).toContain(`Help ${plainText(TEXT)}`);
    await expand(family);
    const series = treeItem(page, /model_name=/);
    expect(await series.textContent()).toContain(ICON_APART);
    expect(await hoverOf(series)).toContain(LINK);
    await screenshot(page, "hostile-tree");
    await nothingActs(page);
  });

  it("show it as text when they fail", async () => {
    const { page } = workbench;
    failing = true;
    const item = statusBarItem(page, /0\/1 up/);
    await item.waitFor();
    await until(
      async () => /HTTP 500.*\[Repair\]\(command:/.test(await hoverOf(item)),
      () => "the status bar does not tell what is wrong",
    );
    await until(
      async () => /HTTP 500.*\[Repair\]\(command:/.test(await hoverOf(treeItem(page, LINK))),
      () => "the tree does not tell what is wrong",
    );
    const view = await webview(page, ".run-view");
    await view.locator(".endpoint-state", { hasText: "failing" }).waitFor();
    await nothingActs(view);
    await screenshot(page, "hostile-failing");
  });

  it("show it as text in notifications, and in lists and trees of the files written", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Stop Capture");
    const told = notification(page, /Server metrics written/);
    await told.waitFor();
    expect(await told.textContent()).toContain("[Repair] (command");
    await nothingActs(page);
    await screenshot(page, "hostile-written");

    await runCommand(page, "Compare Runs");
    const prompt = await waitForPrompt(page, /Choose 2 to/);
    await until(
      async () => ((await prompt.textContent()) ?? "").includes(LINK),
      () => "the run is not offered",
    );
    expect(await prompt.textContent()).toContain(ICON_APART);
    await nothingActs(page);
    await screenshot(page, "hostile-runs");
    await page.keyboard.press("Escape");
  });

  it("show it as text in the notification of a capture that cannot begin, and in the log", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Start Capture");
    await answer(page, /warm-up/);
    await answer(page, /label/);
    const refused = notification(page, /HTTP 500/);
    await refused.waitFor();
    expect(await refused.textContent()).toContain(LINK_APART);
    expect(await refused.locator(".notification-list-item-message a").count()).toBe(0);
    await screenshot(page, "hostile-notification");
    await runCommand(page, "Server Metrics: Show Log");
    const log = page.locator(".panel .view-lines");
    await until(
      async () => ((await log.textContent()) ?? "").includes("<img"),
      () => "the log does not show the error page",
    );
    expect(await log.textContent()).not.toMatch(/[\u001b\u202e]/);
    await nothingActs(page);
    await screenshot(page, "hostile-log");
  });

  it("show it as text where a capture gets no metrics: it offers to stop, and nothing is written", async () => {
    const { page } = workbench;
    const before = await readdir(folder, { recursive: true });
    isJson = true;
    await runCommand(page, "Server Metrics: Start Capture");
    await answer(page, /warm-up/);
    await answer(page, /label/);
    const offer = /Every endpoint has been left out/;
    const offered = notification(page, offer);
    await offered.waitFor();
    expect(await offered.locator(".notification-list-item-message a").count()).toBe(0);
    await nothingActs(page);
    await pressInNotification(page, offer, "Stop Capture");
    await notification(page, /No endpoint answered with metrics.*nothing to write/).waitFor();
    await screenshot(page, "hostile-nothing");
    await nothingActs(page);
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });

  it("leave no formula in a CSV, when the setting says so", async () => {
    const csv = await readFile(await written("server_metrics_export.csv"), "utf8");
    noFormulaIn(csv);
  });

  it("show it as text in Markdown reports", async () => {
    const { page } = workbench;
    const artifact = await written("server_metrics_export.jsonl");
    const other = path.join(folder, `${TEXT}.jsonl`);
    await copyFile(artifact, other);
    const reports = await Promise.all([
      runCli(["compare", artifact, other, "--markdown"]),
      runCli(["insights", artifact, "--markdown"]),
    ]);
    for (const { code, stdout } of reports) {
      expect(code).toBe(0);
      expect(stdout).not.toContain("\u001b");
    }
    expect(reports[0].stdout).toContain(markdownCell("[Repair]"));
    await writeFile(path.join(folder, "report.md"), reports.map(({ stdout }) => stdout).join("\n"));
    await openFile(page, "report.md");
    await editorTab(page, "report.md").waitFor();
    // The command would show whatever has the focus, such as the log above.
    await pressInTitle(page, "Open Preview");
    await editorTab(page, "Preview report.md").waitFor();
    const preview = await webview(page, ".markdown-body");
    await preview.getByText("[Repair](command:").first().waitFor();
    await nothingActs(preview);
    await screenshot(page, "hostile-report");
  });

  it("has logged no error in its views", () => {
    expect(workbench.errors).toEqual([]);
  });
});
