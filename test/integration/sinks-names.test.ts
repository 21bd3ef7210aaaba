import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { serve } from "../support/faulty-server.js";
import { absent, named, runOf, SinkBench } from "../support/sinks.js";
import { samplesOf } from "../support/stored-samples.js";
import { startPrometheus, type RunningStore } from "../support/stores.js";

const bench = SinkBench.ofFile();
/** JSONL of a capture that no sink had. */
let artifact: string;
beforeAll(async () => {
  artifact = await bench.plain("before");
});

describe.skipIf(absent("prometheus", "promtool"))(named("names of what is written", "prometheus", "promtool"), () => {
  let prometheus: RunningStore;
  beforeAll(async () => {
    prometheus = await startPrometheus();
  });
  afterAll(() => prometheus.close());

  it("has counters under the names that their server exposed, _total or not", async () => {
    let scrapes = 0;
    const counters = ["nv_inference_request_success", "app_jobs", "app_requests_total"];
    const triton = await serve((_, response) => {
      scrapes++;
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end(counters.map((name) => `# TYPE ${name} counter\n${name}{model="m"} ${scrapes}\n`).join(""));
    });
    const namesOf = (label: string) =>
      prometheus.api("/label/__name__/values", { "match[]": `{label="${label}",__name__=~"nv_.*|app_.*"}` });
    try {
      const captured = await runCli([
        ...["capture", "--url", triton.origin, "--interval", "100ms", "--duration", "1", "--summary", "none"],
        ...["--formats", "jsonl", "openmetrics", "--out", path.join(bench.dir, "triton"), "--label", "triton"],
        ...["--remote-write", prometheus.url],
      ]);
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      expect(await namesOf("triton")).toEqual([...counters].sort());
      const file = bench.fileOf("triton");
      const original = samplesOf(await runOf(file), "nv_");
      const read = await bench.fetched(prometheus, '{label="triton"}', "triton-read", await runOf(file));
      expect([...original.values()][0]?.size).toBeGreaterThan(3);
      expect(samplesOf(read, "nv_")).toEqual(original);

      // A file has the families' names only: of Triton the catalogue knows what is gone.
      const again = await runCli(["remote-write", file, "--url", prometheus.url, "--remote-write-label", "label=file"]);
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(await namesOf("file")).toEqual(["app_jobs_total", "app_requests_total", "nv_inference_request_success"]);

      const text = path.join(bench.dir, "triton/server_metrics_export.openmetrics");
      expect(await readFile(text, "utf8")).toMatch(/^# TYPE app_jobs unknown\napp_jobs\{/m);
      const blocks = path.join(bench.dir, "triton-blocks");
      await promisify(execFile)("promtool", ["tsdb", "create-blocks-from", "openmetrics", text, blocks]);
    } finally {
      await triton.close();
    }
  });

  it("makes blocks of the OpenMetrics export", async () => {
    const out = path.join(bench.dir, "openmetrics");
    const exported = await runCli(["export", artifact, "--formats", "openmetrics", "--out", out]);
    expect(exported, exported.stderr).toMatchObject({ code: 0 });
    const file = exported.stdout.trim();
    const text = await readFile(file, "utf8");
    expect(text).toMatch(/\n# EOF\n$/);
    expect(text).toMatch(/^# TYPE vllm:generation_tokens counter$/m);
    expect(text).toMatch(/^vllm:generation_tokens_total\{.*\} \S+ \d{10}\.\d+$/m);
    const blocks = path.join(bench.dir, "blocks");
    await promisify(execFile)("promtool", ["tsdb", "create-blocks-from", "openmetrics", file, blocks]);
    // It wants what a database has besides its blocks.
    await mkdir(path.join(blocks, "wal"));
    const { stdout } = await promisify(execFile)("promtool", ["tsdb", "dump", blocks], { maxBuffer: 1 << 28 });
    const dumped = (name: string) =>
      stdout
        .split("\n")
        .filter((line) => line.includes(`__name__="${name}"`))
        .map((line) => [...line.split(" ").slice(-2).map(Number), /le="([^"]*)"/.exec(line)?.[1] ?? ""] as const);
    const original = await runOf(artifact);
    const of = (family: string) => [...[...samplesOf(original, family).values()][0]!];
    for (const [name, family] of [
      ["vllm:generation_tokens_total", "vllm:generation_tokens"],
      ["vllm:num_requests_running", "vllm:num_requests_running"],
    ] as const)
      expect(dumped(name)).toEqual(of(family).map(([ms, [value]]) => [value, ms, ""]));
    // A histogram's rows are its sum, its count and its buckets by bound.
    const family = "vllm:time_to_first_token_seconds";
    const buckets = dumped(`${family}_bucket`);
    const bounds = [...new Set(buckets.map(([, , le]) => le))];
    bounds.sort((a, b) => (a === "+Inf" ? 1 : b === "+Inf" ? -1 : Number(a) - Number(b)));
    const columns = [
      dumped(`${family}_sum`),
      dumped(`${family}_count`),
      ...bounds.map((bound) => buckets.filter(([, , le]) => le === bound)),
    ];
    expect(bounds.length).toBeGreaterThan(10);
    expect(columns[0]?.map(([, ms], i) => [ms, columns.map((rows) => rows[i]?.[0])])).toEqual(of(family));
  });
});
