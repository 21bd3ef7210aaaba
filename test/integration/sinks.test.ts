import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDecided, type Comparison } from "../../src/core/compare/index.js";
import type { Run } from "../../src/core/store/index.js";
import { startDemoServer, type DemoServer } from "../../src/demo/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { ServerClient } from "../../src/collect/index.js";
import { PrometheusApi } from "../../src/sources/index.js";
import { readSamples } from "../../src/sources/prometheus/samples.js";
import { runCli, until } from "../support/cli.js";
import { serve } from "../support/faulty-server.js";
import { samplesOf } from "../support/stored-samples.js";
import {
  missingPrograms,
  startPrometheus,
  startPushgateway,
  startVictoriaMetrics,
  type RunningStore,
} from "../support/stores.js";

const missing = await missingPrograms("prometheus", "promtool", "victoria-metrics", "prometheus-pushgateway");
const absent = (...programs: readonly string[]) => programs.some((program) => missing.includes(program));
const named = (what: string, ...programs: readonly string[]) =>
  absent(...programs) ? `${what} (not installed: ${programs.filter((one) => missing.includes(one)).join(", ")})` : what;

let dir: string;
let demo: DemoServer;
/** JSONL of a capture that no sink had. */
let artifact: string;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-sinks-"));
  demo = await startDemoServer({ port: 0 });
  const captured = await runCli([...capture("plain"), "--label", "before"]);
  expect(captured.code).toBe(0);
  artifact = path.join(dir, "plain/server_metrics_export.jsonl");
});
afterAll(async () => {
  await demo.close();
  await rm(dir, { recursive: true, force: true });
});

const capture = (name: string) => [
  ...["capture", "--url", demo.url, "--interval", "100", "--duration", "2", "--summary", "none"],
  ...["--formats", "jsonl", "--out", path.join(dir, name)],
];

async function runOf(file: string): Promise<Run> {
  const opened = await openArtifact(file, {});
  if (opened.kind !== "samples") throw new Error(`${file} contains no samples`);
  return opened.run;
}

async function fetched(store: RunningStore, match: string, name: string, original: Run): Promise<Run> {
  const start = Number(original.store.origin / 1_000_000n) - 1000;
  const out = path.join(dir, name);
  const result = await runCli([
    ...["fetch", "--prometheus", store.url, "--match", match, "--out", out, "--formats", "jsonl"],
    ...["--start", String(start / 1000), "--end", String(start / 1000 + 60)],
  ]);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return runOf(path.join(out, "server_metrics_export.jsonl"));
}

