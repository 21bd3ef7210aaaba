import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { isMeasured } from "../../src/core/sweep/index.js";
import { exportArtifacts, sweepFolder } from "../../src/files/index.js";
import { ParquetArtifact } from "../../src/files/parquet/artifact.js";
import { runCli } from "../support/cli.js";
import { aiperfRecords, aiperfSummary, guideLlm, serverRun, simulatedRequests } from "../support/client-run.js";

const LOADS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** The server takes this many requests at once: beyond, they wait. */
const CAPACITY = 16;

/** Requests of one load: throughput grows up to the capacity, and only latency beyond. */
function loaded(concurrency: number, slower = 0) {
  const alone = 0.3 + slower;
  const waiting = alone * Math.max(0, concurrency / CAPACITY - 1);
  return simulatedRequests({ count: 80, every: (alone + waiting) / concurrency, slower: slower + waiting });
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-sweep-"));
  for (const [configuration, slower] of [
    ["base", 0],
    ["slow", 0.2],
  ] as const)
    for (const concurrency of LOADS) {
      const directory = join(folder, "aiperf", configuration, `concurrency_${concurrency}`);
      await mkdir(directory, { recursive: true });
      const requests = loaded(concurrency, slower);
      await writeFile(join(directory, "profile_export.jsonl"), aiperfRecords(requests));
      await writeFile(
        join(directory, "profile_export_aiperf.json"),
        JSON.stringify(aiperfSummary(requests, { concurrency })),
      );
    }
  await mkdir(join(folder, "aiperf", "sweep_aggregate"));
  await writeFile(join(folder, "aiperf", "sweep_aggregate", "profile_export_aiperf_sweep.json"), "{}");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Point {
  readonly load: { readonly kind: string; readonly value: number };
  readonly throughput: { readonly value: number; readonly interval?: readonly [number, number] };
  readonly latency: { readonly value: number };
  readonly pareto: boolean;
  readonly path: string;
}

describe("a folder of AIPerf runs", () => {
  it("is throughput against latency, one series for each configuration, with its knee", async () => {
    const { code, stdout } = await runCli(["sweep", join(folder, "aiperf"), "--json"]);
    expect(code).toBe(0);
    const { series, pareto_frontier } = JSON.parse(stdout) as {
      readonly series: readonly {
        readonly configuration: string;
        readonly points: readonly Point[];
        readonly knee: { readonly load: { readonly value: number } } | null;
      }[];
      readonly pareto_frontier: readonly { readonly configuration: string }[];
    };
    expect(series.map(({ configuration }) => configuration)).toEqual(["base", "slow"]);
    for (const { points, knee } of series) {
      expect(points.map(({ load }) => load.value)).toEqual(LOADS);
      expect(knee?.load.value).toBe(CAPACITY);
      for (const { throughput } of points) {
        expect(throughput.interval?.[0]).toBeLessThanOrEqual(throughput.value);
        expect(throughput.interval?.[1]).toBeGreaterThanOrEqual(throughput.value);
      }
    }
    // The slower configuration is beaten at every load.
    expect(new Set(pareto_frontier.map(({ configuration }) => configuration))).toEqual(new Set(["base"]));
  });

  it("is printed as Markdown, and by another latency", async () => {
    const { stdout } = await runCli([
      "sweep",
      join(folder, "aiperf"),
      "--markdown",
      "--latency",
      "ttft",
      "--statistic",
      "p99",
    ]);
    expect(stdout).toContain("Time to first token, p99");
    expect(stdout).toContain("concurrency 16");
    expect(stdout).toContain("Kneedle");
  });
});

describe("other folders of runs", () => {
  it("are measured by the servers where there is no client, with loads from their names", async () => {
    const directory = join(folder, "server");
    for (const concurrency of [1, 4, 16])
      await exportArtifacts(serverRun(loaded(concurrency), 0.02), {
        directory: join(directory, `c${concurrency}`),
        formats: ["json", "jsonl"],
        verify: false,
      });
    const sweep = await sweepFolder(directory);
    expect(sweep.series).toHaveLength(1);
    expect(sweep.series[0]?.points.map(({ load }) => load?.value)).toEqual([1, 4, 16]);
    expect(sweep.series[0]?.points[0]?.run.source).toBe("server");
  });

  it("hold the loads of one GuideLLM file, and repeats as one point with their spread", async () => {
    const directory = join(folder, "guidellm");
    await mkdir(directory);
    await writeFile(join(directory, "benchmarks.json"), JSON.stringify(guideLlm(loaded(4))));
    const one = await sweepFolder(directory);
    expect(one.series[0]?.points[0]).toMatchObject({
      load: { kind: "concurrency", value: 4 },
      run: { source: "client" },
    });
    const trials = join(folder, "trials");
    for (const [i, slower] of [0, 0.01, 0.02].entries()) {
      const trial = join(trials, "profile_runs", `trial_000${i}`, "concurrency_4");
      await mkdir(trial, { recursive: true });
      await writeFile(join(trial, "profile_export.jsonl"), aiperfRecords(loaded(4, slower)));
    }
    const points = (await sweepFolder(trials)).series.flatMap((series) => series.points);
    expect(points).toHaveLength(1);
    expect(points[0]?.paths).toHaveLength(3);
    expect(points[0]?.latency.interval).toBeDefined();
  });

  it("of 50 Parquet runs are read for the few families that are needed, once for any latency and statistic", async () => {
    const directory = join(folder, "parquet");
    const log = join(folder, "log.jsonl");
    await runCli(["demo", "--record", log, "--duration", "120", "--rate", "6"]);
    const first = join(directory, "c1");
    await runCli(["replay", log, "--out", first, "--formats", "parquet"]);
    for (let load = 2; load <= 50; load++) await cp(first, join(directory, `c${load}`), { recursive: true });

    const opened = vi.spyOn(ParquetArtifact.prototype, "loadAll");
    onTestFinished(() => void vi.restoreAllMocks());
    const sweep = await sweepFolder(directory);
    expect(sweep.series[0]?.points).toHaveLength(50);
    const runs = opened.mock.settledResults.flatMap(({ type, value }) => (type === "fulfilled" ? [value] : []));
    const read = runs.map(({ store }) => store.families().map(({ name }) => name));
    expect(read).toHaveLength(50);
    expect(read.flat().filter((name) => !isMeasured(name) && !name.endsWith("_info"))).toEqual([]);

    for (const load of Array.from({ length: 48 }, (_, i) => i + 3))
      await rm(join(directory, `c${load}`), { recursive: true });
    const whole = JSON.parse((await runCli(["show", first, "--json"])).stdout) as {
      readonly metrics: Record<string, { series: { stats: Record<string, number> }[] }>;
    };
    expect(Object.keys(whole.metrics).length).toBeGreaterThan(5 * (read[0]?.length ?? Infinity));
    const stats = whole.metrics["vllm:time_to_first_token_seconds"]?.series[0]?.stats;
    const p99 = await sweepFolder(directory, { latency: "ttft", statistic: "p99" });
    expect(opened).toHaveBeenCalledTimes(50);
    expect(stats?.["p99_estimate"]).toBeGreaterThan(0);
    // The command line is bundled, in which the last digit of a product may come out otherwise.
    expect(p99.series[0]?.points[0]?.latency.value).toBeCloseTo(stats?.["p99_estimate"] ?? NaN, 12);
    expect(p99.series[0]?.points[0]?.throughput).toEqual(sweep.series[0]?.points[0]?.throughput);
  });

  it("that hold no run are refused in words", async () => {
    await mkdir(join(folder, "empty"));
    await expect(sweepFolder(join(folder, "empty"))).rejects.toThrow(/holds no runs/);
    await expect(sweepFolder(join(folder, "nothing"))).rejects.toThrow(/is not a folder/);
  });
});

/** What `vllm bench serve` saves, with what `vllm bench sweep` adds to it (vllm/benchmarks/sweep/serve.py). */
function vllmRun(concurrency: number, seconds: number, added: Readonly<Record<string, unknown>>): object {
  const ms = (value: number) => Object.fromEntries(["mean", "median", "p99"].map((name) => [name, value * 1000]));
  const times = { ttft: ms(0.04 * concurrency), tpot: ms(0.01), itl: ms(0.01), e2el: ms(seconds * 0.1) };
  return {
    date: "20261127-101500",
    endpoint_type: "openai",
    backend: "openai",
    label: null,
    model_id: "Qwen/Qwen3-0.6B",
    tokenizer_id: "Qwen/Qwen3-0.6B",
    num_prompts: 100,
    request_rate: "inf",
    burstiness: 1.0,
    max_concurrency: concurrency,
    duration: seconds,
    completed: 100,
    failed: 0,
    total_input_tokens: 20_000,
    total_output_tokens: 12_000,
    request_throughput: 100 / seconds,
    output_throughput: 12_000 / seconds,
    total_token_throughput: 32_000 / seconds,
    ...Object.fromEntries(
      Object.entries(times).flatMap(([metric, stats]) =>
        Object.entries(stats).map(([name, value]) => [`${name}_${metric}_ms`, value]),
      ),
    ),
    ...added,
  };
}

describe("a folder of vllm bench sweep", () => {
  it("is a series for each server, a point for each load over its repeats, without warm-ups, summaries and failures", async () => {
    const sweep = join(folder, "vllm", "20261127_101500");
    for (const seqs of [32, 64])
      for (const concurrency of [4, 8, 16, 32]) {
        const serve = { max_num_seqs: seqs, max_num_batched_tokens: 1024 };
        const bench = { max_concurrency: concurrency, random_input_len: 200 };
        const name = `SERVE--max_num_seqs=${seqs}-max_num_batched_tokens=1024-BENCH--max_concurrency=${concurrency}-random_input_len=200`;
        const cell = join(sweep, name);
        await mkdir(cell, { recursive: true });
        const runs = [0, 1].map((run_number) =>
          vllmRun(concurrency, (seqs + run_number) / concurrency, { run_number, ...serve, ...bench }),
        );
        const files = {
          "warmup.json": vllmRun(concurrency, 1, { run_number: -1, ...serve, ...bench, num_prompts: 4 }),
          "run=0.json": runs[0],
          "run=1.json": runs[1],
          "run=2.failure.json": {
            run_number: 2,
            error_type: "TimeoutError",
            error: "no answer",
            serve_overrides: serve,
            bench_overrides: bench,
          },
          "summary.json": runs,
        };
        for (const [file, content] of Object.entries(files))
          await writeFile(join(cell, file), JSON.stringify(content, null, 4));
      }
    await writeFile(join(sweep, "summary.csv"), ",date,endpoint_type\n0,20261127-101500,openai\n");
    const { series, skipped } = await sweepFolder(sweep);
    expect(skipped).toEqual([]);
    expect(
      series.map(({ configuration, points }) => [
        configuration,
        points.map(({ load, paths }) => [load?.value, paths.length]),
      ]),
    ).toEqual(
      [32, 64].map((seqs) => [
        `max_num_seqs=${seqs}-max_num_batched_tokens=1024, random_input_len=200`,
        [4, 8, 16, 32].map((concurrency) => [concurrency, 2]),
      ]),
    );
    const [point] = series[0]?.points ?? [];
    expect(point?.throughput.value).toBeCloseTo((12_000 * 4 * (1 / 32 + 1 / 33)) / 2, 6);
  });
});
