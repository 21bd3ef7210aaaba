import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ClientResult } from "../../../src/core/client/index.js";
import { detectFileFormat, openArtifact } from "../../../src/files/open/index.js";
import { readClientFiles } from "../../../src/files/open/client.js";
import { lifecycle, report } from "../../support/client-summaries.js";

async function folderOf(files: Readonly<Record<string, string | object>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-client-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return folder;
}

const statsOf = ({ stored }: ClientResult) =>
  Object.fromEntries(stored.map(({ family, stats }) => [family.replace("client:", ""), stats]));

describe("client results that are statistics alone", () => {
  it("reads inference-perf's stages, and its summary only where it is alone", async () => {
    const summary = { "summary_lifecycle_metrics.json": lifecycle({}) };
    const stages = {
      "stage_0_lifecycle_metrics.json": lifecycle({ requested_rate: 4 }),
      "stage_1_lifecycle_metrics.json": lifecycle({ requested_rate: 8 }),
      "config.yaml": "load:\n  type: constant\n",
    };
    const { results } = await readClientFiles([await folderOf({ ...summary, ...stages })]);
    expect(results.map(({ tool, requestRate }) => [tool, requestRate])).toEqual([
      ["inference-perf", 4],
      ["inference-perf", 8],
    ]);
    const [alone, another] = (await readClientFiles([await folderOf(summary)])).results;
    expect(another).toBeUndefined();
    expect(alone?.durationSeconds).toBe(15.264);
    expect(alone === undefined ? {} : statsOf(alone)).toMatchObject({
      time_to_first_token_seconds: { avg: 0.0486, p50: 0.0444, p99: 0.0845 },
      inter_token_latency_seconds: { avg: 0.00695, p50: 0.00663 },
      request_latency_seconds: { avg: 0.3107, min: 0.2298, max: 0.5145, p90: 0.3879 },
      input_sequence_length_tokens: { avg: 100 },
      output_sequence_length_tokens: { avg: 39.9 },
      request_throughput_per_second: { avg: 3.93 },
      output_token_throughput_per_second: { avg: 156.77 },
    });
  });

  it("reads a Benchmark Report of llm-d in its units, and opens it as a run of its time", async () => {
    const name = "benchmark_report_v0.2,_stage_3.json.yaml";
    const folder = await folderOf({ [name]: report("0.2.1"), "benchmark_report,_stage_3.json.yaml": report("0.1") });
    const { results } = await readClientFiles([folder]);
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({
      tool: "llm-d",
      model: "Qwen/Qwen3-0.6B",
      label: "inference-perf stage 3",
      benchmarkId: "38b1f169ca178b756f7483523b17de61",
      requestRate: 10,
      durationSeconds: 981,
    });
    expect(results[0] === undefined ? {} : statsOf(results[0])).toMatchObject({
      time_to_first_token_seconds: { avg: 0.0365, std: 0.004, p50: 0.0362, p99: 0.0503 },
      inter_token_latency_seconds: { avg: 0.0102 },
      input_sequence_length_tokens: { avg: 2262.4, p50: 2262 },
      request_throughput_per_second: { avg: 9.8 },
    });
    expect(await detectFileFormat(join(folder, name))).toMatchObject({ format: "client" });
    const opened = await openArtifact(join(folder, name));
    if (opened.kind === "snapshot") throw new Error("it is no run");
    const end = opened.kind === "statistics" ? opened.statistics.endNs : opened.run.profilingEnd;
    expect(end).toBe(BigInt(Date.parse("2025-11-05T18:17:03Z")) * 1_000_000n);
  });

  it("reads the result that a report was made of rather than the report", async () => {
    const folder = await folderOf({
      "stage_0_lifecycle_metrics.json": lifecycle({ requested_rate: 4 }),
      "benchmark_report_v0.2,_stage_0_lifecycle_metrics.json.yaml": report("0.2.1"),
    });
    const { results } = await readClientFiles([folder]);
    expect(results.map(({ tool }) => tool)).toEqual(["inference-perf"]);
  });
});
