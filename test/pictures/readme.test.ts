import { mkdir, mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, it } from "vitest";
import {
  allDrawn,
  answer,
  boxOf,
  chooseFromMenu,
  closeEditor,
  expand,
  explorerItem,
  openContainer,
  openFromExplorer,
  openWorkbench,
  pick,
  runCommand,
  selectInExplorer,
  statusBarItem,
  treeItem,
  until,
  webview,
  type Workbench,
} from "../e2e/driver.js";
import { recordRun } from "../e2e/recorded.js";
import { tidied } from "../e2e/tidy.js";
import { savePicture } from "./picture.js";

/* `npm run pictures`: the README's pictures, taken anew in a real workbench. */

const SECONDS = 480;
const [BEFORE, AFTER] = ["1500-blocks", "6000-blocks"] as const;
/** With them a table of runs has rows, and a plot a course. */
const OTHERS = ["2000-blocks", "2500-blocks", "3000-blocks", "4000-blocks"] as const;

let parent: string;
let workbench: Workbench;

const picture = (name: string) => savePicture(workbench.page, name);
const drawn = (view: Frame) =>
  until(
    () => allDrawn(view.locator(".chart-canvas canvas")),
    () => "the charts are not all drawn",
  );
const elapsed = (seconds: number) =>
  until(
    async () => {
      const [minutes = "0", rest = "0"] =
        /(\d+):(\d+) ·/.exec((await statusBarItem(workbench.page, /scrapes/).textContent()) ?? "")?.slice(1) ?? [];
      return Number(minutes) * 60 + Number(rest) >= seconds;
    },
    () => `the capture is not ${seconds} s old`,
    180_000,
  );
const closeSideBar = async () => {
  await runCommand(workbench.page, "View: Close Primary Side Bar");
  const palette = workbench.page.locator(".quick-input-widget");
  await palette.waitFor({ state: "hidden" });
  // It fades for a moment longer.
  await palette.evaluate((widget) => Promise.all(widget.getAnimations().map((animation) => animation.finished)));
};
const mark = async (text: string) => {
  await runCommand(workbench.page, "Add Mark");
  await answer(workbench.page, /mark/i, text);
};

beforeAll(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), "server-metrics-pictures-"));
  const folder = path.join(parent, "llm-serving");
  await mkdir(path.join(folder, "runs"), { recursive: true });
  for (const [hours, name] of [BEFORE, AFTER, ...OTHERS].entries())
    await recordRun(folder, name, "parquet", {
      kvBlocks: Number.parseInt(name, 10),
      hours,
      seconds: SECONDS,
      warmupSeconds: 20,
    });
  workbench = await openWorkbench({ folder, container: "Server Metrics" });
});
tidied(() => ({ workbench, folder: parent }));

it("picture of a saved run", async () => {
  const { page } = workbench;
  await openFromExplorer(page, "runs", `${BEFORE}_server_metrics.parquet`);
  const view = await webview(page, ".run-view");
  await view.getByRole("tab", { name: "Explore" }).click();
  await drawn(view);
  for (const [family, mode] of [
    [/^Time to first token/, /heatmap/i],
    [/^Inter-token latency/, /distribution/i],
  ] as const) {
    const card = view.getByRole("region", { name: family });
    await card.getByRole("button", { name: /^Pin/ }).click();
    await card.getByRole("radio", { name: mode }).click();
  }
  await view.locator(".heatmap canvas").waitFor();
  await view.locator(".distribution").waitFor();
  await drawn(view);
  // The charts are what there is to see, beneath the tabs that stay.
  await view.locator(".window-strip").evaluate((strip) => {
    strip.style.scrollMarginTop = "64px";
    strip.scrollIntoView();
  });
  await picture("run-view");
  await closeEditor(page, `${BEFORE}_server_metrics.parquet`);
});

it("picture of two runs compared", async () => {
  const { page } = workbench;
  const files = [BEFORE, AFTER].map((name) => `${name}_server_metrics.parquet`);
  await selectInExplorer(page, "runs", ...files);
  await chooseFromMenu(page, explorerItem(page, files[1]!), "Compare Runs");
  const view = await webview(page, ".comparison-view");
  await view.locator('main[aria-busy="false"]').waitFor();
  await view.getByRole("grid", { name: "Differences" }).getByRole("gridcell").first().waitFor();
  await closeSideBar();
  await picture("comparison");
  await closeEditor(page, "Compare:");
});

it("picture of the runs of a folder", async () => {
  const { page } = workbench;
  await runCommand(page, "View: Show Explorer");
  await chooseFromMenu(page, explorerItem(page, "runs"), "Show Runs");
  const view = await webview(page, ".library");
  // All have been read: a plot begins with what is known.
  await view
    .getByRole("gridcell", { name: "vLLM" })
    .nth(1 + OTHERS.length)
    .waitFor();
  await view.getByRole("button", { name: `Star ${BEFORE}_server_metrics` }).click();
  await view.getByRole("button", { name: "Plot", exact: true }).click();
  await view.getByRole("button", { name: /^To the right/ }).click();
  await view.getByRole("combobox").fill("num_gpu_blocks");
  await view.getByRole("option", { name: "num_gpu_blocks" }).click();
  await view.getByRole("button", { name: "To the right: num_gpu_blocks" }).waitFor();
  await closeSideBar();
  // It is drawn anew for its new width.
  await view
    .locator(".plot-point")
    .nth(1 + OTHERS.length)
    .waitFor();
  await picture("runs");
  await closeEditor(page, "Runs runs");
});

it("picture of an experiment", async () => {
  const { page } = workbench;
  await runCommand(page, "New Experiment…");
  await answer(page, /two simulated servers/);
  await page.locator(".codelens-decoration", { hasText: "Run" }).first().waitFor();
  await runCommand(page, "Run Experiment");
  const dialog = page.locator(".monaco-dialog-box", { hasText: "Run the commands of demo.experiment.yaml" });
  await dialog.locator(".monaco-button", { hasText: /^Run$/ }).click();
  const view = await webview(page, "main.experiment h1");
  await view.getByText("The experiment is over").waitFor({ timeout: 420_000 });
  await closeSideBar();
  await savePicture(page, "experiment", await boxOf(page.locator(".editor-group-container").nth(1)));
  await runCommand(page, "View: Close All Editors");
});

it("picture of a capture", async () => {
  const { page } = workbench;
  await runCommand(page, "Server Metrics: Start Capture");
  await pick(page, /endpoints/, "demo server");
  await answer(page, /warm-up/, "10");
  await answer(page, /label/, "llama-8b sweep");
  await openContainer(page, "Server Metrics");
  await expand(treeItem(page, /demo/));
  await expand(treeItem(page, /^vLLM: Latency/));
  await elapsed(30);
  await mark("concurrency 32");
  await elapsed(55);
  await mark("concurrency 64");
  await elapsed(85);
  await drawn(await webview(page, ".run-view"));
  await picture("live-view");
  await runCommand(page, "Server Metrics: Stop Capture");
  await statusBarItem(page, /scrapes · 1\/1 up/).waitFor({ state: "detached" });
});
