import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { exportArtifacts } from "../../src/files/index.js";
import { aiperfRecords, aiperfSummary, serverRun, simulatedRequests } from "../support/client-run.js";
import { lifecycle, report } from "../support/client-summaries.js";
import {
  chooseFromMenu,
  editorTab,
  explorerItem,
  openFromExplorer,
  openWorkbench,
  runCommand,
  screenshot,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const LOADS = [1, 4, 16] as const;

/** What AIPerf leaves of one run: its client's files beside those of the servers. */
describe("an AIPerf folder in the workbench", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-client-"));
    const requests = simulatedRequests();
    await exportArtifacts(serverRun(requests, 0.02), { directory: folder, formats: ["jsonl"], verify: false });
    await writeFile(path.join(folder, "profile_export.jsonl"), aiperfRecords(requests));
    await writeFile(path.join(folder, "profile_export_aiperf.json"), JSON.stringify(aiperfSummary(requests)));
    for (const concurrency of LOADS) {
      const directory = path.join(folder, "sweep", `concurrency_${concurrency}`);
      await mkdir(directory, { recursive: true });
      const load = { every: 1 / concurrency, concurrency };
      const own = simulatedRequests(load);
      await writeFile(path.join(directory, "profile_export.jsonl"), aiperfRecords(own));
      await writeFile(path.join(directory, "profile_export_aiperf.json"), JSON.stringify(aiperfSummary(own, load)));
    }
    await mkdir(path.join(folder, "others"));
    const others = {
      "stage_0_lifecycle_metrics.json": JSON.stringify(lifecycle({ requested_rate: 4 })),
      "benchmark_report_v0.2,_nightly.json.yaml": report("0.2.1"),
    };
    for (const [name, text] of Object.entries(others)) await writeFile(path.join(folder, "others", name), text);
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));

  it("is one run, with the client's metrics beside the server's and what lies between", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "server_metrics_export.jsonl");
    const view = await webview(page, ".client-server");
    const row = view.locator(".client-server tr", { hasText: "Time to first token" });
    await row.getByText("10-25 %").waitFor();
    expect(await view.locator(".client-server tbody tr").count()).toBe(3);
    await view.getByText("Time to first token (client)").first().waitFor();
    await screenshot(page, "client-server");
  });

  it("of a sweep opens from its point, by a click and by the keyboard", async () => {
    const { page } = workbench;
    await chooseFromMenu(page, explorerItem(page, "sweep"), "Open Sweep");
    const view = await webview(page, ".library .sweep-table");
    const points = view.locator(".plot-point");
    await until(
      async () => (await points.count()) === LOADS.length,
      () => "not every run has its point",
    );
    await screenshot(page, "sweep");
    await points.last().click();
    await webview(page, '.run-view .file-own[title*="concurrency_16"]');
    await editorTab(page, "Runs sweep").click();
    const again = await webview(page, ".library .sweep-table");
    await again.locator(".plot-point").first().press("Enter");
    await webview(page, '.run-view .file-own[title*="concurrency_1"]:not([title*="concurrency_16"])');
  });

  it("has beside it those of inference-perf and llm-d: rows that open", async () => {
    const { page } = workbench;
    // Else the table of the sweep is found, which is behind it.
    await runCommand(page, "View: Close All Editors");
    await chooseFromMenu(page, explorerItem(page, "others"), "Show Runs");
    // Both have been read: rows move until then.
    const listed = await webview(page, ".library");
    for (const load of ["requests/s 4", "requests/s 10"])
      await listed.getByRole("gridcell", { name: load, exact: true }).waitFor();
    for (const [name, ttft] of [
      ["stage_0_lifecycle_metrics", /48\.6\s*ms/],
      ["benchmark_report_v0.2,_nightly.json", /36\.5\s*ms/],
    ] as const) {
      await editorTab(page, "Runs others").click();
      const runs = await webview(page, ".library");
      await runs.getByRole("button", { name, exact: true }).click();
      const view = await webview(page, `.run-view .file-own[title*="${name}"]`);
      await view.getByText("This file holds no timeslices").first().waitFor();
      expect(await view.getByText("The Parquet or JSONL file of the same run").count()).toBe(0);
      await view.getByRole("tab", { name: "Statistics" }).click();
      const rows = view.locator(".data-table").getByRole("row").filter({ hasText: "Time to first token (client)" });
      await rows.filter({ hasText: "statistic=avg" }).filter({ hasText: ttft }).waitFor();
      await screenshot(page, `client-${name.slice(0, 5)}`);
    }
    expect(workbench.errors).toEqual([]);
  });
});
