import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame, Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import {
  answer,
  chooseFromMenu,
  closeEditor,
  editorTab,
  openContainer,
  openWorkbench,
  explorerItem,
  openFile,
  runTask,
  runCommand,
  screenshot,
  statusBarItem,
  until,
  webview,
  THEMES,
  type Theme,
  type Workbench,
} from "./driver.js";
import { startDemoServer } from "../../src/demo/index.js";
import { CLI } from "../support/cli.js";
import { recordRun } from "./recorded.js";
import { tidied } from "./tidy.js";

/** The runs of a folder in the workbench; the tests build on each other. */
describe("the runs of a folder", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-runs-"));
    await mkdir(path.join(folder, "runs"));
    // Notes lie beside the runs of a repository.
    await mkdir(path.join(folder, ".git"));
    await recordRun(folder, "kv1500", "json,csv", { kvBlocks: 1500 });
    await recordRun(folder, "kv6000", "json,csv", { kvBlocks: 6000, hours: 1 });
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));

  const shown = (): Promise<Frame> => webview(workbench.page, ".library");
  const grid = (view: Frame): Locator => view.getByRole("grid", { name: "Runs" });
  /** What the runs in sight are called, in their order. */
  const names = (view: Frame): Promise<string[]> => grid(view).locator(".run-name .short-whole").allTextContents();
  const listed = (view: Frame, ...expected: readonly string[]): Promise<void> =>
    until(
      async () => JSON.stringify(await names(view)) === JSON.stringify(expected),
      () => `the table does not list ${expected.join(", ")}`,
    );
  const cell = async (view: Frame, run: string, head: string): Promise<Locator> => {
    const heads = await grid(view).getByRole("columnheader").allTextContents();
    const row = grid(view).getByRole("row").filter({ hasText: run });
    return row.getByRole("gridcell").nth(heads.findIndex((text) => text.trim() === head));
  };

  it("are listed with what differs between them, the newest first", async () => {
    await openContainer(workbench.page, "Explorer");
    await chooseFromMenu(workbench.page, explorerItem(workbench.page, "runs"), "Show Runs");
    await editorTab(workbench.page, "Runs runs").waitFor();
    const view = await shown();
    await listed(view, "kv6000_server_metrics", "kv1500_server_metrics");
    // The rows are there before all of the runs have been read.
    await grid(view)
      .getByRole("row")
      .filter({ hasText: "kv1500" })
      .filter({ hasText: /vLLM.*1500/ })
      .waitFor();
  });

  it("are noted and starred in the table, in a file beside them", async () => {
    const view = await shown();
    const note = await cell(view, "kv1500", "Note");
    await note.dblclick();
    await view.getByRole("textbox", { name: /^Note of kv1500/ }).fill("a small cache");
    await workbench.page.keyboard.press("Enter");
    await note.getByText("a small cache").waitFor();
    // A double click chooses nothing.
    expect(await view.getByRole("checkbox", { checked: true }).filter({ visible: true }).count()).toBe(0);
    await view.getByRole("button", { name: "Star kv6000_server_metrics" }).click();
    await view.locator('button[aria-pressed="true"][aria-label^="Star kv6000"]').waitFor();
    const noted = await readFile(path.join(folder, "runs", "server-metrics-notes.jsonl"), "utf8");
    expect(
      noted
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { run: "kv1500_server_metrics", note: "a small cache" },
      { run: "kv6000_server_metrics", star: true },
    ]);
  });

  it("are filtered by what was noted and measured, and a filter that cannot be read says why", async () => {
    const view = await shown();
    const filter = view.getByRole("searchbox", { name: "Filter runs" });
    await filter.fill("note ~ small and ttft.p99 > 0");
    await listed(view, "kv1500_server_metrics");
    await filter.fill("ttft.p99 < many");
    await view.getByText("The filter cannot be read").waitFor();
    await filter.fill("");
    await listed(view, "kv6000_server_metrics", "kv1500_server_metrics");
  });

  it("are plotted, and chosen by their points", async () => {
    const view = await shown();
    await view.getByRole("button", { name: "Plot", exact: true }).click();
    await view.locator(".plot-point").first().waitFor();
    expect(await view.locator(".plot-point").count()).toBe(2);
    await view.locator(".plot-point circle:not(.plot-target)").first().click();
    await view.getByText("1 run chosen").waitFor();
    await screenshot(workbench.page, "runs-plot");
    await view.getByRole("radio", { name: "Parallel coordinates" }).click();
    await until(
      async () => (await view.locator(".parallel-line").count()) === 2,
      () => "not every run has its line",
    );
    await view.locator(".parallel-line.selected").waitFor({ state: "attached" });
    await screenshot(workbench.page, "runs-parallel");
    await view.getByRole("radio", { name: "History" }).click();
    await view.locator(".history-point").first().waitFor();
    await view.getByRole("radio", { name: "Scatter" }).click();
    await view.getByRole("button", { name: "Clear" }).click();
    await view.getByRole("button", { name: "Hide Plot" }).click();
  });

  it("are read in every theme", async () => {
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await listed(await shown(), "kv6000_server_metrics", "kv1500_server_metrics");
      await screenshot(workbench.page, `runs-${theme}`);
    }
    await workbench.setTheme("dark");
  });

  it("list a run that is added", async () => {
    const view = await shown();
    await recordRun(folder, "kv3000", "json,csv", { kvBlocks: 3000, hours: 2 });
    await listed(view, "kv3000_server_metrics", "kv6000_server_metrics", "kv1500_server_metrics");
  });

  it("are deleted once that is confirmed, with what was noted of them", async () => {
    const { page } = workbench;
    const view = await shown();
    await view.getByRole("checkbox", { name: "Select kv3000" }).check();
    await view.getByRole("button", { name: "Delete…" }).click();
    await page.getByText("Delete 1 run?").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Move to Trash" }).click();
    // A server has no trash: it asks once more.
    await page.getByRole("dialog").getByRole("button", { name: "Delete Permanently" }).click();
    await listed(view, "kv6000_server_metrics", "kv1500_server_metrics");
    expect((await readdir(path.join(folder, "runs"))).filter((name) => name.startsWith("kv3000"))).toEqual([]);
  });

  it("are compared from the table", async () => {
    const view = await shown();
    for (const run of ["kv1500", "kv6000"]) await view.getByRole("checkbox", { name: `Select ${run}` }).check();
    await view.getByRole("button", { name: "Compare", exact: true }).click();
    await editorTab(workbench.page, "Compare: kv1500 ↔ kv6000").waitFor();
  });

  it("become an experiment that repeats them", async () => {
    const { page } = workbench;
    await editorTab(page, "Runs runs").click();
    const view = await shown();
    await view.getByRole("button", { name: "Make Experiment" }).click();
    await editorTab(page, "repeats.experiment.yaml").waitFor();
    const written = await readFile(path.join(folder, "repeats.experiment.yaml"), "utf8");
    // The older one is the baseline.
    expect(written).toMatch(/question: Is kv6000.* better than kv1500/);
    await editorTab(page, "Runs runs").click();
    await view.getByRole("button", { name: "Clear" }).click();
  });

  it("are tests: assertions, objectives and the gate, red with the figure, leading to the run", async () => {
    const { page } = workbench;
    await mkdir(path.join(folder, ".vscode"));
    await writeFile(path.join(folder, ".vscode", "settings.json"), '{ "serverMetrics.slo": { "ttft": 60 } }');
    const checks = ["vllm:num_requests_running avg > 1", "vllm:e2e_request_latency_seconds p99_estimate < 0.1"];
    await writeFile(path.join(folder, "fleet.check.yaml"), `assert:\n${checks.map((one) => `  - ${one}\n`).join("")}`);
    // The newest run is held against the starred one.
    const now = new Date();
    for (const type of ["json", "csv"])
      await utimes(path.join(folder, "runs", `kv1500_server_metrics.${type}`), now, now);
    await runCommand(page, "Testing: Focus on Test Explorer View");
    const row = (name: string): Locator => page.locator(".test-explorer .monaco-list-row", { hasText: name });
    for (const name of ["kv1500", "kv6000", "the newest run"]) await row(name).waitFor();
    await row("kv1500").click();
    await page.keyboard.press("ArrowRight");
    for (const check of [...checks, "SLO ttft ≤ 60 for 99 %"]) await row(check).waitFor();
    await runCommand(page, "Test: Run All Tests");
    await page.locator(".test-explorer", { hasText: "4/7" }).waitFor();
    const label = async (name: string) => (await row(name).first().getAttribute("aria-label")) ?? "";
    await until(
      async () => /Failed/.test(await label("p99_estimate < 0.1")),
      () => "the assertion is not red",
    );
    expect(await label("avg > 1")).toMatch(/Passed/);
    expect(await label("SLO ttft ≤ 60 for 99 %")).toMatch(/Passed/);
    expect(await label("runs: the newest run against the starred one")).toMatch(/Failed/);
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await screenshot(page, `tests-${theme}`);
    }
    await workbench.setTheme("dark");
    await chooseFromMenu(page, row("avg > 1").first(), "Go to Test");
    await editorTab(page, "kv1500_server_metrics.json").waitFor();
    await webview(page, ".run-header");
  });

  it("advise above the options that a script starts a server with, and a click leads to the run", async () => {
    const { page } = workbench;
    const script = "#!/bin/sh\nvllm serve a-model \\\n  --max-num-seqs 256 \\\n  --gpu-memory-utilization 0.8\n";
    await writeFile(path.join(folder, "serve.sh"), script);
    await openFile(page, "serve.sh");
    const lens = page
      .locator(".codelens-decoration", { hasText: /cache is the limit: .*--gpu-memory-utilization/ })
      .first();
    await lens.waitFor();
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await lens.waitFor();
      await screenshot(page, `advice-${theme}`);
    }
    await workbench.setTheme("dark");
    await lens.locator("a").first().click();
    await page.locator(".tab.active", { hasText: "kv1500" }).waitFor();
    expect(await readFile(path.join(folder, "serve.sh"), "utf8")).toBe(script);
  });

  it("have files beside them that are checked and completed while they are written", async () => {
    const { page } = workbench;
    await writeFile(path.join(folder, "typo.experiment.json"), '{\n  \n  "configuratons": {}\n}\n');
    await openFile(page, "typo.experiment.json");
    await runCommand(page, "Problems: Focus on Problems View");
    const problems = page.locator(".markers-panel");
    await problems.getByText("Property configuratons is not allowed.").waitFor();
    await openFile(page, "typo.experiment.json");
    for (const key of ["Control+Home", "ArrowDown", "End", "Control+Space"]) await page.keyboard.press(key);
    await page.locator(".suggest-widget .monaco-list-row", { hasText: "configurations" }).waitFor();
    await screenshot(page, "schema");
    await page.keyboard.press("Escape");
    await closeEditor(page, "typo.experiment.json");
    await rm(path.join(folder, "typo.experiment.json"));
    await problems.getByText("No problems have been detected").waitFor();
  });

  it("have beside them text of a server, in the colours of its language", async () => {
    const { page } = workbench;
    await writeFile(path.join(folder, "scrape.prom"), '# HELP up Whether.\nup{job="a"} 1\n');
    await openFile(page, "scrape.prom");
    await statusBarItem(page, "Prometheus Text Format").waitFor();
    const line = page.locator(".view-line", { hasText: 'up{job="a"} 1' });
    await until(
      async () => (await line.locator("span > span").count()) > 3,
      () => "the line has one colour",
    );
    await screenshot(page, "prometheus-text");
    await closeEditor(page, "scrape.prom");
  });

  it("are opened by a link at its chart, and captured by a task whose failures become problems", async () => {
    const { page } = workbench;
    await runCommand(page, "Developer: Open URL", "Open URL");
    const link = "vscode://server-metrics.server-metrics/open?run=runs/kv6000_server_metrics.json";
    await answer(page, /Open URL|URL to open/, `${link}&chart=vllm:num_requests_running&from=20&to=60`);
    await page.getByRole("dialog").getByRole("button", { name: "Open", exact: true }).click();
    await page.locator(".tab.active", { hasText: "kv6000" }).waitFor();
    const view = await webview(page, '.chart-card[aria-label="Requests running"]');
    await view.locator("vscode-button:not([disabled])", { hasText: "Reset Zoom" }).waitFor();
    await screenshot(page, "link-opened");
    const server = await startDemoServer({ profile: "vllm", port: 0 });
    const check = `${process.execPath} ${CLI} check runs/kv1500_server_metrics.json --file fleet.check.yaml`;
    const task = { label: "held", type: "server-metrics", command: "capture", endpoints: [server.url], run: check };
    await writeFile(
      path.join(folder, ".vscode", "tasks.json"),
      JSON.stringify({ version: "2.0.0", tasks: [{ ...task, problemMatcher: "$server-metrics" }] }),
    );
    try {
      await runTask(page, "held");
      await page.locator('.statusbar-item[id="status.problems"]', { hasText: /^\s*1/ }).waitFor();
      await runCommand(page, "Problems: Focus on Problems View");
      await page
        .getByText(/p99_estimate < 0.1 does not hold: p99_estimate is/)
        .first()
        .waitFor();
      await screenshot(page, "task-problems");
      await until(
        async () =>
          (await readdir(folder, { recursive: true })).some((name) => /artifacts.*_export\.parquet$/.test(name)),
        () => "the task has written no run",
      );
    } finally {
      await server.close();
    }
    expect(workbench.errors).toEqual([]);
  });
});
