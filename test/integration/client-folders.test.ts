import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { lifecycle, report } from "../support/client-summaries.js";
import { healthy, serve } from "../support/faulty-server.js";

const REPORT = "benchmark_report_v0.2,_stage_3.json.yaml";

let folder: string;

/** What inference-perf and llm-d leave, with copies and settings, beside a capture. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-metrics-folders-"));
  const files = {
    "perf/stage_0_lifecycle_metrics.json": lifecycle({ requested_rate: 4 }),
    "perf/stage_1_lifecycle_metrics.json": lifecycle({ requested_rate: 8 }),
    "perf/summary_lifecycle_metrics.json": lifecycle({}),
    "perf/config.yaml": "load:\n  type: constant\n",
    [`llm-d/results/${REPORT}`]: report("0.2.1"),
    "llm-d/results/benchmark_report,_stage_3.json.yaml": report("0.1"),
  };
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  const server = await serve(healthy());
  const args = ["capture", server.origin, "--duration", "1", "--interval", "100ms", "--summary", "none"];
  const { code, stderr } = await runCli([...args, "--out", path.join(folder, "captured")]);
  expect(code, stderr).toBe(0);
  await server.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const printed = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCli(args, { env: { XDG_CACHE_HOME: path.join(folder, ".cache") } });
  expect(code, stderr).toBe(0);
  return stdout;
};

it("folders of inference-perf and llm-d are rows beside a capture: one for each stage, none for copies", async () => {
  const columns = ["run", "load", "model", "duration", "client.requests", "client.ttft", "problem"];
  const listed = await printed("runs", folder, "--columns", columns.join(","), "--csv", "--sort", "run");
  const rows = listed.trim().split("\n");
  expect(rows[0]).toBe(columns.join(","));
  expect(rows.slice(1).sort()).toEqual([
    `"llm-d/results/${REPORT.replace(".yaml", "")}",requests/s 10,Qwen/Qwen3-0.6B,981,9.8,0.0365,`,
    expect.stringMatching(/^captured,,m,1\.\d+,,,$/),
    "perf/stage_0_lifecycle_metrics,requests/s 4,,15.264,3.93,0.0486,",
    "perf/stage_1_lifecycle_metrics,requests/s 8,,15.264,3.93,0.0486,",
  ]);
});

it.each([
  ["perf/stage_1_lifecycle_metrics.json", "inference-perf", 48.6],
  [`llm-d/results/${REPORT}`, "llm-d", 36.5],
])("%s opens as a run", async (file, tool, ttft) => {
  const shown = await printed("show", path.join(folder, file), "--family", "client:time_to_first_token_seconds");
  expect(shown).toMatch(new RegExp(`\\{statistic="avg"\\} +${tool} +${ttft} ms`));
});

it("stages of one folder are loads of one configuration", async () => {
  const sweep = JSON.parse(await printed("sweep", path.join(folder, "perf"), "--json")) as {
    readonly series: readonly {
      readonly configuration: string;
      readonly points: readonly { load: { value: number } }[];
    }[];
  };
  expect(
    sweep.series.map(({ configuration, points }) => [configuration, points.map(({ load }) => load.value)]),
  ).toEqual([["all runs", [4, 8]]]);
});
