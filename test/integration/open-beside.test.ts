import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { snapshotText } from "../../src/cli/print/snapshot.js";
import { epochNs } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { RunBuilder } from "../support/run-builder.js";

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "server-metrics-beside-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function opened(name: string, text: string) {
  const path = join(folder, name);
  await writeFile(path, text);
  return openArtifact(path);
}

/** As `json.dumps([asdict(metric) for metric in llm.get_metrics()])` writes it: no class, cumulative buckets. */
function dump(requests: number) {
  const labels = { engine: "0", model_name: "m" };
  return [
    { name: "vllm:num_requests_running", labels, value: 2.5 },
    { name: "vllm:generation_tokens", labels, value: 100 * requests },
    { name: "vllm:spec_decode_num_accepted_tokens_per_pos", labels, values: [10, 7, 2] },
    {
      name: "vllm:time_to_first_token_seconds",
      labels,
      count: requests,
      sum: requests * 0.25,
      buckets: { "0.5": requests, "1.0": requests, "+Inf": requests },
    },
  ];
}

const families = (run: Run) => new Map(run.store.families().map(({ name, type }) => [name, type]));

describe("vLLM's metrics offline", () => {
  it("one dump is a snapshot, whose JSON opens as the same", async () => {
    const first = await opened("dump.json", JSON.stringify(dump(4), undefined, 2));
    if (first.kind !== "snapshot") throw new Error(first.kind);
    expect(Object.fromEntries(families(first.run))).toEqual({
      "vllm:num_requests_running": "gauge",
      "vllm:generation_tokens": "counter",
      "vllm:spec_decode_num_accepted_tokens_per_pos": "counter",
      "vllm:time_to_first_token_seconds": "histogram",
    });
    const written = snapshotText(first.run, true);
    const metrics = JSON.parse(written) as Record<string, unknown>[];
    expect(metrics.map(({ kind }) => kind)).toEqual(["Gauge", "Counter", "Vector", "Histogram"]);
    expect(metrics[2]).toMatchObject({ values: [10, 7, 2] });
    expect(metrics[3]).toMatchObject({ count: 4, sum: 1, buckets: { "0.5": 4, "1.0": 4, "+Inf": 4 } });
    const second = await opened("again.json", written);
    if (second.kind !== "snapshot") throw new Error(second.kind);
    expect(snapshotText(second.run, true)).toBe(written);
  });

  it.each([
    ["a JSON list", (dumps: readonly object[]) => JSON.stringify(dumps)],
    ["JSONL", (dumps: readonly object[]) => dumps.map((one) => `${JSON.stringify(one)}\n`).join("")],
  ])("dumps with times are a run: %s", async (name, text) => {
    const dumps = [0, 1, 2, 3].map((i) => ({ timestamp: 1765000000.5 + i, metrics: dump(4 * i) }));
    const run = await opened(`${name.replaceAll(" ", "-")}.json`, text(dumps));
    if (run.kind !== "samples") throw new Error(run.kind);
    expect(run.run.store.scrapes).toBe(4);
    expect(run.run.profilingStart).toBe(1_765_000_000_500_000_000n);
    await exportArtifacts(run.run, { directory: join(folder, "out"), formats: ["json"], verify: true });
    const json = await openArtifact(join(folder, "out", "server_metrics_export.json"));
    if (json.kind !== "statistics") throw new Error(json.kind);
    const tokens = json.statistics.families.find((family) => family.name === "vllm:generation_tokens");
    expect(tokens?.series[0]).toMatchObject({ stats: { total: 1200 } });
  });

  it("an object of metrics without a time is a snapshot, and several without are refused", async () => {
    const alone = await opened("untimed.json", JSON.stringify({ metrics: dump(4) }));
    expect(alone.kind).toBe("snapshot");
    await expect(
      opened("untimed-two.json", JSON.stringify([{ metrics: dump(4) }, { metrics: dump(5) }])),
    ).rejects.toThrow(/entry 1 has no timestamp/);
  });

  it("says what cannot be read of it", async () => {
    await expect(opened("bad.json", '[{"name": "a", "labels": {}, "value": "x"}]')).rejects.toThrow(
      /metric 1 cannot be read: a has neither value, values nor buckets/,
    );
  });
});

