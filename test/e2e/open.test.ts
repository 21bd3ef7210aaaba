import { appendFile, copyFile, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { duckdb, readJsonArtifact } from "./artifacts.js";
import {
  allDrawn,
  answerExport,
  chooseFromMenu,
  closeEditor,
  editorTab,
  notification,
  openFromExplorer,
  openWorkbench,
  pick,
  pressInNotification,
  pressInTitle,
  runCommand,
  screenshot,
  stored,
  treeItem,
  until,
  webview,
  type Theme,
  type Workbench,
} from "./driver.js";
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

const artifact = (extension: string): string => `server_metrics_export.${extension}`;

/** A run recorded from the demo server, opened in the workbench from its files; the tests build on each other. */
describe("a saved run", () => {
  let folder: string;
  let run: string;
  let ending: string[];
  let followed: string[];
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-open-"));
    run = path.join(folder, "run");
    const log = path.join(folder, "scrapes.jsonl.gz");
    const recorded = await runCli(["demo", "--record", log, "--duration", String(SECONDS)]);
    expect(recorded.code, recorded.stderr).toBe(0);
    const replayed = await runCli(["replay", log, "--out", run, "--formats", "json,csv,jsonl,parquet"]);
    expect(replayed.code, replayed.stderr).toBe(0);

    const scrapes = await readFile(log);

    const broken = path.join(folder, "broken");
    await mkdir(broken);
    const whole = await readFile(path.join(run, artifact("jsonl")));
    await writeFile(path.join(broken, "truncated_server_metrics.jsonl"), whole.subarray(0, whole.length - 1000));
    await writeFile(path.join(broken, "empty_server_metrics.jsonl"), "");
    await writeFile(
      path.join(broken, "garbage_server_metrics.jsonl"),
      Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 131) % 256)),
    );
    // Without its last scrape and the event that ends the run.
    const lines = whole.toString().trimEnd().split("\n");
    ending = lines.splice(-2);
    followed = lines.splice(-3);
    await writeFile(path.join(broken, "followed_server_metrics.jsonl"), `${lines.join("\n")}\n`);
    lines.push(...followed);
    await writeFile(path.join(broken, "growing_server_metrics.jsonl"), `${lines.join("\n")}\n`);
    await copyFile(path.join(run, artifact("jsonl")), path.join(broken, "colleague.jsonl"));
    await writeFile(
      path.join(broken, "moment.prom"),
      '# TYPE queue_seconds histogram\nqueue_seconds_bucket{le="1"} 4\nqueue_seconds_bucket{le="+Inf"} 8\nqueue_seconds_sum 9\nqueue_seconds_count 8\n',
    );
    // Gzip members may follow each other; this many take a while.
    await writeFile(path.join(broken, "slow.jsonl.gz"), Buffer.concat(Array.from({ length: 100 }, () => scrapes)));

    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));

  const shown = (): Promise<Frame> => webview(workbench.page, ".run-view");
  /** What a view says in place of a run. */
  const refused = async (): Promise<string> => {
    const frame = await webview(workbench.page, ".placeholder[role=alert]");
    return (await frame.locator(".placeholder[role=alert]").textContent()) ?? "";
  };
  const scrapes = async (frame: Frame): Promise<number> =>
    Number(
      ((await frame.locator(".figure", { hasText: "scrapes" }).locator("dd").textContent()) ?? "").replaceAll(",", ""),
    );
  const hasScrapes = (count: number): Promise<void> =>
    until(
      async () => (await scrapes(await shown()).catch(() => 0)) === count,
      () => `there are not ${count} scrapes`,
    );
  const problems = async (frame: Frame): Promise<string> => (await frame.locator(".run-header").textContent()) ?? "";

  it.each(FORMATS)(
    "as $extension opens from the Explorer with its state, its key metrics and its statistics",
    async ({ extension, charts }) => {
      const { page } = workbench;
      await openFromExplorer(page, "run", artifact(extension));
      const view = await shown();
      await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
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

      await view.getByRole("tab", { name: "Statistics" }).click();
      await view.getByRole("searchbox", { name: "Filter rows" }).fill("requests running");
      const { metrics } = await readJsonArtifact(path.join(run, artifact("json")));
      const { avg } = metrics["vllm:num_requests_running"]!.series[0]!.stats;
      const row = view.locator(".data-table").getByRole("grid").getByRole("row").nth(1);
      await row.waitFor();
      // As the replay has written it, to the digits that are shown.
      expect(((await row.textContent()) ?? "").replaceAll(",", "")).toContain(avg!.toPrecision(3));
      await closeEditor(page, artifact(extension));
    },
  );

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
    await (await shown()).getByRole("tab", { name: "Charts" }).click();
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
    await stored(page, "extension", /export\.jsonl",{"charts":\[[^\]]*\],"tab":"timeslices"/);
    await closeEditor(page, artifact("jsonl"));
    await openFromExplorer(page, "run", artifact("jsonl"));
    const again = await shown();
    await again.locator("[role=tab][aria-selected=true]", { hasText: "Timeslices" }).waitFor();
    await again.getByRole("tab", { name: "Charts" }).click();
  });

  it("is searched, pinned for the next time, and queried by what is copied", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "run", artifact("parquet"));
    const view = await shown();
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
    await view.getByRole("tab", { name: "Charts" }).click();
    await stored(
      page,
      "extension",
      /export\.parquet",{"charts":\[[^\]]*\],"tab":"charts","pinned":\["vllm:generation_tokens"\]/,
    );
    await stored(page, "editors", /"title":"server_metrics_export\.parquet".*"pinned":\["vllm:generation_tokens"\]/);
    await workbench.reload();
    const again = await shown();
    await again.locator(".chart-card").first().filter({ hasText: title }).waitFor();
    await again
      .locator(".chart-card")
      .first()
      .getByRole("button", { name: /^Unpin/ })
      .waitFor();
    await closeEditor(page, artifact("parquet"));
  });

  it("that is one exposition opens as a table of its values", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "broken", "moment.prom");
    await runCommand(page, "View: Reopen Editor With...");
    await pick(page, /editor/i, "Server Metrics Run View (Any File)");
    const view = await shown();
    const table = view.getByRole("grid", { name: "Values of one scrape" });
    await table.getByRole("row", { name: /Queue Seconds/ }).waitFor();
    expect(await view.getByRole("tab").allTextContents()).toEqual(["Values", "Details"]);
    await screenshot(page, "opened-moment");
    await closeEditor(page, "moment.prom");
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
    await closeEditor(page, artifact("jsonl"));
  });

  it("cannot be exported from its statistics alone, which is said before anything is asked", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "run", artifact("csv"));
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
        ).includes(artifact("csv")),
      () => "the CSV is not shown",
    );
    await pressInTitle(page, "Export As…");
    await notification(page, /holds statistics, not the samples.*JSONL or Parquet/).waitFor();
    await runCommand(page, "Notifications: Clear All Notifications");
    await closeEditor(page, artifact("csv"));
  });

  it("that takes long can be given up, and asked for again", async () => {
    const { page } = workbench;
    const name = "slow.jsonl.gz";
    await openFromExplorer(page, "broken", "colleague.jsonl");
    // Its editor is there to stay (no preview, in italics): opened later, it would take the place of the one that
    // follows.
    await page.locator(".tabs-container .tab:not(:has(.italic))").filter({ hasText: "colleague.jsonl" }).waitFor();
    await page.locator(".monaco-editor .view-line").first().waitFor();
    await chooseFromMenu(page, treeItem(page, name), "Open as Run View");
    await (await webview(page, ".placeholder[role=status]")).getByText("Loading run").waitFor();
    await pressInNotification(page, `Opening ${name}`, "Cancel");
    expect(await refused()).toContain(`reading ${name} was cancelled`);
    await notification(page, `Opening ${name}`).waitFor({ state: "detached" });
    await screenshot(page, "opened-cancelled");

    await (await webview(page, ".placeholder[role=alert]")).locator("vscode-button", { hasText: "Retry" }).click();
    await notification(page, `Opening ${name}`).waitFor();
    await (await webview(page, ".placeholder[role=status]")).getByText("Loading run").waitFor();
    await screenshot(page, "opened-loading");
    await closeEditor(page, name);
    await notification(page, `Opening ${name}`).waitFor({ state: "detached" });
    await closeEditor(page, "colleague.jsonl");
  });

  it("shows what there is of a truncated file, and says what is missing", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "broken", "truncated_server_metrics.jsonl");
    const view = await shown();
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );
    expect(await problems(view)).toMatch(/torn end|truncated|cut off/i);
    await screenshot(page, "opened-truncated");
    await closeEditor(page, "truncated_server_metrics.jsonl");
  });

  it.each([
    ["empty_server_metrics.jsonl", /empty|contains no scrape/],
    ["garbage_server_metrics.jsonl", /binary/],
  ])("says of %s why there is no run in it", async (name, reason) => {
    const { page } = workbench;
    await openFromExplorer(page, "broken", name);
    const said = await refused();
    expect(said).toContain(name);
    expect(said).toMatch(reason);
    await screenshot(page, `opened-${name.split("_")[0]!}`);
    await closeEditor(page, name);
  });

  it("of any other name opens by choice", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "broken", "colleague.jsonl");
    await page.locator(".monaco-editor .view-line").first().waitFor();
    await runCommand(page, "View: Reopen Editor With...");
    await pick(page, /editor/i, "Server Metrics Run View (Any File)");
    await (await shown()).locator(".run-state", { hasText: "Saved run" }).waitFor();
    await closeEditor(page, "colleague.jsonl");
  });

  it("that grows is followed when the user says so, until the user or the file ends that", async () => {
    const { page } = workbench;
    const name = "followed_server_metrics.jsonl";
    const file = path.join(folder, "broken", name);
    const whole = await readFile(file);
    await openFromExplorer(page, "broken", name);
    const view = await shown();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
    const before = await scrapes(view);
    await appendFile(file, `${followed[0]!}\n`);
    await notification(page, /has changed on disk.*it has grown/).waitFor();
    await screenshot(page, "opened-grown");
    await pressInNotification(page, /has changed on disk.*it has grown/, "Follow");
    await view.locator(".run-state", { hasText: "Following" }).waitFor();
    await hasScrapes(before + 1);
    await appendFile(file, `${followed[1]!}\n${followed[2]!.slice(0, 100)}`);
    await hasScrapes(before + 2);
    await appendFile(file, `${followed[2]!.slice(100)}\n`);
    await hasScrapes(before + 3);
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not all drawn",
    );
    await screenshot(page, "opened-following");
    await view.locator("vscode-button", { hasText: "Stop Following" }).click();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();

    await runCommand(page, "Server Metrics: Follow File as It Grows");
    await view.locator(".run-state", { hasText: "Following" }).waitFor();
    await writeFile(file, whole);
    await notification(page, /no longer followed.*shorter/).waitFor();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
    expect(await scrapes(view)).toBe(before + 3);
    await screenshot(page, "opened-follow-ended");
    await pressInNotification(page, /no longer followed.*shorter/, "Reload");
    await hasScrapes(before);
    await closeEditor(page, name);
  });

  it("that changes on disk is read again when the user says so", async () => {
    const { page } = workbench;
    const name = "growing_server_metrics.jsonl";
    const file = path.join(folder, "broken", name);
    await openFromExplorer(page, "broken", name);
    const view = await shown();
    await view.locator(".run-state", { hasText: "Saved run" }).waitFor();
    const before = await scrapes(view);
    await appendFile(file, `${ending[0]!}\n`);
    await notification(page, /has changed on disk/).waitFor();
    await appendFile(file, `${ending[1]!}\n`);
    expect(
      await page.locator(".notifications-toasts .notification-toast", { hasText: "has changed on disk" }).count(),
    ).toBe(1);
    await pressInNotification(page, /has changed on disk/, "Reload");
    await hasScrapes(before + 1);

    await rm(file);
    await notification(page, /has been deleted or moved/).waitFor();
    await shown();
    await screenshot(page, "opened-deleted");
    expect(await editorTab(page, name).count()).toBe(1);
  });

  it("has logged no error in its views", () => {
    expect(workbench.errors).toEqual([]);
  });
});
