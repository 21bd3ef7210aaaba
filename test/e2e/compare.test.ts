import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Frame, Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import {
  allDrawn,
  answer,
  canvasDigest,
  chooseFromMenu,
  closeEditor,
  editorTab,
  notification,
  openWorkbench,
  screenshot,
  selectInExplorer,
  stored,
  treeItem,
  until,
  waitForPrompt,
  webview,
  type Theme,
  type Workbench,
} from "./driver.js";
import { begins } from "./compare-begins.js";
import { recordRun } from "./recorded.js";
import { tidied } from "./tidy.js";

/**
 * Two runs of simulated servers that differ in the size of their KV cache alone, compared in the workbench; the tests
 * build on each other.
 */
describe("a comparison", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-compare-"));
    await mkdir(path.join(folder, "runs"));
    await recordRun(folder, "kv1500", "parquet,json", { kvBlocks: 1500 });
    await recordRun(folder, "kv6000", "jsonl", { kvBlocks: 6000, hours: 1 });
    await recordRun(folder, "pears", "csv", { profile: "trtllm", hours: 2, unknownAs: "pears" });
    await writeFile(path.join(folder, "runs", "empty_server_metrics.jsonl"), "");
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: {
        "files.simpleDialog.enable": true,
        "serverMetrics.assertions": ["vllm:time_to_first_token_seconds p99_estimate < 1"],
      },
    });
  });
  tidied(() => ({ workbench, folder }));

  const shown = (): Promise<Frame> => webview(workbench.page, ".comparison-view");
  const file = (name: string): Locator => treeItem(workbench.page, name);
  /** Chooses for several files of the Explorer. */
  async function compareFiles(...names: readonly string[]): Promise<void> {
    const { page } = workbench;
    await selectInExplorer(page, "runs", ...names);
    await chooseFromMenu(page, file(names.at(-1)!), "Compare Runs");
  }
  /** Texts of the rows in sight, the leading ones first. */
  const rows = (view: Frame): Promise<string[]> =>
    view
      .getByRole("grid", { name: "Differences" })
      .getByRole("row")
      .filter({ has: view.getByRole("gridcell") })
      .allTextContents();
  const compared = async (view: Frame): Promise<void> => {
    await view.locator('main[aria-busy="false"]').waitFor();
    await view.getByRole("grid", { name: "Differences" }).getByRole("gridcell").first().waitFor();
  };

  it("of two files selected in the Explorer leads with what the KV cache changes", async () => {
    const { page } = workbench;
    await compareFiles("kv6000_server_metrics.jsonl", "kv1500_server_metrics.parquet");
    await editorTab(page, "Compare: kv1500 ↔ kv6000").waitFor();
    const view = await shown();
    await compared(view);
    await screenshot(page, "compare-dark");
    const [first = "", ...others] = await rows(view);
    expect(first).toMatch(/^(KV block lifetime|Preemptions per request|Queue time|Time to first token)/);
    expect(first).toContain("better");
    expect(others.join("\n")).toContain("Request latency");
    expect(await view.getByRole("table", { name: "Configuration differences" }).textContent()).toMatch(
      /num_gpu_blocks.*1500.*6000/s,
    );
  });

  it("is filtered, and shows all rows when asked to", async () => {
    const view = await shown();
    const differing = await rows(view);
    await view.getByRole("radio", { name: "All" }).click();
    await view.getByRole("searchbox", { name: "Filter rows" }).fill("num requests running");
    await until(
      async () => (await rows(view)).length > 0 && (await rows(view)).every((row) => /requests running/i.test(row)),
      () => "the rows are not filtered",
    );
    await view.getByRole("searchbox", { name: "Filter rows" }).fill("");
    await view.getByRole("radio", { name: "Only differing" }).click();
    await until(
      async () => JSON.stringify(await rows(view)) === JSON.stringify(differing),
      () => "the rows that differ do not come back",
    );
  });

  it("charts what differs over one time axis, which zooms as one", async () => {
    const { page } = workbench;
    const view = await shown();
    await view.getByRole("tab", { name: "Charts" }).click();
    const canvases = view.locator(".compared-charts canvas");
    await until(
      async () =>
        (await view.getByText("Loading").count()) === 0 && (await canvases.count()) > 1 && (await allDrawn(canvases)),
      () => "the charts are not drawn",
    );
    await canvases.nth(0).scrollIntoViewIfNeeded();
    await screenshot(page, "compare-charts");
    // With the limit of the settings' assertion among its lines.
    await view.getByRole("region", { name: /^Time to first token/ }).scrollIntoViewIfNeeded();
    await screenshot(page, "compare-charts-limit");
    await canvases.nth(0).scrollIntoViewIfNeeded();
    const looks = () => Promise.all([canvases.nth(0), canvases.nth(1)].map(canvasDigest));
    const whole = await looks();
    // A stretch of the first chart is drawn out in all.
    const box = (await canvases.nth(0).boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await until(
      async () => (await looks()).every((look, i) => look !== whole[i]),
      () => "not all charts follow the zoom",
    );
    await screenshot(page, "compare-charts-zoomed");
    await view.getByRole("button", { name: "Reset Zoom" }).click();
    await view.getByRole("tab", { name: "Differences" }).click();
  });

  it("takes another threshold, and keeps it with the workspace", async () => {
    const view = await shown();
    const field = view.getByRole("textbox", { name: /Threshold of practical relevance/ });
    const settings = path.join(folder, ".vscode", "settings.json");
    for (const [typed, relevant] of [
      ["90", false],
      ["3", true],
    ] as const) {
      await field.fill(typed);
      await field.press("Enter");
      await until(
        async () => (await rows(view)).some((row) => row.includes("Request latency")) === relevant,
        () => `a threshold of ${typed} % makes no difference`,
      );
      await until(
        async () =>
          (await readFile(settings, "utf8").catch(() => "")).includes(`"serverMetrics.compare.threshold": ${typed}`),
        () => `${typed} % is not in the settings`,
      );
    }
  });

  it("turns round when the other run is made the baseline", async () => {
    const { page } = workbench;
    const view = await shown();
    await view.getByRole("button", { name: "Make kv6000 the baseline" }).click();
    await editorTab(page, "Compare: kv6000 ↔ kv1500").waitFor();
    await view.getByRole("group", { name: "Baseline: kv6000" }).waitFor();
    await until(
      async () => ((await rows(view))[0] ?? "").includes("worse"),
      () => "the leading row is not worse",
    );
    await screenshot(page, "compare-swapped");
    await view.getByRole("button", { name: "Make kv1500 the baseline" }).click();
    await editorTab(page, "Compare: kv1500 ↔ kv6000").waitFor();
    await until(
      async () => ((await rows(view))[0] ?? "").includes("better"),
      () => "the leading row is not better",
    );
  });

  it("is saved as Markdown, CSV and JSON, and copied", async () => {
    const { page } = workbench;
    const view = await shown();
    const saved: Record<string, string> = {};
    for (const [name, extension] of [
      ["Markdown", "md"],
      ["CSV", "csv"],
      ["JSON", "json"],
    ] as const) {
      await view.getByRole("button", { name: "Export the comparison" }).click();
      await view.getByRole("button", { name: `Save as ${name}…` }).click();
      const to = path.join(folder, `compared.${extension}`);
      const dialog = await waitForPrompt(page, /Save the Comparison/);
      // It fills in its own proposal a moment later.
      await until(
        async () => (await dialog.locator("input.input").inputValue()).endsWith(`.${extension}`),
        () => "the dialog proposes no name",
      );
      await answer(page, /Save the Comparison/, to);
      await notification(page, `written to compared.${extension}`).waitFor();
      saved[extension] = await readFile(to, "utf8");
    }
    expect(saved["md"]).toMatch(/^## kv1500 → kv6000\n/);
    expect(saved["md"]).toMatch(
      /\| Time to first token<br>`vllm:time_to_first_token_seconds` \| p99 \| [\d.]+ s \| [\d.]+ m?s \| −\d.* \| \*\*better\*\* \|/,
    );
    expect(
      saved["csv"]!.split("\r\n").find(
        (line) => line.startsWith("vllm:time_to_first_token_seconds") && line.includes(",p99,"),
      ),
    ).toContain(",better,");
    expect((JSON.parse(saved["json"]!) as { rows: unknown[] }).rows.length).toBe(
      saved["csv"]!.trimEnd().split("\r\n").length - 1,
    );
    await view.getByRole("button", { name: "Export the comparison" }).click();
    await view.getByRole("button", { name: "Copy as Markdown" }).click();
    await until(
      async () => (await page.evaluate(() => navigator.clipboard.readText())) === saved["md"],
      () => "the clipboard holds something else",
    );
  });

  it("takes one more run, and goes on without it", async () => {
    const { page } = workbench;
    const view = await shown();
    await view.getByRole("button", { name: "Add Run…" }).click();
    await waitForPrompt(page, /Add a Run/);
    await screenshot(page, "compare-add");
    await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "pears" }).first().click();
    await view.getByRole("group", { name: "Not compared: pears" }).waitFor();
    await until(
      async () =>
        /no metric family in common/.test(
          (await view.getByRole("table", { name: "Compared runs" }).textContent()) ?? "",
        ),
      () => "nothing says why it is not compared",
    );
    await compared(view);
    await screenshot(page, "compare-misfit");
    await view.getByRole("button", { name: "Remove pears" }).click();
    await view.getByRole("group", { name: "Not compared: pears" }).waitFor({ state: "detached" });
    await compared(view);
  });

  it("is drawn in every theme, and comes back after a reload", async () => {
    const { page } = workbench;
    for (const theme of ["light", "high-contrast", "dark"] satisfies Theme[]) {
      await workbench.setTheme(theme);
      await compared(await shown());
      await screenshot(page, `compare-${theme}`);
    }
    await stored(page, "editors", /"title":"Compare: kv1500 ↔ kv6000"/);
    await workbench.reload();
    const view = await shown();
    await compared(view);
    await editorTab(page, "Compare: kv1500 ↔ kv6000").waitFor();
    expect((await rows(view))[0]).toContain("better");
    await closeEditor(page, "Compare: kv1500");
  });

  begins({ workbench: () => workbench, folder: () => folder, shown, compareFiles, rows, compared });
});
