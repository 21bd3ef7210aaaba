import { mkdtemp, rename, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Locator } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import {
  allDrawn,
  closeEditor,
  editorTab,
  openFile,
  openFromExplorer,
  openWorkbench,
  runCommand,
  screenshot,
  until,
  webview,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const RUNS = { pressed: "kv-pressure", fleet: "fleet" } as const;

/** How much of a chart is drawn in the theme's colour of errors, pixels. */
const errorPixels = (canvas: Locator): Promise<number> =>
  canvas.evaluate((element) => {
    if (!(element instanceof HTMLCanvasElement)) return 0;
    const probe = document.body.appendChild(document.createElement("span"));
    probe.style.color = "var(--sm-error)";
    const wanted = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
    probe.remove();
    const data = element.getContext("2d")?.getImageData(0, 0, element.width, element.height).data ?? [];
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      if ([0, 1, 2].every((c) => Math.abs((data[at + c] ?? 0) - (wanted[c] ?? 0)) < 24)) count++;
    return count;
  });

/** Runs of simulated servers in known states, opened from their files. */
describe("what limits the servers", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-dashboards-"));
    for (const [name, scenario] of Object.entries(RUNS)) {
      const log = path.join(folder, `.${name}.jsonl.gz`);
      const out = path.join(folder, `.${name}`);
      const recorded = await runCli(["demo", "--scenario", scenario, "--record", log, "--duration", "60"]);
      expect(recorded.code, recorded.stderr).toBe(0);
      expect(await runCli(["replay", log, "--out", out, "--formats", "jsonl"])).toMatchObject({ code: 0 });
      await rename(path.join(out, "server_metrics_export.jsonl"), path.join(folder, `${name}_server_metrics.jsonl`));
    }
    await writeFile(path.join(folder, "notes.md"), "# Notes\n");
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));

  it("is said first, and its evidence leads to the chart at that time", async () => {
    const { page } = workbench;
    // What the workbench itself would go back to.
    await openFile(page, "notes.md");
    await openFromExplorer(page, "pressed_server_metrics.jsonl");
    const view = await webview(page, '.run-view .file-own[title$="pressed_server_metrics.jsonl"]');
    const first = view.locator(".finding").first();
    await first.waitFor();
    expect(await first.getAttribute("data-finding")).toBe("kv-pressure");
    expect(await view.locator(".findings > .finding-list > .finding").count()).toBeLessThanOrEqual(3);
    await first.getByText("What to do").click();
    const evidence = first.getByRole("button", {
      name: /^KV cache usage \(vllm:kv_cache_usage_perc\): max .* \(threshold 90/,
    });
    await evidence.focus();
    await page.keyboard.press("Enter");
    const zoom = view.locator(".strip-zoom");
    await until(
      async () => (await zoom.count()) === 1,
      () => "the charts do not show the range of the finding",
    );
    const card = view.locator('.chart-card[aria-label="KV cache usage"]');
    await until(
      () => card.evaluate((element) => element === document.activeElement),
      () => "the chart of the finding is not reached",
    );
    await until(
      () => allDrawn(card.locator(".chart-canvas canvas")),
      () => "the chart of the finding is not drawn",
    );
    await screenshot(page, "finding");
    expect(await card.getAttribute("class")).toContain("target");
    await until(
      async () => (await errorPixels(card.locator(".chart-canvas canvas"))) > 100,
      () => "the finding's threshold is not drawn",
    );
    await page.keyboard.press("Alt+ArrowLeft");
    await view.getByRole("tab", { name: "Overview", selected: true }).waitFor();
    await first.getByText("What to do").waitFor();
    await until(
      async () => (await zoom.count()) === 0,
      () => "the zoom of the finding stays",
    );
  });

  it("leads from a tile and from a cell to its chart, and back with Alt+Left", async () => {
    const { page } = workbench;
    const view = await webview(page, '.run-view .file-own[title$="pressed_server_metrics.jsonl"]');
    const target = view.locator(".chart-card.target");
    const back = async (tab: string) => {
      await target.waitFor();
      await page.keyboard.press("Alt+ArrowLeft");
      await view.getByRole("tab", { name: tab, selected: true }).waitFor();
      expect(await target.count()).toBe(0);
    };
    await view.locator('.tile[title^="vllm:num_requests_running"]').click();
    await view.locator('.chart-card.target[aria-label="Requests running"]').waitFor();
    await back("Overview");

    await view.getByRole("tab", { name: "Timeslices" }).click();
    const cells = view.getByRole("grid", { name: "Key metrics by slice" });
    await cells.locator(".grid-body .grid-row").nth(1).getByRole("button").first().click();
    await view.locator('.chart-card.target[aria-label="Time to first token"]').waitFor();
    await view.locator(".strip-zoom").waitFor();
    await back("Timeslices");
    // The workbench has not gone back to another editor.
    await editorTab(page, "pressed_server_metrics.jsonl").and(page.locator(".active")).waitFor();
  });

  it("is where the walkthrough ends: in the findings of a demo run", async () => {
    const { page } = workbench;
    await runCommand(page, "Open Demo Run");
    const view = await webview(page, '.run-view .file-own[title$="demo-run.jsonl"]');
    const first = view.locator(".finding").first();
    await first.waitFor();
    expect(await first.getAttribute("data-finding")).toBe("kv-pressure");
    await closeEditor(page, "demo-run.jsonl");
  });

  it("is shown kind by kind and endpoint by endpoint of a fleet", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "fleet_server_metrics.jsonl");
    const view = await webview(page, '.run-view .file-own[title$="fleet_server_metrics.jsonl"]');
    await view.getByText(/^3 × vLLM, .+ · SGLang · TensorRT-LLM/).waitFor();
    await view.getByText("5 endpoints reachable at the end").waitFor();
    // A file opens at the tab that another was left at.
    await view.getByRole("tab", { name: "Overview" }).click();
    await view.locator(".dashboard").nth(2).waitFor();

    const kinds = view.locator(".dashboard");
    expect(await kinds.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "vLLM",
      "SGLang",
      "TensorRT-LLM",
    ]);
    for (const kind of await kinds.all()) {
      const names = await kind.locator(".tile-title").allTextContents();
      expect(names.length).toBeGreaterThan(3);
      expect(new Set(names).size).toBe(names.length);
    }

    await view.getByRole("tab", { name: "Servers" }).click();
    const vllm = kinds.first();
    const rows = vllm.locator(".instance-grid .grid-body .grid-row");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(3);
    const ttft = vllm.locator('.panel[aria-label="Time to first token"]');
    await ttft.waitFor();
    expect(await ttft.locator(".panel-figure").allTextContents()).toEqual(
      ["p50", "p90", "p99", "avg"].map((name): unknown => expect.stringMatching(new RegExp(`^${name} \\d`))),
    );
    await screenshot(page, "fleet");

    await rows.nth(0).getByRole("button").nth(1).click();
    await view.locator(".chart-card.target").waitFor();
    await page.keyboard.press("Alt+ArrowLeft");
    const endpoint = rows.nth(1).getByRole("button").first();
    const name = (await endpoint.textContent()) ?? "";
    await endpoint.click();
    const narrowed = view.getByRole("combobox", { name: "Endpoints shown" });
    await narrowed.filter({ hasText: name }).waitFor();
    await until(
      async () => (await kinds.count()) === 1,
      () => "the view is not narrowed to one endpoint",
    );
    await view.getByRole("tab", { name: "Explore" }).click();
    const running = view.locator('.chart-card[aria-label="Requests running"]').first();
    await running.scrollIntoViewIfNeeded();
    await until(
      async () => (await running.locator(".legend-entry").count()) === 1,
      () => "the chart shows other endpoints",
    );
    await narrowed.click();
    await view.getByRole("option", { name: "All 5 endpoints" }).click();
    await view.getByRole("tab", { name: "Servers" }).click();
    await until(
      async () => (await kinds.count()) === 3,
      () => "the view stays narrowed",
    );
    expect(workbench.errors).toEqual([]);
  });
});