it("GPU telemetry by itself is refused with what to open instead", async () => {
  const file = join(folder, "gpu_telemetry_export.jsonl");
  const line = {
    timestamp_ns: 1,
    dcgm_url: "http://gpu-node-a:9401/metrics",
    telemetry_data: { gpu_power_usage: 300 },
  };
  await writeFile(file, `${JSON.stringify(line)}\n`);
  await expect(openArtifact(file)).rejects.toMatchObject({
    message: `${file} is AIPerf's GPU telemetry, which belongs to a run.`,
    remedy:
      "Open server_metrics_export.jsonl or profile_export.jsonl beside it: the GPUs become endpoints of that run.",
  });
});

it("GPU telemetry beside an artifact becomes endpoints of its run", async () => {
  const builder = new RunBuilder();
  for (let i = 0; i <= 10; i++) builder.scrape(i, [{ name: "c", type: "counter", value: i }]);
  await exportArtifacts(builder.window(0, 10).run, { directory: folder, formats: ["jsonl"], verify: false });
  const gpu = (index: number, seconds: number) =>
    JSON.stringify({
      gpu_index: index,
      gpu_uuid: `GPU-${index}`,
      gpu_model_name: "Sample",
      timestamp_ns: 0,
      dcgm_url: "http://gpu-node-a:9401/metrics",
      telemetry_data: { gpu_power_usage: 300 + index, energy_consumption: 0.1 * seconds },
    }).replace('"timestamp_ns":0', `"timestamp_ns":${1_765_000_000_123_456_789n + BigInt(seconds) * 1_000_000_000n}`);
  const lines = [1, 2, 3].flatMap((seconds) => [gpu(0, seconds), gpu(1, seconds)]);
  await writeFile(join(folder, "gpu_telemetry_export.jsonl"), `${lines.join("\n")}\nbroken\n`);
  const artifact = await openArtifact(join(folder, "server_metrics_export.jsonl"));
  if (artifact.kind !== "samples") throw new Error(artifact.kind);
  const { store } = artifact.run;
  expect(store.endpoints.map(({ url, rows }) => [url, rows])).toEqual([
    ["http://a:1/metrics", 11],
    ["http://gpu-node-a:9401/metrics", 3],
  ]);
  expect(families(artifact.run).get("energy_consumption")).toBe("counter");
  expect([...store.seriesKeys()].filter((key) => key.family.name === "gpu_power_usage")).toHaveLength(2);
  expect(artifact.run.profilingStart).toBe(epochNs(1_765_000_000_000_000_001n));
  expect(artifact.notices.map(({ reason }) => reason).join(" ")).toMatch(/1 lines? of gpu_telemetry_export.jsonl/);
});

it("says where MLflow has the run, by AIPerf's mlflow_export.json beside it, without credentials", async () => {
  const artifact = join(folder, "server_metrics_export.jsonl");
  const told = async (content: unknown) => {
    await writeFile(join(folder, "mlflow_export.json"), JSON.stringify(content));
    return (await openArtifact(artifact)).notices.map(({ reason }) => reason).find((one) => /mlflow/i.test(one));
  };
  const written = {
    tracking_uri: "http://me:secret@mlflow.example:5000/",
    experiment: "aiperf",
    run_id: "0f3c9a6be1d24f7c8b8a5d1f6f0e7a11",
    run_name: "aiperf-llama-c16",
    benchmark_id: "b-1",
    parent_run_id: null,
    live_streaming: false,
    reused_live_run: false,
    metric_keys: ["request_throughput.avg"],
    param_keys: [],
    tag_keys: [],
    uploaded_artifacts: ["profile_export_aiperf.json"],
    exported_at_ns: 1_765_000_000_000_000_000,
  };
  expect(await told(written)).toBe(
    "MLflow has this run (aiperf-llama-c16 of aiperf): http://mlflow.example:5000/#/runs/0f3c9a6be1d24f7c8b8a5d1f6f0e7a11",
  );
  expect(await told({ ...written, tracking_uri: "file:./mlruns", run_name: null })).toBe(
    "MLflow has this run (aiperf): run 0f3c9a6be1d24f7c8b8a5d1f6f0e7a11",
  );
  expect(await told({ ...written, run_id: "../x" })).toBe(
    "mlflow_export.json was left out: it names no run of MLflow.",
  );
  await rm(join(folder, "mlflow_export.json"));
});
