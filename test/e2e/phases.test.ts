import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { epochNs } from "../../src/core/model/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { runCli } from "../support/cli.js";
import { ORIGIN, RunBuilder, SECOND } from "../support/run-builder.js";
import { openFromExplorer, openWorkbench, screenshot, webview, type Workbench } from "./driver.js";
import { tidied } from "./tidy.js";

const RUNNING = "vllm:num_requests_running";
const at = (seconds: number) => epochNs(ORIGIN + BigInt(seconds * SECOND));

/** A run with a warm-up and two phases of its own, as files of samples and of statistics. */
describe("phases in the workbench", () => {
  let folder: string;
  let workbench: Workbench;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-phases-"));
    const builder = new RunBuilder();
    for (let i = 0; i <= 70; i++)
      builder.scrape(i, [{ name: RUNNING, value: (i <= 10 ? 3 : i <= 40 ? 20 : 40) + (i % 3) }]);
    const { run } = builder.window(10, 70);
    run.putPhase({ name: "warmup", kind: "warmup", start: at(0), end: at(9) });
    run.putPhase({ name: "low", kind: "profiling", start: at(11), end: at(40) });
    run.putPhase({ name: "high", kind: "profiling", start: at(41), end: at(70) });
    await exportArtifacts(run, { directory: folder, formats: ["json", "jsonl"], verify: false });
    workbench = await openWorkbench({ folder, container: "Server Metrics" });
  });
  tidied(() => ({ workbench, folder }));

  it.each(["json", "jsonl"])("give the numbers of the command line, of %s", async (format) => {
    const { page } = workbench;
    const file = `server_metrics_export.${format}`;
    await openFromExplorer(page, file);
    const view = await webview(page, ".adjust-line");
    for (const phase of ["low", "high", "warmup"]) {
      const { stdout } = await runCli(["show", path.join(folder, file), "--phase", phase, "--json"]);
      const { metrics } = JSON.parse(stdout) as { metrics: Record<string, { series: { stats: { avg: number } }[] }> };
      const average = metrics[RUNNING]?.series[0]?.stats.avg ?? NaN;
      expect(average).toBeGreaterThan(1);
      await view.getByRole("combobox", { name: "Phase of the run" }).click();
      await view.getByRole("option", { name: phase, exact: true }).click();
      const shown = Number(average.toPrecision(3)).toString();
      await view.locator(".tile", { hasText: "Requests running" }).getByText(shown, { exact: true }).waitFor();
    }
    await screenshot(page, `phases-${format}`);
  });
});
