import type { ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerClient } from "../../src/collect/index.js";
import type { Run } from "../../src/core/store/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { PrometheusApi } from "../../src/stores/prometheus/api.js";
import { readSamples } from "../../src/stores/prometheus/samples.js";
import { runCli } from "../support/cli.js";
import { engineInThread } from "../support/engine-in-thread.js";
import { serve, type TestServer } from "../support/faulty-server.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";

const STEP_MS = 15_000;
/** Scrapes of an hour. */
const SCRAPES = 241;
const MAX_SAMPLES = 1500;
const endMs = Math.floor(Date.now() / STEP_MS) * STEP_MS - 7_200_000;
const startMs = endMs - (SCRAPES - 1) * STEP_MS;
const BUCKETS = ["0.1", "0.5", "1", "+Inf"];
const seconds = (ms: number) => (ms / 1000).toFixed(3);
const iso = (ms: number) => new Date(ms).toISOString();

/** One instance that counts 10 tokens and 4 requests a scrape, one of each bucket. */
function backfilled(): string {
  const labels = 'instance="gpu-1:8000",job="vllm"';
  const rows = (name: string, value: (i: number) => number, more = "") =>
    Array.from(
      { length: SCRAPES },
      (_, i) => `${name}{${labels}${more}} ${value(i)} ${seconds(startMs + i * STEP_MS)}\n`,
    );
  const wave = (i: number) => 3 + Math.round(2 * Math.sin(i / 7));
  const total = (upTo: number) => Array.from({ length: upTo }, (_, i) => wave(i)).reduce((sum, n) => sum + n, 0);
  return [
    "# TYPE up gauge\n",
    ...rows("up", () => 1),
    "# TYPE vllm:num_requests_running gauge\n",
    ...rows("vllm:num_requests_running", wave),
    "# TYPE vllm:generation_tokens counter\n",
    ...rows("vllm:generation_tokens_total", (i) => 10 * i),
    "# TYPE vllm:time_to_first_token_seconds histogram\n",
    ...BUCKETS.flatMap((le, b) =>
      rows("vllm:time_to_first_token_seconds_bucket", (i) => (b + 1) * total(i), `,le="${le}"`),
    ),
    ...rows("vllm:time_to_first_token_seconds_count", (i) => BUCKETS.length * total(i)),
    ...rows("vllm:time_to_first_token_seconds_sum", (i) => 1.5 * total(i) + Math.sin(i)),
    "# EOF\n",
  ].join("");
}

