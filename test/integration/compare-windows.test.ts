import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WindowRule } from "../../src/core/model/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { Run } from "../../src/core/store/index.js";
import { measureLoad } from "../../src/core/window/index.js";
import { runCli } from "../support/cli.js";
import { comparisonViews, isSettled } from "../support/comparison-engine.js";
import { RunBuilder } from "../support/run-builder.js";

const view = comparisonViews();

/** 80 requests from second 20 to 60 of 80, two a second. */
function captured(id: string): Run {
  const builder = new RunBuilder();
  for (let t = 0; t <= 80; t += 0.5)
    builder.scrape(t, [
      { name: "vllm:num_requests_running", value: t >= 20 && t < 60 ? 2 + (t % 2) : 0 },
      { name: "vllm:request_success", type: "counter", value: Math.min(80, Math.max(0, Math.floor(2 * (t - 20)))) },
    ]);
  const { metadata, store, profilingStart, profilingEnd } = builder.window(0, 80).run;
  const run = new Run({ ...metadata, benchmarkId: id, inputConfig: { collection_interval_ms: 500 } }, store);
  run.setProfilingStart(profilingStart);
  run.setProfilingEnd(profilingEnd);
  return run;
}

describe("runs whose windows were found by different rules", () => {
  let folder: string;
  const file = (name: string) => join(folder, name, "server_metrics_export.jsonl");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "compare-windows-"));
    const [load, all] = [captured("a"), captured("b")];
    measureLoad(load);
    await exportArtifacts(load, { directory: join(folder, "load"), formats: ["jsonl", "json"], verify: false });
    await exportArtifacts(all, { directory: join(folder, "all"), formats: ["jsonl", "json"], verify: false });
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("are said to be, and measured alike where --window asks for it", async () => {
    const compared = await runCli(["compare", file("load"), file("all")]);
    expect(compared.stdout).toMatch(
      /Caution: .*load.* is measured over the load that its servers show, .*all.* over all that was captured: rates and averages differ for this reason. --window load or --window all measures both alike\./,
    );
    expect(compared.stdout).not.toContain("load_window");
    for (const rule of ["load", "all"]) {
      const { stdout, code } = await runCli(["compare", file("load"), file("all"), "--window", rule, "--json"]);
      expect(code).toBe(0);
      const { warnings, rows } = JSON.parse(stdout) as {
        warnings: { kind: string }[];
        rows: { quantity: string; cells: { share: number }[] }[];
      };
      expect(warnings.filter(({ kind }) => kind === "window")).toEqual([]);
      const rate = rows.find(({ quantity }) => quantity === "rate");
      expect(rate?.cells[0]?.share).toBe(0);
    }
    // Statistics alone are of one window.
    const json = (name: string) => file(name).replace(/l$/, "");
    const { stdout, stderr } = await runCli(["compare", json("load"), json("all"), "--window", "load"]);
    expect(stderr).toContain("The window cannot be switched: this file holds one window alone.");
    expect(stdout).toContain("over all that was captured: rates and averages differ");
  });

  it("are measured by one rule in the editor, and as recorded again", async () => {
    const one = view();
    await one.compare([file("load"), file("all")]);
    const now = async () => {
      const { comparison } = await one.client.call("comparison", {});
      const rate = comparison.rows.find(({ quantity }) => quantity === "rate");
      return {
        warns: comparison.warnings.some(({ kind }) => kind === "window"),
        rates: [rate?.baseline.value ?? NaN, rate?.cells[0]?.candidate.value ?? NaN],
      };
    };
    const recorded = await now();
    expect(recorded.warns).toBe(true);
    expect(recorded.rates[0]! / recorded.rates[1]!).toBeGreaterThan(1.5);
    let revision = 1;
    const measured = async (window: WindowRule | "recorded") => {
      const again = one.next((state) => isSettled(state) && state.revision > revision);
      await one.client.call("configure", { window });
      ({ revision } = await again);
    };
    for (const window of ["load", "all"] as const) {
      await measured(window);
      const { warns, rates } = await now();
      expect([warns, rates[0]]).toEqual([false, rates[1]]);
      expect(rates[0]).toBe(recorded.rates[window === "load" ? 0 : 1]);
    }
    await measured("recorded");
    expect(await now()).toEqual(recorded);
  });

  it("are alike where one is a capture under way, which is measured from its load on", async () => {
    const lines = (await readFile(file("all"), "utf8")).trimEnd().split("\n");
    const until = lines.findIndex((line) => line.includes(`"timestamp_ns":${captured("b").origin + 50_000_000_000n}`));
    expect(until).toBeGreaterThan(50);
    const journal = join(folder, "live.jsonl");
    await writeFile(journal, `${lines.slice(0, until).join("\n")}\n`);
    const one = view();
    await one.compare([file("load"), { path: journal, live: true }]);
    const { comparison } = await one.client.call("comparison", {});
    expect(comparison.warnings.map(({ kind }) => kind)).not.toContain("window");
    const rate = comparison.rows.find(({ quantity }) => quantity === "rate");
    expect(rate?.cells[0]?.candidate.value).toBeCloseTo(rate?.baseline.value ?? NaN, 1);
  });
});