describe.skipIf(absent("prometheus", "promtool"))(named("a Prometheus", "prometheus", "promtool"), () => {
  let prometheus: RunningStore;
  beforeAll(async () => {
    prometheus = await startPrometheus();
  });
  afterAll(() => prometheus.close());

  it("has every sample of a capture that is written while it runs, to the last bit and the millisecond", async () => {
    const captured = await runCli([
      ...capture("live"),
      ...["--label", "live run", "--remote-write", prometheus.url, "--remote-write-label", "cluster=a100"],
    ]);
    expect(captured, captured.stderr).toMatchObject({ code: 0 });
    expect(captured.stdout).toMatch(new RegExp(`\\d+ samples written to ${prometheus.url}`));
    const original = await runOf(path.join(dir, "live/server_metrics_export.jsonl"));
    const read = await fetched(prometheus, '{label="live run",cluster="a100"}', "live-read", original);
    expect(samplesOf(read)).toEqual(samplesOf(original));
    expect(read.store.endpoints.map(({ url }) => url)).toEqual([demo.url]);
    const names = (await prometheus.api("/label/__name__/values")) as string[];
    expect(names).toContain("vllm:generation_tokens_total");
    const ids = await prometheus.api("/label/run_id/values", { "match[]": '{label="live run"}' });
    expect(ids).toEqual([original.metadata.benchmarkId]);
  });

  it("has runs that compare with their captures and with each other, whatever labels they were written with", async () => {
    const of = (name: string) => path.join(dir, name, "server_metrics_export.jsonl");
    for (const name of ["first", "second"]) {
      const captured = await runCli([
        ...capture(name),
        ...["--label", name, "--remote-write", prometheus.url, "--remote-write-label", `try=${name}`],
      ]);
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      await fetched(prometheus, `{try="${name}"}`, `${name}-read`, await runOf(of(name)));
    }
    const compared = async (a: string, b: string) => {
      const { code, stdout, stderr } = await runCli(["compare", of(a), of(b), "--json"]);
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout) as Comparison;
    };
    const rulesOf = ({ rules }: Comparison) =>
      Object.fromEntries(rules.map(({ label, applied, values }) => [label, [applied, ...values.map(String)]]));
    for (const comparison of [await compared("first", "first-read"), await compared("first-read", "first")]) {
      expect(comparison.unmatched).toEqual([]);
      expect(comparison.rows.length).toBeGreaterThan(50);
      expect(Object.keys(rulesOf(comparison))).toEqual(expect.arrayContaining(["label", "run_id", "try"]));
    }
    // A capture's window begins after its first scrape, that of a fetched run with it.
    const again = ["--url", prometheus.url, "--remote-write-label", "try=again", "--remote-write-label", "run_id=2"];
    expect(await runCli(["remote-write", of("first-read"), ...again])).toMatchObject({ code: 0 });
    await fetched(prometheus, '{try="again"}', "again-read", await runOf(of("first")));
    for (const comparison of [await compared("first-read", "again-read"), await compared("again-read", "first-read")]) {
      expect(comparison.unmatched).toEqual([]);
      expect(comparison.rows.length).toBeGreaterThan(50);
      expect(comparison.rows.filter(isDecided)).toEqual([]);
      // What was not measured has none.
      expect(comparison.rows.filter(({ cells }) => Math.abs(cells[0]?.difference ?? 0) > 0)).toEqual([]);
      expect(comparison.rows.filter(({ cells }) => cells[0]?.verdict === "same").length).toBeGreaterThan(10);
    }
    const two = await compared("first-read", "second-read");
    expect(two.rows.length).toBeGreaterThan(50);
    expect(rulesOf(two)).toMatchObject({ label: ["pair", "first", "second"], try: ["pair", "first", "second"] });
  });

  it("refuses what is older than what it has, which is said with the remedy, and takes it within its window", async () => {
    const write = (url: string, ...more: string[]) =>
      runCli(["remote-write", artifact, "--url", `${url}/api/v1/write`, ...more]);
    const first = await write(prometheus.url);
    expect(first, first.stderr).toMatchObject({ code: 0 });
    const original = await runOf(artifact);
    const read = await fetched(prometheus, '{label="before"}', "saved-read", original);
    expect(samplesOf(read)).toEqual(samplesOf(original));

    const later = path.join(dir, "live/server_metrics_export.jsonl");
    const series = ["--remote-write-label", "run_id=one", "--remote-write-label", "label=one"];
    expect(await runCli(["remote-write", later, "--url", prometheus.url, ...series])).toMatchObject({ code: 0 });
    const refused = await write(prometheus.url, ...series);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/older than what it has.*out_of_order_time_window/s);
    expect(refused.stderr).toMatch(/\d+ samples could not be written to http\S+; the artifacts have them/);

    const open = await startPrometheus({ outOfOrder: "1h" });
    try {
      expect(await runCli(["remote-write", later, "--url", open.url, ...series])).toMatchObject({ code: 0 });
      expect(await write(open.url, ...series)).toMatchObject({ code: 0 });
    } finally {
      await open.close();
    }
  });

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
        ...["capture", "--url", triton.origin, "--interval", "100", "--duration", "1", "--summary", "none"],
        ...["--formats", "jsonl", "openmetrics", "--out", path.join(dir, "triton"), "--label", "triton"],
        ...["--remote-write", prometheus.url],
      ]);
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      expect(await namesOf("triton")).toEqual([...counters].sort());
      const file = path.join(dir, "triton/server_metrics_export.jsonl");
      const original = samplesOf(await runOf(file), "nv_");
      const read = await fetched(prometheus, '{label="triton"}', "triton-read", await runOf(file));
      expect([...original.values()][0]?.size).toBeGreaterThan(3);
      expect(samplesOf(read, "nv_")).toEqual(original);

      // A file has the families' names only: of Triton the catalogue knows what is gone.
      const again = await runCli(["remote-write", file, "--url", prometheus.url, "--remote-write-label", "label=file"]);
      expect(again, again.stderr).toMatchObject({ code: 0 });
      expect(await namesOf("file")).toEqual(["app_jobs_total", "app_requests_total", "nv_inference_request_success"]);

      const text = path.join(dir, "triton/server_metrics_export.openmetrics");
      expect(await readFile(text, "utf8")).toMatch(/^# TYPE app_jobs unknown\napp_jobs\{/m);
      const blocks = path.join(dir, "triton-blocks");
      await promisify(execFile)("promtool", ["tsdb", "create-blocks-from", "openmetrics", text, blocks]);
    } finally {
      await triton.close();
    }
  });

  it("makes blocks of the OpenMetrics export", async () => {
    const out = path.join(dir, "openmetrics");
    const exported = await runCli(["export", artifact, "--formats", "openmetrics", "--out", out]);
    expect(exported, exported.stderr).toMatchObject({ code: 0 });
    const file = exported.stdout.trim();
    const text = await readFile(file, "utf8");
    expect(text).toMatch(/\n# EOF\n$/);
    expect(text).toMatch(/^# TYPE vllm:generation_tokens counter$/m);
    expect(text).toMatch(/^vllm:generation_tokens_total\{.*\} \S+ \d{10}\.\d+$/m);
    const blocks = path.join(dir, "blocks");
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

describe.skipIf(absent("victoria-metrics"))(named("a VictoriaMetrics", "victoria-metrics"), () => {
  it("takes a saved run, which reads back", async () => {
    const victoria = await startVictoriaMetrics();
    try {
      const written = await runCli(["remote-write", artifact, "--url", victoria.url]);
      expect(written, written.stderr).toMatchObject({ code: 0 });
      await fetch(`${victoria.url}/internal/force_flush`);
      const original = await runOf(artifact);
      const run = await fetched(victoria, '{label="before"}', "victoria-read", original);
      expect(run.metadata.inputConfig["source"]).toMatchObject({ samples: "raw", read_from: "/api/v1/export" });
      const read = samplesOf(run);
      const expected = samplesOf(original);
      expect([...read.keys()].sort()).toEqual([...expected.keys()].sort());
      // It keeps 15 digits of a value, and times to the millisecond.
      for (const [name, samples] of expected)
        for (const [ms, values] of samples)
          values.forEach((value, i) => {
            const stored = read.get(name)?.get(ms)?.[i] ?? NaN;
            expect(Math.abs(stored - value), `${name} at ${ms}`).toBeLessThanOrEqual(1e-12 * Math.abs(value));
          });
      // What it exports is what range selectors give.
      const client = new ServerClient({ url: victoria.url, enabled: true });
      try {
        const startMs = Number(original.store.origin / 1_000_000n);
        const range = { startMs, endMs: startMs + Math.ceil(original.newest / 1e6) };
        const ask = async (exports: boolean) => {
          const question = {
            selectors: ['{label="before"}'],
            range,
            expected: 2_000_000,
            ...(exports ? { by: "export" as const } : {}),
          };
          const { series } = await readSamples(new PrometheusApi(client), question);
          return series
            .map(({ labels, times, values }) => [JSON.stringify(Object.entries(labels).sort()), times, values] as const)
            .sort(([a], [b]) => (a < b ? -1 : 1));
        };
        const exported = await ask(true);
        expect(exported.length).toBeGreaterThan(100);
        expect(exported).toEqual(await ask(false));
      } finally {
        client.close();
      }
    } finally {
      await victoria.close();
    }
  });
});

describe.skipIf(absent("prometheus-pushgateway"))(named("a Pushgateway", "prometheus-pushgateway"), () => {
  it("holds the summary of a run under job and run", async () => {
    const gateway = await startPushgateway();
    try {
      const pushed = await runCli(["push", artifact, "--pushgateway", gateway.url]);
      expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
      const captured = await runCli([...capture("pushed"), "--pushgateway", gateway.url]);
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      const [one, two] = [await runOf(artifact), await runOf(path.join(dir, "pushed/server_metrics_export.jsonl"))];
      const page = await (await fetch(`${gateway.url}/metrics`)).text();
      for (const { metadata } of [one, two])
        expect(page).toMatch(
          new RegExp(
            `^run:vllm:generation_tokens:total\\{.*job="server_metrics".*run="${metadata.benchmarkId}".*\\} \\d+$`,
            "m",
          ),
        );
      expect(page).toMatch(/^# TYPE run:vllm:time_to_first_token_seconds:p99_estimate gauge$/m);
      const { stdout } = await runCli(["export", artifact, "--formats", "json", "--out", path.join(dir, "json")]);
      const { metrics } = JSON.parse(await readFile(stdout.trim(), "utf8")) as {
        metrics: Record<string, { series: { stats: { total: number } }[] }>;
      };
      const total = metrics["vllm:generation_tokens"]!.series[0]!.stats.total;
      expect(page).toMatch(
        new RegExp(`^run:vllm:generation_tokens:total\\{.*run="${one.metadata.benchmarkId}".*\\} ${total}$`, "m"),
      );
    } finally {
      await gateway.close();
    }
  });
});

describe("a store that is away", () => {
  it("costs no scrape, and what waits is written once it is back", async () => {
    let down = true;
    const bodies: number[] = [];
    const store = await serve((request, response) => {
      let bytes = 0;
      request.on("data", (chunk: Buffer) => (bytes += chunk.length));
      request.on("end", () => {
        if (!down) bodies.push(bytes);
        response.writeHead(down ? 503 : 204).end();
      });
    });
    try {
      const running = runCli([...capture("away"), "--remote-write", `${store.origin}/api/v1/write`]);
      await until("three refused writes", () => store.requests.length >= 3);
      down = false;
      const captured = await running;
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      expect(captured.stderr).toMatch(/HTTP 503/);
      const run = await runOf(path.join(dir, "away/server_metrics_export.jsonl"));
      const samples = [...run.store.scrapesInOrder()].reduce(
        (sum, { outcome }) => sum + 2 + (outcome.kind === "samples" ? outcome.batch.length : 0),
        0,
      );
      expect(Number(/(\d+) samples written/.exec(captured.stdout)?.[1])).toBe(samples);
      expect(bodies.length).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
  });

  it("is not waited for at addresses that cannot be used", async () => {
    const wrong = await runCli([...capture("wrong"), "--remote-write", "ftp://x"]);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toMatch(/--remote-write: .*http/);
    const label = await runCli([...capture("wrong"), "--remote-write-label", "9=b"]);
    expect(label.stderr).toMatch(/is not a label/);
  });
});
