import { copyFile, mkdir, mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { readJsonArtifact } from "./artifacts.js";
import {
  allDrawn,
  chooseFromMenu,
  closeEditor,
  notification,
  openFromExplorer,
  openWorkbench,
  runCommand,
  screenshot,
  selectInExplorer,
  treeItem,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { recordRun } from "./recorded.js";
import { tidied } from "./tidy.js";

/** The extension in the worker of the browser, as on vscode.dev: there is no Node, and files are the workbench's. */
describe("without Node", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-browser-"));
    await mkdir(path.join(folder, "runs"));
    await recordRun(folder, "kv1500", "parquet,json,csv,jsonl", { kvBlocks: 1500 });
    await recordRun(folder, "kv6000", "jsonl", { kvBlocks: 6000, hours: 1 });
    for (const extension of ["parquet", "json", "csv", "jsonl"]) {
      const only = path.join(folder, `only-${extension}`);
      await mkdir(only);
      const name = `single_server_metrics.${extension}`;
      await copyFile(path.join(folder, "runs", `kv1500_server_metrics.${extension}`), path.join(only, name));
    }
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: { "remote.extensionKind": { "server-metrics.server-metrics": ["web"] } },
    });
  });
  tidied(() => ({ workbench, folder }));

  it.each(["json", "parquet", "jsonl", "csv"])(
    "%s opens with its key metrics and its statistics",
    async (extension) => {
      const { page } = workbench;
      const name = `single_server_metrics.${extension}`;
      await openFromExplorer(page, `only-${extension}`, name);
      const view: Frame = await webview(page, ".run-view");
      await screenshot(page, `browser-${extension}-0`);
      await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
      await view.getByRole("tab", { name: "Overview" }).click();
      if (extension !== "csv")
        await until(
          () => allDrawn(view.locator(".chart-canvas canvas")),
          () => "the charts are not all drawn",
        );
      await screenshot(page, `browser-${extension}`);
      await view.getByRole("tab", { name: "Statistics" }).click();
      await view.getByRole("combobox", { name: "Metrics of a type" }).click();
      await view.getByRole("option", { name: "all gauges" }).click();
      await view.getByRole("searchbox", { name: "Filter metrics and rows" }).fill("requests running");
      const { metrics } = await readJsonArtifact(path.join(folder, "runs", "kv1500_server_metrics.json"));
      const { avg } = metrics["vllm:num_requests_running"]!.series[0]!.stats;
      const row = view.locator(".data-table").getByRole("grid").getByRole("row").nth(1);
      await row.waitFor();
      expect(((await row.textContent()) ?? "").replaceAll(",", "")).toContain(avg!.toPrecision(3));
      await closeEditor(page, name);
    },
  );

  it("compares two runs", async () => {
    const { page } = workbench;
    await selectInExplorer(page, "runs", "kv1500_server_metrics.parquet", "kv6000_server_metrics.jsonl");
    await chooseFromMenu(page, treeItem(page, "kv6000_server_metrics.jsonl"), "Compare Runs");
    const view = await webview(page, ".comparison-view");
    await view.locator('main[aria-busy="false"]').waitFor();
    await view.getByRole("grid", { name: "Differences" }).getByRole("gridcell").first().waitFor();
    await screenshot(page, "browser-comparison");
    expect(await view.getByRole("grid", { name: "Differences" }).getByRole("row").count()).toBeGreaterThan(5);
  });

  it("says why it does not capture", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Show Runs");
    await notification(page, /needs VS Code on a desktop or a remote/).waitFor();
    await screenshot(page, "browser-refusal");
    expect(workbench.errors).toEqual([]);
  });
});
