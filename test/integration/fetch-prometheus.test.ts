import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatLabels, toEpoch, offsetNs, type SeriesKey } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";
import { startDemoServer, type DemoServer } from "../../src/demo/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli, until } from "../support/cli.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";

const missing = await missingPrograms("prometheus");
const INTERVAL_MS = 500;

const what = "a run of a Prometheus that scrapes the demo server";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  let demo: DemoServer;
  let prometheus: RunningStore;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-fetch-"));
    demo = await startDemoServer({ port: 0 });
    prometheus = await startPrometheus({
      scrape: { vllm: [`127.0.0.1:${demo.port}`] },
      intervalMs: INTERVAL_MS,
    });
  });
  afterAll(async () => {
    await prometheus.close();
    await demo.close();
    await rm(dir, { recursive: true, force: true });
  });

  const scrapesSince = async (time: number) => {
    const lookback = Date.now() - time;
    if (lookback < 1) return 0;
    const data = await prometheus.api("/query", { query: `count_over_time(up[${lookback}ms])` });
    return Number((data as { result: { value: [number, string] }[] }).result[0]?.value[1] ?? 0);
  };

  it("gives the totals of a capture of the same window, within its scrape interval", async () => {
    const begun = Date.now();
    await until("Prometheus' first scrapes", async () => (await scrapesSince(begun)) >= 2);
    const captured = await runCli([
      ...["capture", "--url", demo.url, "--interval", "100ms", "--duration", "5"],
      ...["--formats", "jsonl", "--out", path.join(dir, "capture"), "--summary", "none"],
    ]);
    expect(captured.code).toBe(0);
    const capture = await runOf(path.join(dir, "capture/server_metrics_export.jsonl"));
    const first = toEpoch(offsetNs(0), capture.store.origin);
    const last = toEpoch(capture.newest, capture.store.origin);
    await until("a scrape after the capture", async () => (await scrapesSince(Number(last / 1_000_000n))) >= 1);
    const time = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString();
    const selection = ["--prometheus", prometheus.url, "--match", '{job="vllm"}'];
    const range = ["--start", time(first), "--end", time(last)];

    const looked = await runCli(["fetch", ...selection, ...range, "--dry-run"]);
    expect(looked).toMatchObject({ code: 0, stderr: "" });
    expect(looked.stdout).toMatch(/^found: 1 instance, \d+ families, \d+ series, about \d+ samples to expect\n/);
    expect(looked.stdout).toContain(`127.0.0.1:${demo.port}`);

    const out = path.join(dir, "fetched");
    const fetched = await runCli([
      "fetch",
      ...selection,
      ...range,
      "--out",
      out,
      "--formats",
      "json,csv,parquet,jsonl",
    ]);
    expect(fetched.code).toBe(0);
    expect(fetched.stdout.trim().split("\n")).toHaveLength(5);
    const run = await runOf(path.join(out, "server_metrics_export.jsonl"));
    expect(run.metadata.inputConfig).toMatchObject({
      source: { kind: "prometheus", url: prometheus.url, match: ['{job="vllm"}'], samples: "raw" },
    });
    expect(run.store.endpoints.map(({ url }) => url)).toEqual([demo.url]);
    // Types and help come from the store's metadata.
    const familiesOf = (one: Run) =>
      one.store
        .families()
        .map(({ name, type, description }) => `${type} ${name} ${description}`)
        .sort();
    expect(familiesOf(run)).toEqual(familiesOf(capture));

    const counters = [...run.store.seriesKeys()].filter(({ family }) => ["counter", "histogram"].includes(family.type));
    expect(counters.length).toBeGreaterThan(20);
    const counterparts = new Map([...capture.store.seriesKeys()].map((key) => [nameOf(key), key]));
    for (const key of counters) {
      expect(key.labels).toContainEqual(["job", "vllm"]);
      const other = counterparts.get(nameOf(key));
      const [mine, theirs] = [countsOf(run, key), countsOf(capture, other!)];
      const around = (ms: number) => ({
        // Prometheus notes when a scrape began, a capture when its answer came.
        before: theirs.findLast((sample) => sample.ms <= ms)?.value ?? theirs[0]!.value,
        after: theirs.find((sample) => sample.ms >= ms + INTERVAL_MS / 2)?.value ?? Infinity,
      });
      for (const { ms, value } of mine) {
        expect(value, nameOf(key)).toBeGreaterThanOrEqual(around(ms).before);
        expect(value, nameOf(key)).toBeLessThanOrEqual(around(ms).after);
      }
      const total = (samples: typeof mine) => samples.at(-1)!.value - samples[0]!.value;
      const lost = (from: number, to: number) => around(to).after - around(from).before;
      const [start, end] = [theirs[0]!.ms, theirs.at(-1)!.ms];
      expect(total(mine)).toBeLessThanOrEqual(total(theirs));
      expect(total(mine)).toBeGreaterThanOrEqual(
        total(theirs) - lost(start, start + INTERVAL_MS) - lost(end - INTERVAL_MS, end - INTERVAL_MS / 2),
      );
    }
  });

  it("says so when values come in steps, and what is wrong with a question", async () => {
    const out = path.join(dir, "stepped");
    const selection = ["fetch", "--prometheus", prometheus.url, "--match", 'vllm:generation_tokens_total{job="vllm"}'];
    const stepped = await runCli([...selection, "--last", "4s", "--step", "1s", "--out", out, "--formats", "jsonl"]);
    expect(stepped.code).toBe(0);
    expect(stepped.stderr).toMatch(/not raw samples but values every 1 s/);
    const run = await runOf(path.join(out, "server_metrics_export.jsonl"));
    expect(run.metadata.inputConfig["source"]).toMatchObject({ samples: "stepped", step_seconds: 1 });
    expect(await runCli([...selection, "--last", "4s"])).toMatchObject({ code: 2 });
    const wrong = await runCli([
      "fetch",
      "--prometheus",
      prometheus.url,
      "--match",
      "{job=",
      "--last",
      "5m",
      "--dry-run",
    ]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/refuses the query: .*parse/);
    const nothing = await runCli([
      "fetch",
      "--prometheus",
      prometheus.url,
      "--match",
      "absent",
      "--last",
      "5m",
      "--dry-run",
    ]);
    expect(nothing).toMatchObject({ code: 1, stdout: "" });
    expect(nothing.stderr).toMatch(/has no series of absent/);
  });
});

async function runOf(file: string): Promise<Run> {
  const opened = await openArtifact(file, {});
  if (opened.kind !== "samples") throw new Error(`${file} contains no samples`);
  return opened.run;
}

function nameOf({ family, labels }: SeriesKey): string {
  return family.name + formatLabels(labels.filter(([name]) => name !== "job"));
}

/** A counter's values, a histogram's counts, with their times in milliseconds. */
function countsOf({ store }: Run, { id }: SeriesKey) {
  const samples = store.read(id);
  const [times, values] =
    samples.kind === "scalar"
      ? [samples.times, samples.values]
      : [samples.segments[0]!.times, samples.segments[0]!.counts];
  return Array.from(times, (time, i) => ({
    ms: Number(toEpoch(offsetNs(time), store.origin)) / 1e6,
    value: values[i]!,
  }));
}
