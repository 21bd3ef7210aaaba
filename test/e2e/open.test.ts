import { copyFile, mkdir, mkdtemp, readdir, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { duckdb, readJsonArtifact } from "./artifacts.js";
import {
  allDrawn,
  answerExport,
  closeEditor,
  editorTab,
  explorerItem,
  notification,
  openFromExplorer,
  openWorkbench,
  pick,
  pressInTitle,
  runCommand,
  screenshot,
  stored,
  until,
  webview,
  type Theme,
  type Workbench,
} from "./driver.js";
import { otherFiles, writeOtherFiles } from "./open-others.js";
import { tidied } from "./tidy.js";

const TILES = [
  "vllm:num_requests_running",
  "vllm:kv_cache_usage_perc",
  "vllm:generation_tokens",
  "vllm:time_to_first_token_seconds",
];
const SECONDS = 60;

/** What each format can show of the run. */
interface Opened {
  readonly extension: string;
  /** Whether it knows the run's course: each scrape, or the slices. */
  readonly charts: boolean;
  readonly text: boolean;
}
const FORMATS: readonly Opened[] = [
  { extension: "jsonl", charts: true, text: true },
  { extension: "parquet", charts: true, text: false },
  { extension: "json", charts: true, text: true },
  { extension: "csv", charts: false, text: true },
];

/** Of a run of which there is nothing else. */
const single = (extension: string): string => `single_server_metrics.${extension}`;
const artifact = (extension: string): string => `server_metrics_export.${extension}`;

/** A run recorded from the demo server, opened in the workbench from its files; the tests build on each other. */
describe("a saved run", () => {
  let folder: string;
  let run: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-open-"));
    run = path.join(folder, "run");
    const log = path.join(folder, "scrapes.jsonl.gz");
    const recorded = await runCli(["demo", "--record", log, "--duration", String(SECONDS)]);
    expect(recorded.code, recorded.stderr).toBe(0);
    const replayed = await runCli(["replay", log, "--out", run, "--formats", "json,csv,jsonl,parquet"]);
    expect(replayed.code, replayed.stderr).toBe(0);

    for (const { extension } of FORMATS) {
      const only = path.join(folder, `only-${extension}`);
      await mkdir(only);
      await copyFile(path.join(run, artifact(extension)), path.join(only, single(extension)));
    }
    await writeOtherFiles(folder, path.join(run, artifact("jsonl")), log);
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));

  const shown = (): Promise<Frame> => webview(workbench.page, ".run-view");
  it.each(FORMATS)(
    "as $extension opens from the Explorer with its state, its key metrics and its statistics",
    async ({ extension, charts }) => {
      const { page } = workbench;
      await openFromExplorer(page, `only-${extension}`, single(extension));
      const view = await shown();
      await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
      // The run has kept the tab that its other file was closed with.
      await view.getByRole("tab", { name: "Overview" }).click();
      for (const family of TILES) {
        const tile = view.locator(`.tile[title^="${family}"]`).first();
        await until(
          async () => /^[\d.,]+/.test((await tile.locator(".tile-number").textContent()) ?? ""),
          () => `the tile of ${family} shows no number`,
        );
      }
      if (charts) {
        await until(
          () => allDrawn(view.locator(".chart-canvas canvas")),
          () => "the charts are not all drawn",
        );
      }
      await screenshot(page, `opened-${extension}`);
      // A wall of empty charts would tell nothing: one message says what the file lacks.
      const messages = extension === "jsonl" ? 0 : 1;
      expect(await view.locator(".file-lacks, .notes").count()).toBe(messages);

      await view.getByRole("tab", { name: "Statistics" }).click();
      await view.getByRole("combobox", { name: "Metrics of a type" }).click();
      await view.getByRole("option", { name: "all gauges" }).click();
      await view.getByRole("searchbox", { name: "Filter metrics and rows" }).fill("requests running");
      const { metrics } = await readJsonArtifact(path.join(run, artifact("json")));
      const { avg } = metrics["vllm:num_requests_running"]!.series[0]!.stats;
      const row = view.locator(".data-table").getByRole("grid").getByRole("row").nth(1);
      await row.waitFor();
      // As the replay has written it, to the digits that are shown.
      expect(((await row.textContent()) ?? "").replaceAll(",", "")).toContain(avg!.toPrecision(3));
      await closeEditor(page, single(extension));
    },
  );

  it("has one editor, whichever of its files is opened, and shows one of them alone when asked to", async () => {
    const { page } = workbench;
    const tabs = page.locator(".tabs-container .tab");
    const view = async (file: string) => webview(page, `.run-view .file-own[title$="${file}"]`);
    await openFromExplorer(page, "run", artifact("json"));
    await view(artifact("jsonl"));
    await editorTab(page, "run").waitFor();
    for (const extension of ["csv", "parquet", "jsonl"]) {
      await explorerItem(page, artifact(extension)).dblclick();
      await until(
        async () => (await tabs.count()) === 1 && (await editorTab(page, artifact("json")).count()) === 1,
        () => `${artifact(extension)} has an editor of its own`,
      );
    }
    await screenshot(page, "opened-run");
    const choose = async (shownNow: string, option: string) => {
      const frame = await view(artifact(shownNow));
      await frame.getByRole("combobox", { name: "Show the run, or one of its files alone" }).click();
      await frame.getByRole("option", { name: option }).click();
    };
    await choose("jsonl", "CSV export alone");
    await (await view(artifact("csv"))).locator(".file-lacks").waitFor();
    await editorTab(page, "run (CSV)").waitFor();
    await screenshot(page, "opened-alone");
    await choose("csv", "Run, best of 4 files");
    await view(artifact("jsonl"));
    await until(
      async () => (await tabs.first().textContent())?.includes("CSV") === false,
      () => "the title is still that of the CSV",
    );
    await closeEditor(page, "run");
  });

  it.each(FORMATS.filter(({ text }) => text))(
    "as $extension shows its text instead, and its run again",
    async ({ extension }) => {
      const { page } = workbench;
      await openFromExplorer(page, "run", artifact(extension));
      await shown();
      const oneTab = () =>
        until(
          async () => (await page.locator(".tabs-container .tab").count()) === 1,
          () => "the editor before is still there",
        );
      await pressInTitle(page, "Open as Text");
      await page.locator(".monaco-editor .view-line").first().waitFor();
      await until(
        async () => (await page.locator("iframe.webview.ready:visible").count()) === 0,
        () => "the run view is still shown",
      );
      await oneTab();
      await pressInTitle(page, "Open as Run View");
      await shown();
      await oneTab();

      await runCommand(page, "View: Reopen Editor With...");
      await pick(page, /editor/i, "Text Editor");
      await page.locator(".monaco-editor .view-line").first().waitFor();
      await closeEditor(page, artifact(extension));
    },
  );

  it("is drawn in both themes, and keeps its layout when it is closed", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "run", artifact("jsonl"));
    // It may have kept the tab that it was closed with before.
    await (await shown()).getByRole("tab", { name: "Explore" }).click();
    for (const theme of ["light", "dark"] satisfies Theme[]) {
      await workbench.setTheme(theme);
      const view = await shown();
      await until(
        () => allDrawn(view.locator(".chart-canvas canvas")),
        () => `the charts are not drawn in the ${theme} theme`,
      );
      await screenshot(page, `opened-${theme}`);
    }
    const view = await shown();
    await view.getByRole("tab", { name: "Timeslices" }).click();
    await view.locator(".data-table").getByRole("grid").getByRole("row").nth(2).waitFor();
    await stored(page, "extension", /\{"layout":\{"charts":\[[^\]]*\],"tab":"timeslices"/);
    await closeEditor(page, artifact("jsonl"));
    // Of the run, whichever of its files is opened.
    await openFromExplorer(page, "run", artifact("json"));
    const again = await shown();
    await again.locator("[role=tab][aria-selected=true]", { hasText: "Timeslices" }).waitFor();
    await again.getByRole("tab", { name: "Explore" }).click();
  });

  it("is searched, pinned for the next time, and queried by what is copied", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "only-parquet", single("parquet"));
    const view = await shown();
    // The run has kept the tab that its other file was closed with.
    await view.getByRole("tab", { name: "Explore" }).click();
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );
    await view.locator(".run-view").press("Control+f");
    await view.getByRole("combobox", { name: /^Search metrics/ }).fill("generation tokens");
    await view.getByRole("combobox", { name: /^Search metrics/ }).press("Enter");
    const title = /Generation tokens/;
    const card = view.getByRole("region", { name: title });
    await card.getByRole("button", { name: /^Pin/ }).click();

    await view.getByRole("tab", { name: "Statistics" }).click();
    await view.getByRole("combobox", { name: "Metrics of a type" }).click();
    await view.getByRole("option", { name: "all counters" }).click();
    const first = view.locator(".data-table .grid-body .grid-row").first();
    await first.filter({ hasText: title }).waitFor();
    await first.click({ button: "right" });
    await view.getByRole("menuitem", { name: "DuckDB SQL" }).click();
    let sql = "";
    await until(
      async () => (sql = await page.evaluate(() => navigator.clipboard.readText())).includes("read_parquet"),
      () => `the clipboard holds ${sql}`,
    );
    const [row] = await duckdb(sql);
    const { total, rate } = (await readJsonArtifact(path.join(run, artifact("json")))).metrics[
      "vllm:generation_tokens"
    ]!.series[0]!.stats;
    expect(Number(row!["total"])).toBe(total);
    expect(Number(row!["rate"])).toBeCloseTo(rate!, 6);
    await screenshot(page, "opened-copied");

    await view.getByRole("tab", { name: "Details" }).click();
    await view
      .getByRole("tree", { name: "Labels" })
      .getByRole("treeitem", { name: /^model_name/ })
      .waitFor();
    await screenshot(page, "opened-details");
    await view.getByRole("tab", { name: "Explore" }).click();
    await stored(
      page,
      "extension",
      /\{"layout":\{"charts":\[[^\]]*\],"tab":"charts","pinned":\["vllm:generation_tokens"\]/,
    );
    await stored(page, "editors", /"title":"single".*"pinned":\["vllm:generation_tokens"\]/);
    await workbench.reload();
    const again = await shown();
    await again.locator(".chart-card").first().filter({ hasText: title }).waitFor();
    await again
      .locator(".chart-card")
      .first()
      .getByRole("button", { name: /^Unpin/ })
      .waitFor();
    await closeEditor(page, single("parquet"));
  });

  it("that is one exposition opens as a table of its values", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "broken", "snapshot.prom");
    // As text its names, labels and comments are told apart.
    const words = page.locator(".view-line span[class^=mtk]");
    await expect
      .poll(
        async () => new Set(await words.evaluateAll((spans) => spans.map((span) => span.getAttribute("class")))).size,
      )
      .toBeGreaterThan(3);
    await screenshot(page, "opened-snapshot-text");
    await runCommand(page, "View: Reopen Editor With...");
    await pick(page, /editor/i, "Server Metrics Run View (Any File)");
    const view = await shown();
    const table = view.getByRole("grid", { name: "Values of one scrape" });
    await table.getByRole("row", { name: /Queue Seconds/ }).waitFor();
    expect(await view.getByRole("tab").allTextContents()).toEqual(["Values", "Details"]);
    await screenshot(page, "opened-snapshot");
    await closeEditor(page, "snapshot.prom");
  });

  it("is exported again, and never over its own file", async () => {
    const { page } = workbench;
    const before = await stat(path.join(run, artifact("jsonl")));
    await pressInTitle(page, "Export As…");
    await answerExport(page, "again", "Beside the opened file");
    await notification(page, /Server metrics written/).waitFor();
    const names = ["again_server_metrics.csv", "again_server_metrics.json", "again_server_metrics.parquet"];
    expect((await readdir(run)).filter((name) => name.startsWith("again")).sort()).toEqual(names);
    const [original, again] = await Promise.all(
      [artifact("json"), names[1]!].map((name) => readJsonArtifact(path.join(run, name))),
    );
    expect(Object.keys(again!.metrics)).toEqual(Object.keys(original!.metrics));
    for (const [family, { series }] of Object.entries(original!.metrics)) {
      for (const [index, { stats }] of series.entries()) {
        const ours = again!.metrics[family]!.series[index]!.stats;
        expect(Object.keys(ours), family).toEqual(Object.keys(stats));
        for (const [name, value] of Object.entries(stats)) {
          // The workbench's Node is another than that of the replay, and their Math.exp and Math.log differ in the last
          // digit.
          const digits = /_(estimate|interval)$/.test(name) ? 1e-9 : 0;
          // An interval has two ends.
          const [theirs, own] = [[value].flat(), [ours[name]!].flat()];
          expect(own, `${family} ${name}`).toHaveLength(theirs.length);
          for (const [end, number] of theirs.entries())
            expect(Math.abs(own[end]! - number), `${family} ${name}`).toBeLessThanOrEqual(digits * Math.abs(number));
        }
      }
    }
    const counted = await Promise.all(
      [artifact("parquet"), names[2]!].map((name) =>
        duckdb(`select count(*)::int as n from read_parquet('${path.join(run, name)}')`),
      ),
    );
    expect(counted[1]).toEqual(counted[0]);

    // Its own button does the same, and proposes another folder where files have the names.
    const view = await shown();
    await view.locator("vscode-button", { hasText: "Export As…" }).click();
    await answerExport(page, "", path.join(run, "export"));
    await until(
      async () => (await readdir(path.join(run, "export")).catch(() => [])).length === 3,
      () => "nothing was exported to a folder of its own",
    );
    expect((await stat(path.join(run, artifact("jsonl")))).mtimeMs).toBe(before.mtimeMs);
    await screenshot(page, "opened-exported");
    await runCommand(page, "Notifications: Clear All Notifications");
    await closeEditor(page, "run");
  });

  it("cannot be exported from its statistics alone, which is said before anything is asked", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "only-csv", single("csv"));
    // The page of the editor before may still be there.
    await until(
      async () =>
        (
          (await (
            await shown()
          )
            .locator(".file-line")
            .textContent()
            .catch(() => "")) ?? ""
        ).includes(single("csv")),
      () => "the CSV is not shown",
    );
    await pressInTitle(page, "Export As…");
    await notification(page, /holds statistics, not the samples.*JSONL or Parquet/).waitFor();
    await runCommand(page, "Notifications: Clear All Notifications");
    await closeEditor(page, single("csv"));
  });

  otherFiles({ workbench: () => workbench, folder: () => folder, shown });

  it("has logged no error in its views", () => {
    expect(workbench.errors).toEqual([]);
  });
});
