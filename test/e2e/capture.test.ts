import { mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { answeredScrapes, duckdb, onlyRunFolder, readJsonArtifact } from "./artifacts.js";
import {
  allDrawn,
  answer,
  canvasDigest,
  chooseFromMenu,
  closeEditor,
  editorTab,
  expand,
  explorerItem,
  notification,
  openContainer,
  openFile,
  openWorkbench,
  pick,
  runCommand,
  screenshot,
  statusBarItem,
  THEMES,
  treeItem,
  until,
  waitForPrompt,
  webview,
  type Theme,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const CONTAINER = "Server Metrics";
const LABEL = "e2e";
/** Of each kind one that the demo's default server has. */
const TILES = [
  "vllm:num_requests_running",
  "vllm:kv_cache_usage_perc",
  "vllm:generation_tokens",
  "vllm:time_to_first_token_seconds",
];
/** So long other views are shown: the run goes on meanwhile. */
const HIDDEN_MS = 10_000;

/** The live view's page. It is a new one each time the view is shown. */
const liveView = (workbench: Workbench): Promise<Frame> => webview(workbench.page, ".run-view");

/** Whether header, tiles and all charts are drawn. */
async function complete(frame: Frame): Promise<boolean> {
  // Asked at once: each question by itself takes a while of its own.
  const [endpoints, tiles, drawn] = await Promise.all([
    frame.locator(".run-header .endpoint").count(),
    frame.locator(".tile").count(),
    allDrawn(frame.locator(".chart-canvas canvas")),
  ]);
  return endpoints > 0 && tiles >= TILES.length && drawn;
}

/** One workbench and one capture, looked at from all sides: the tests build on each other. */
describe("a capture of the demo server", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-e2e-"));
    await writeFile(path.join(folder, "notes.md"), "# Notes\n");
    await mkdir(path.join(folder, "kept"));
    workbench = await openWorkbench({
      folder,
      container: CONTAINER,
      settings: { "serverMetrics.formats": ["json", "csv", "jsonl", "parquet"] },
    });
  });
  tidied(() => ({ workbench, folder }));

  it("is started from the palette and opens its live view", async () => {
    const { page } = workbench;
    // The words of a user who does not know how the palette calls it.
    await runCommand(page, "Server Metrics: Start Capture", "Start Server Metrics Capture");
    const endpoints = await waitForPrompt(page, /endpoints/);
    await endpoints.locator("input.input").fill("ftp://localhost");
    await endpoints.getByText("Metrics are fetched over http or https, not ftp.").first().waitFor();
    await endpoints.locator("input.input").fill("");
    await screenshot(page, "start");
    await pick(page, /endpoints/, "demo server");
    await answer(page, /warm-up/);
    await answer(page, /label/, LABEL);

    const view = await liveView(workbench);
    await view.locator(".run-state", { hasText: "Profiling" }).waitFor();
    expect(await view.locator(".run-label").textContent()).toBe(LABEL);
    await view.locator(".endpoint-state", { hasText: "up" }).waitFor();
    await statusBarItem(page, /\d+ scrapes · 1\/1 up/).waitFor();
  });

  it("draws charts that go on", async () => {
    const view = await liveView(workbench);
    await until(
      () => complete(view),
      () => "header, tiles and charts are not all drawn",
    );
    const canvas = view.locator(".chart-canvas canvas").first();
    // Findings that appear move it; what is out of sight is not drawn.
    const seen = async () => {
      await canvas.scrollIntoViewIfNeeded();
      return canvasDigest(canvas);
    };
    const first = await seen();
    await until(
      async () => (await seen()) !== first,
      () => "the chart has not changed",
    );
    expect(await view.locator(".tile .sparkline").count()).toBeGreaterThan(0);
  });

  it("shows a tile for each key metric", async () => {
    const view = await liveView(workbench);
    for (const family of TILES) {
      const tile = view.locator(`.tile[title^="${family}"]`).first();
      await tile.waitFor();
      await until(
        async () => /^[\d.,]+/.test((await tile.locator(".tile-number").textContent()) ?? ""),
        () => `the tile of ${family} shows no number`,
      );
    }
  });

  it("shows statistics and timeslices of every family", async () => {
    const view = await liveView(workbench);
    await view.getByRole("tab", { name: "Statistics" }).click();
    const table = view.locator(".data-table").getByRole("grid");
    await table.waitFor();
    await view.getByRole("combobox", { name: "Metrics of a type" }).click();
    await view.getByRole("option", { name: "all gauges" }).click();
    await view.getByRole("searchbox", { name: "Filter metrics and rows" }).fill("requests running");
    await table.getByRole("row").nth(1).waitFor();
    for (const statistic of ["avg", "min", "max", "p50", "p99"])
      await table.getByRole("columnheader", { name: statistic }).waitFor();
    await screenshot(workbench.page, "statistics");

    await view.getByRole("tab", { name: "Timeslices" }).click();
    await view.locator(".data-table").getByRole("grid").getByRole("row").nth(2).waitFor();
    await screenshot(workbench.page, "timeslices");
    await view.getByRole("tab", { name: "Overview" }).click();
  });

  it("shows endpoint, groups, families and series in the tree", async () => {
    const { page } = workbench;
    await openContainer(page, CONTAINER);
    await expand(treeItem(page, /demo/));
    const group = page
      .locator(".sidebar")
      .getByRole("treeitem", { name: /^vLLM: / })
      .first();
    await expand(group);
    const family = treeItem(
      page,
      /^Time to first token, [\d.,]+ k? ?observations · \S*time_to_first_token_seconds · histogram · seconds$/,
    );
    await expand(family);
    // Its one series, beneath it.
    await treeItem(page, /model_name="/).waitFor();
    await screenshot(page, "tree");
  });

  it.each(Object.keys(THEMES) as Theme[])("is drawn in the %s theme", async (theme) => {
    await workbench.setTheme(theme);
    const view = await liveView(workbench);
    // The tree has gone to a chart.
    await view.getByRole("tab", { name: "Overview" }).click();
    await until(
      () => complete(view),
      () => `the live view is not drawn in the ${theme} theme`,
    );
    expect(await view.locator("body").getAttribute("class")).toContain(`vscode-${theme}`);
    await screenshot(workbench.page, `live-${theme}`);
  });

  it("is complete again when it is shown after ten seconds", async () => {
    const { page } = workbench;
    const tab = editorTab(page, new RegExp(`Server Metrics: ${LABEL}`));
    const hide = async (): Promise<void> => {
      await openFile(page, "notes.md");
      await until(
        async () => (await page.locator("iframe.webview.ready:visible").count()) === 0,
        () => "the live view is still shown",
      );
    };
    const show = async (): Promise<number> => {
      // The tab is pointed at before: what counts begins with the press.
      await tab.hover();
      const start = performance.now();
      await page.mouse.down();
      await page.mouse.up();
      const view = await liveView(workbench);
      await until(
        () => complete(view),
        () => "the live view is not complete",
      );
      return performance.now() - start;
    };
    // The browser checks the workbench's service worker for an update, taking seconds, at the first webview after it
    // was installed.
    await hide();
    await show();
    await hide();
    await new Promise((resolve) => setTimeout(resolve, HIDDEN_MS));
    // Within a second on a machine that has nothing else to do: a figure to read, as no test may depend on it.
    process.stdout.write(`the live view: complete ${Math.round(await show())} ms after being shown\n`);
  });

  it("is a row of the runs of a folder that moves, and leads back to the live view", async () => {
    const { page } = workbench;
    await openContainer(page, "Explorer");
    await chooseFromMenu(page, explorerItem(page, "kept"), "Show Runs");
    const view = await webview(page, ".library");
    const row = view.getByRole("row").filter({ hasText: "Capturing" });
    const before = await row.textContent();
    await until(
      async () => (await row.textContent()) !== before,
      () => `the row of the capture stays as it is: ${before}`,
    );
    await screenshot(page, "capture-row");
    await row.getByRole("button", { name: "Capturing", exact: true }).click();
    await liveView(workbench);
    await closeEditor(page, "Runs kept");
    await openContainer(page, CONTAINER);
  });

  it("is stopped and leaves four artifacts that others read", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Stop Capture");
    const written = notification(page, /Server metrics written/);
    await written.waitFor();
    for (const button of ["Open", "Reveal", "Copy Path"])
      await written.locator(".monaco-button", { hasText: button }).waitFor();
    await screenshot(page, "stopped");

    const run = await onlyRunFolder(folder);
    expect(path.basename(run)).toContain(LABEL);
    const names = ["csv", "json", "jsonl", "parquet"].map((format) => `server_metrics_export.${format}`);
    expect((await readdir(run)).sort()).toEqual([...names, "summary.md"]);
    const [, json, jsonl, parquet] = names.map((name) => path.join(run, name));

    const { metrics, benchmark_id } = await readJsonArtifact(json!);
    const rows = `read_parquet('${parquet!}')`;
    const inParquet = await duckdb(`select distinct metric_name from ${rows} order by 1`);
    expect(inParquet.map(({ metric_name }) => metric_name)).toEqual(Object.keys(metrics).sort());
    const keys = await duckdb(
      `select decode(key) as key, decode(value) as value from parquet_kv_metadata('${parquet!}')`,
    );
    const key = (name: string): unknown => keys.find((one) => one["key"] === name)?.["value"];
    expect(key("aiperf.benchmark_id")).toBe(benchmark_id);

    // Every scrape that was answered in the window has its row, with what the JSON says of them all.
    const start = BigInt(String(key("aiperf.time_filter_start_ns")));
    const times = (await answeredScrapes(jsonl!)).filter((time) => time >= start);
    expect(times.length).toBeGreaterThan(10);
    const [gauge] = await duckdb(
      `select count(*)::int as n, avg(value) as avg, min(value) as min, max(value) as max, min(timestamp_ns)::varchar as first_ns, max(timestamp_ns)::varchar as last_ns from ${rows} where metric_name = 'vllm:num_requests_running'`,
    );
    expect(gauge).toMatchObject({ n: times.length, first_ns: String(times[0]), last_ns: String(times.at(-1)) });
    const { stats } = metrics["vllm:num_requests_running"]!.series[0]!;
    for (const statistic of ["avg", "min", "max"]) expect(gauge![statistic]).toBeCloseTo(stats[statistic]!, 9);

    const [counter] = await duckdb(
      `select max(value) as total from ${rows} where metric_name = 'vllm:generation_tokens'`,
    );
    expect(counter!["total"]).toBe(metrics["vllm:generation_tokens"]!.series[0]!.stats["total"]);
    const [histogram] = await duckdb(
      `select count(distinct bucket_le)::int as bounds, max(count) as count, count(*)::int as n from ${rows} where metric_name = 'vllm:time_to_first_token_seconds'`,
    );
    const ttft = metrics["vllm:time_to_first_token_seconds"]!.series[0]!;
    expect(histogram).toEqual({
      bounds: Object.keys(ttft.buckets!).length,
      count: ttft.stats["count"],
      n: times.length * Object.keys(ttft.buckets!).length,
    });

    // The tree finds them by itself, under the run's folder.
    await expand(treeItem(page, path.basename(run)));
    for (const name of names) await treeItem(page, name).waitFor();
    await screenshot(page, "artifacts");
  });

  it("has logged no error in its views", () => {
    expect(workbench.errors).toEqual([]);
  });
});
