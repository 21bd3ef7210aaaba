import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Run } from "../../src/core/store/index.js";
import { measureLoad } from "../../src/core/window/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { serve, type TestServer } from "../support/faulty-server.js";
import { RunBuilder } from "../support/run-builder.js";
import {
  allDrawn,
  answer,
  chooseFromMenu,
  explorerItem,
  openFromExplorer,
  openWorkbench,
  runCommand,
  screenshot,
  selectInExplorer,
  until,
  webview,
  type Theme,
  type Workbench,
} from "./driver.js";
import { tidied } from "./tidy.js";

const THEMES: readonly Theme[] = ["dark", "light", "high-contrast"];
const RUNNING = "vllm:num_requests_running";
const FINISHED = "vllm:request_success";

/** What is measured: the load or the whole run, of a run saved earlier and of a capture under way. */
describe("the measured window in the workbench", () => {
  let folder: string;
  let workbench: Workbench;
  let server: TestServer;
  let running = 0;
  let done = 0;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-load-"));
    const builder = new RunBuilder();
    // Two requests a second from 20 s to 50 s of 70 s.
    for (let i = 0; i <= 70; i++) {
      const load = Math.min(30, Math.max(0, i - 20));
      builder.scrape(i, [
        { name: RUNNING, value: i >= 20 && i < 50 ? 6 + (i % 5) : 0 },
        { name: FINISHED, type: "counter", value: 2 * load },
        { name: "vllm:generation_tokens", type: "counter", value: 240 * load },
      ]);
    }
    const { run } = builder.window(0, 70);
    await exportArtifacts(run, { directory: folder, formats: ["jsonl"], verify: false });
    for (const [prefix, rule] of [
      ["a-load", "load"],
      ["b-all", "all"],
    ] as const) {
      const { metadata, store, profilingStart, profilingEnd } = run;
      const one = new Run({ ...metadata, benchmarkId: prefix, inputConfig: { collection_interval_ms: 1000 } }, store);
      one.setProfilingStart(profilingStart);
      one.setProfilingEnd(profilingEnd);
      if (rule === "load") measureLoad(one);
      await exportArtifacts(one, { directory: path.join(folder, "runs"), prefix, formats: ["jsonl"], verify: false });
    }
    server = await serve((_, response) => {
      done += running;
      response
        .setHeader("content-type", "text/plain; version=0.0.4")
        .end(`# TYPE ${RUNNING} gauge\n${RUNNING} ${running}\n# TYPE ${FINISHED} counter\n${FINISHED}_total ${done}\n`);
    });
    workbench = await openWorkbench({
      folder,
      container: "Server Metrics",
      settings: { "serverMetrics.endpoints": [{ url: `${server.origin}/metrics` }], "serverMetrics.interval": "100ms" },
    });
  });
  tidied(() => ({ workbench, folder }));
  afterAll(() => server.close());

  async function pictures(name: string): Promise<void> {
    for (const theme of THEMES) {
      await workbench.setTheme(theme);
      await screenshot(workbench.page, `${name}-${theme}`);
    }
  }

  it("is the whole of a run that was saved so, until its load is chosen", async () => {
    const { page } = workbench;
    await openFromExplorer(page, "server_metrics_export.jsonl");
    const view = await webview(page, ".measured");
    const line = view.locator(".measured");
    expect(await line.textContent()).toContain("measured: all 70.0 s, of which 31.0 s are load");
    const finished = view.locator(".tile", { hasText: "Requests finished" });
    await finished.getByText("0.857", { exact: true }).waitFor();
    await line.getByRole("radio", { name: "Load" }).click();
    await line.getByText("measured: 31.0 s of load out of 70.0 s captured").waitFor();
    await finished.getByText("1.94", { exact: true }).waitFor();
    await view.getByRole("combobox", { name: "Phase of the run" }).click();
    await view.getByRole("option", { name: "idle after", exact: true }).click();
    // Tiles at 0 are folded.
    await finished.getByText("0", { exact: true }).waitFor({ state: "attached" });
    await view.getByRole("combobox", { name: "Phase of the run" }).click();
    await view.getByRole("option", { name: "Load", exact: true }).click();
    await finished.getByText("1.94", { exact: true }).waitFor();
    await until(
      () => allDrawn(view.locator(".chart-canvas canvas")),
      () => "the charts are not drawn",
    );
    await pictures("load-saved");
    await line.getByRole("radio", { name: "Whole run" }).click();
    await finished.getByText("0.857", { exact: true }).waitFor();
  });

  it("is one rule for all compared runs where their files have different ones", async () => {
    const { page } = workbench;
    const names = ["a-load_server_metrics.jsonl", "b-all_server_metrics.jsonl"];
    await selectInExplorer(page, "runs", ...names);
    await chooseFromMenu(page, explorerItem(page, names[1]!), "Compare Runs");
    const view = await webview(page, ".comparison-view .measured-alike");
    const warning = view.getByText(/rates and averages differ for this reason/);
    await warning.waitFor();
    await pictures("load-compared");
    await view.getByRole("radio", { name: "Load" }).click();
    await warning.waitFor({ state: "detached" });
    await view.getByRole("radio", { name: "As Recorded" }).click();
    await warning.waitFor();
  });

  it("begins with the load of a capture under way", async () => {
    const { page } = workbench;
    await runCommand(page, "Server Metrics: Start Capture");
    await answer(page, /warm-up/i);
    await answer(page, /label/i);
    const view = await webview(page, ".run-state.tone-good");
    const scrapes = async () =>
      Number((await view.locator(".figure", { hasText: "scrape" }).locator("dd").textContent())?.replace(/\D/g, ""));
    await until(
      async () => (await scrapes()) > 40,
      () => "the capture does not go on",
    );
    running = 3;
    const line = view.locator(".measured");
    await line.getByText(/measured: from the load's start/).waitFor();
    const tile = view.locator(".tile", { hasText: "Requests running" });
    await tile.getByText("3", { exact: true }).first().waitFor();
    const before = await scrapes();
    await until(
      async () => (await scrapes()) > before + 30,
      () => "the load is not captured",
    );
    await pictures("load-live");
    await line.getByRole("radio", { name: "Whole run" }).click();
    await line.getByText(/measured: all that is captured/).waitFor();
    await line.getByRole("radio", { name: "Load" }).click();
    await line.getByText(/measured: from the load's start/).waitFor();
    await runCommand(page, "Server Metrics: Stop Capture");
    await view.getByText("Stopped").waitFor();
    await line.getByText(/of load out of/).waitFor();
  });
});