const missing = await missingPrograms("prometheus", "promtool");
const what = "a range of a store that has not all of it";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  let dir: string;
  let prometheus: RunningStore;
  /** In front of it: has raw samples from `rawFromMs` on only, and values in steps for those who take coarse ones. */
  let thanos: TestServer;
  let rawFromMs = 0;
  /** Chunks of samples that the server gave, and that it would not give. */
  let answered = 0;
  let refused = 0;
  /** Those answered next wait until so many wait. */
  let together = 1;
  let waiting: (() => void)[] = [];
  /** What it warns of: answers about series beside the data, values in steps within it. */
  let lost = "";

  const forward = async (url: URL, response: ServerResponse) => {
    const path = url.pathname.slice("/api/v1".length);
    if (["/read", "/export", "/status/config"].includes(path)) return void response.writeHead(404).end();
    const query = url.searchParams.get("query") ?? "";
    const isRange = /\}\[\d+ms\]$/.test(query);
    const isChunk = query.startsWith('{job="vllm"}[');
    const upstream = await fetch(`${prometheus.url}${url.pathname}${url.search}`);
    const text = await upstream.text();
    const answer = JSON.parse(text) as {
      data?: { result?: { values?: [number, string][] }[]; warnings?: string[] };
      warnings?: string[];
    };
    if (isChunk && upstream.ok) {
      answered++;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < together) return;
        for (const go of waiting) go();
        waiting = [];
      });
    } else if (isChunk) refused++;
    const isCoarse = Number(url.searchParams.get("max_source_resolution")) >= 300;
    // As with --query.instant.default.max_source_resolution: instant queries too, unless they ask for raw samples.
    if (isRange && url.searchParams.get("max_source_resolution") !== "0")
      for (const series of answer.data?.result ?? [])
        series.values = (series.values ?? []).filter((_, i) => i % 20 === 0);
    if (lost !== "" && path === "/series") answer.warnings = [`${lost} of series`];
    if (lost !== "" && path === "/query_range" && answer.data !== undefined)
      answer.data.warnings = [`${lost} of steps`];
    if (isRange || (path === "/query_range" && !isCoarse))
      for (const series of answer.data?.result ?? [])
        series.values = (series.values ?? []).filter(([time]) => time * 1000 >= rawFromMs);
    response.writeHead(upstream.status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-beginning-"));
    prometheus = await startPrometheus({
      backfilled: backfilled(),
      options: [`--query.max-samples=${MAX_SAMPLES}`, "--storage.tsdb.retention.time=10y"],
    });
    thanos = await serve((request, response) => void forward(new URL(request.url ?? "", "http://a"), response));
  });
  afterAll(async () => {
    await thanos.close();
    await prometheus.close();
    await rm(dir, { recursive: true, force: true });
  });

  const fetched = async (name: string, url: string, fromMs = startMs, more: readonly string[] = []) => {
    const out = path.join(dir, name);
    const { code, stderr } = await runCli([
      ...["fetch", "--prometheus", url, "--match", '{job="vllm"}', "--start", iso(fromMs), "--end", iso(endMs)],
      ...["--formats", "jsonl", "--out", out, ...more],
    ]);
    expect(code, stderr).toBe(0);
    const file = path.join(out, "server_metrics_export.jsonl");
    const opened = await openArtifact(file, {});
    if (opened.kind !== "samples") throw new Error("no samples");
    return { run: opened.run, stderr, file };
  };
  /** What the header says of the run once its file is opened again. */
  const reopened = async (file: string) => {
    const viewer = engineInThread();
    try {
      await viewer.call("open", { path: file });
      return (await viewer.call("describe", {})).header.problems;
    } finally {
      viewer.dispose();
    }
  };

  it("says from when there are samples, and how wide intervals are, once it is opened again too", async () => {
    const { run, stderr, file } = await fetched("late", prometheus.url, startMs - 1_200_000);
    const late = `The store has samples only from ${iso(startMs)} on: the first 20 min of the range have none.`;
    expect(stderr).toContain(late);
    expect(msOf(run, "vllm:generation_tokens")).toHaveLength(SCRAPES);
    const problems = await reopened(file);
    expect(problems).toContainEqual({ severity: "warning", reason: late });
    // A figure for estimates, and one for verdicts.
    const wide = problems.filter(({ reason }) => reason.includes("15 s apart"));
    expect(wide).toMatchObject([{ severity: "info" }]);
    expect(wide[0]?.reason).toMatch(
      /the 99th percentile of vllm:time_to_first_token_seconds is known to ±[\d.]+ %, and averages of vllm:num_requests_running in two such runs must differ by some [\d.]+ % to be told apart/,
    );
  });

  it("is filled by query_range where raw samples are gone, which its header says", async () => {
    rawFromMs = startMs + 1_800_000;
    const { run, stderr, file } = await fetched("half", thanos.origin);
    const times = msOf(run, "vllm:generation_tokens");
    const steps = [1, 2, 3, 4, 5].map((i) => startMs + i * 300_000);
    expect(times.filter((ms) => ms < rawFromMs)).toEqual(steps);
    expect(times.filter((ms) => ms >= rawFromMs)).toHaveLength(121);
    expect(valuesOf(run, "vllm:generation_tokens").slice(0, 6)).toEqual([200, 400, 600, 800, 1000, 1200]);
    // Steps are no holes.
    expect(run.store.endpoints.map(({ failures }) => failures)).toEqual([0]);
    const said = `The store has raw samples only from ${iso(rawFromMs)} on. Before that, from ${iso(startMs + 300_000)} on, there are values every 300 s (query_range)`;
    expect(stderr).toContain(said);
    expect(run.metadata.inputConfig["source"]).toMatchObject({
      samples: "raw",
      raw_from: iso(rawFromMs),
      step_seconds: 300,
    });
    expect((await reopened(file)).filter(({ reason }) => reason.startsWith(said))).toMatchObject([
      { severity: "warning" },
    ]);
  });

  it("is told as what may be missing, where a part of the store did not answer", async () => {
    rawFromMs = startMs + 1_800_000;
    lost = "receive series from store-2: deadline exceeded: no answer";
    const { stderr, file } = await fetched("partial", thanos.origin).finally(() => (lost = ""));
    const problems = await reopened(file);
    for (const what of ["series", "steps"]) {
      const reason = `The store warns: receive series from store-2: deadline exceeded: no answer of ${what}.`;
      expect(stderr).toContain(reason);
      expect(problems).toContainEqual({ severity: "warning", reason });
    }
  });

  it("is read in steps where all raw samples are gone", async () => {
    rawFromMs = endMs + 1;
    const { run, stderr } = await fetched("gone", thanos.origin);
    expect(msOf(run, "vllm:generation_tokens")).toHaveLength(12);
    expect(stderr).toContain("The store has no raw samples of this range. From");
    expect(run.metadata.inputConfig["source"]).toMatchObject({ samples: "stepped", step_seconds: 300 });
    // Also for whoever asks for finer steps than the store has downsampled.
    const finer = await fetched("finer", thanos.origin, startMs, ["--step", "60s"]);
    expect(msOf(finer.run, "vllm:generation_tokens")).toHaveLength(12);
    expect(finer.stderr).toContain("values every 300 s (query_range)");
    expect(finer.stderr).not.toContain("every 60 s");
    expect(finer.run.metadata.inputConfig["source"]).toMatchObject({ samples: "stepped", step_seconds: 300 });
  });

  it("has totals from what the store has downsampled, where raw samples are gone", async () => {
    rawFromMs = startMs + 1_800_000;
    const half = await fetched("totals-half", thanos.origin, startMs, ["--aggregate"]);
    const times = msOf(half.run, "vllm:generation_tokens");
    expect(times.filter((ms) => ms < rawFromMs)).toEqual([1, 2, 3, 4, 5].map((i) => startMs + i * 300_000));
    expect(times.filter((ms) => ms >= rawFromMs)).toHaveLength(121);
    // The counter goes on from the coarse totals into the fine ones.
    expect(valuesOf(half.run, "vllm:generation_tokens").slice(0, 7)).toEqual([200, 400, 600, 800, 1000, 1200, 1210]);
    expect(half.run.store.endpoints.map(({ failures }) => failures)).toEqual([0]);
    const coarse = `Before that, from ${iso(startMs + 300_000)} on, there are values every 300 s (query_range)`;
    expect(half.stderr).toContain(`The store has raw samples only from ${iso(rawFromMs)} on. ${coarse}`);
    expect(half.stderr).toContain("totals over 1 instance, made by the store every 15 s");
    expect(half.run.metadata.inputConfig["source"]).toMatchObject({
      samples: "aggregated",
      step_seconds: 15,
      raw_from: iso(rawFromMs),
      step_seconds_before: 300,
    });
    const said = (await reopened(half.file)).filter(({ reason }) => reason.includes(coarse));
    expect(said).toMatchObject([{ severity: "warning" }]);

    rawFromMs = endMs + 1;
    const gone = await fetched("totals-gone", thanos.origin, startMs, ["--aggregate"]);
    expect(msOf(gone.run, "vllm:generation_tokens")).toHaveLength(12);
    expect(gone.stderr).toContain("The store has no raw samples of this range. From");
    expect(gone.stderr).toContain("made by the store every 300 s");
    expect(gone.run.metadata.inputConfig["source"]).toMatchObject({ samples: "aggregated", step_seconds: 300 });
    expect(gone.run.metadata.inputConfig["source"]).not.toHaveProperty("raw_from");
  });

  it("is read in smaller chunks, several at a time, where the server's limit of samples is reached", async () => {
    rawFromMs = 0;
    answered = 0;
    refused = 0;
    // 2,169 samples are more than the limit: the first question is refused, and its halves are asked together.
    together = 2;
    const read = fetched("chunks", thanos.origin);
    const { run } = await read;
    expect(refused).toBeGreaterThan(0);
    expect(answered).toBe(2);
    expect(msOf(run, "vllm:generation_tokens")).toEqual(
      Array.from({ length: SCRAPES }, (_, i) => startMs + i * STEP_MS),
    );

    together = 4;
    const client = new ServerClient({ url: thanos.origin, enabled: true });
    try {
      const question = { selectors: ['{job="vllm"}'], range: { startMs, endMs }, expected: 1_500_000 };
      const { series } = await readSamples(new PrometheusApi(client), question);
      expect(series).toHaveLength(9);
      for (const { times } of series) expect(times).toHaveLength(SCRAPES);
    } finally {
      client.close();
      together = 1;
    }
  });
});

function samplesOf(run: Run, family: string) {
  const key = [...run.store.seriesKeys()].find((one) => one.family.name === family);
  const samples = key === undefined ? undefined : run.store.read(key.id);
  if (samples?.kind !== "scalar") throw new Error(`${family} is no scalar`);
  return samples;
}

function msOf(run: Run, family: string): readonly number[] {
  const { origin } = run.store;
  return Array.from(samplesOf(run, family).times, (offset) => Number((origin + BigInt(offset)) / 1_000_000n));
}

function valuesOf(run: Run, family: string): readonly number[] {
  return Array.from(samplesOf(run, family).values);
}
