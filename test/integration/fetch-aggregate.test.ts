import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/core/store/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli, until } from "../support/cli.js";
import { missingPrograms, startPrometheus, startVictoriaMetrics, type RunningStore } from "../support/stores.js";

const missing = await missingPrograms("prometheus");
const what = "fetch --aggregate";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  const servers: Server[] = [];
  let prometheus: RunningStore;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-aggregate-"));
    // Each server's numbers are constant, so that their totals are known.
    for (const weight of [1, 2, 4]) {
      const server = createServer((_, response) => {
        response.setHeader("content-type", "text/plain; version=0.0.4");
        response.end(
          `# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${weight}\n` +
            `# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc ${weight / 10}\n` +
            `# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total ${100 * weight}\n` +
            '# TYPE vllm:time_to_first_token_seconds histogram\nvllm:time_to_first_token_seconds_bucket{le="0.5"} ' +
            `${weight}\nvllm:time_to_first_token_seconds_bucket{le="+Inf"} ${3 * weight}\n` +
            `vllm:time_to_first_token_seconds_sum ${weight}\nvllm:time_to_first_token_seconds_count ${3 * weight}\n`,
        );
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      servers.push(server);
    }
    prometheus = await startPrometheus({
      scrape: { vllm: servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`) },
      intervalMs: 500,
    });
  });
  afterAll(async () => {
    await prometheus.close();
    for (const server of servers) server.close();
    await rm(dir, { recursive: true, force: true });
  });

  it("reads totals over all instances and buckets by le, and means of shares", async () => {
    const scraped = (least: number) => async () => {
      const data = (await prometheus.api("/query", { query: 'min(count_over_time(up{job="vllm"}[1m]))' })) as {
        result: { value: [number, string] }[];
      };
      return Number(data.result[0]?.value[1] ?? 0) >= least;
    };
    await until("scrapes of all", scraped(2));
    // From here on all are there: what one brings along that joins later does not count.
    const start = new Date().toISOString();
    await until("a few scrapes more", scraped(6));
    const out = path.join(dir, "run");
    const { code, stderr } = await runCli([
      ...["fetch", "--prometheus", prometheus.url, "--match", '{job="vllm",__name__=~"vllm:.*"}'],
      ...["--start", start, "--aggregate", "--out", out, "--formats", "jsonl"],
    ]);
    expect(code, stderr).toBe(0);
    // A value for each scrape: the store scrapes every 500 ms.
    expect(stderr).toContain("totals over 3 instances, made by the store every 0.5 s");
    const opened = await openArtifact(path.join(out, "server_metrics_export.jsonl"));
    if (opened.kind !== "samples") throw new Error("no samples");
    expect(opened.run.store.endpoints).toHaveLength(1);
    expect(lastOf(opened.run, "vllm:num_requests_running")).toEqual([7]);
    expect(lastOf(opened.run, "vllm:generation_tokens")).toEqual([700]);
    expect(lastOf(opened.run, "vllm:kv_cache_usage_perc")[0]).toBeCloseTo(0.7 / 3, 12);
    expect(lastOf(opened.run, "vllm:time_to_first_token_seconds")).toEqual(expect.arrayContaining([7, 21]));
    expect(opened.run.metadata.inputConfig).toMatchObject({ source: { samples: "aggregated", step_seconds: 0.5 } });

    // One of them, sample by sample.
    const [first] = servers;
    const instance = `127.0.0.1:${(first?.address() as AddressInfo).port}`;
    const alone = await runCli([
      ...["fetch", "--prometheus", prometheus.url, "--match", '{job="vllm",__name__=~"vllm:.*"}'],
      ...["--last", "1m", "--instance", instance, "--out", path.join(dir, "one"), "--formats", "jsonl"],
    ]);
    expect(alone.code, alone.stderr).toBe(0);
    const one = await openArtifact(path.join(dir, "one/server_metrics_export.jsonl"));
    if (one.kind !== "samples") throw new Error("no samples");
    expect(one.run.store.endpoints.map(({ url }) => url)).toEqual([`http://${instance}/metrics`]);
    expect(lastOf(one.run, "vllm:num_requests_running")).toEqual([1]);
    expect(one.run.metadata.inputConfig).toMatchObject({ source: { samples: "raw" } });
  });
});

const noVictoria = await missingPrograms("victoria-metrics");
const andVictoria = "fetch --aggregate of VictoriaMetrics";
describe.skipIf(noVictoria.length > 0)(
  noVictoria.length > 0 ? `${andVictoria} (not installed: ${noVictoria.join()})` : andVictoria,
  () => {
    let store: RunningStore;
    let dir: string;
    beforeAll(async () => {
      dir = await mkdtemp(path.join(tmpdir(), "server-metrics-aggregate-"));
      store = await startVictoriaMetrics();
    });
    afterAll(async () => {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    });

    it("counts what instances counted, and nothing for one that was away and came back", async () => {
      const end = Math.floor(Date.now() / 1000) * 1000;
      const lines: string[] = [];
      for (const [i, start] of [1000, 50_000, 7].entries())
        for (let second = -120; second <= 0; second++) {
          // The second one is away for a minute, which no lookback bridges; a single scrape of the third is missed.
          if ((i === 1 && second > -90 && second < -30) || (i === 2 && second === -60)) continue;
          const labels = `{job="vllm",instance="gpu-${i}:8000"}`;
          lines.push(`vllm:generation_tokens_total${labels} ${start + 10 * (second + 120)} ${end + second * 1000}`);
        }
      const { status } = await fetch(`${store.url}/api/v1/import/prometheus`, {
        method: "POST",
        body: `${lines.join("\n")}\n`,
      });
      expect(status).toBeLessThan(300);
      await fetch(`${store.url}/internal/force_flush`);
      const query = { "match[]": '{job="vllm"}', start: String(end / 1000 - 130), end: String(end / 1000) };
      await until("the store has it", async () => ((await store.api("/series", query)) as unknown[]).length === 3);
      const out = path.join(dir, "totals");
      const { code, stderr } = await runCli([
        ...["fetch", "--prometheus", store.url, "--match", '{job="vllm"}', "--aggregate", "--out", out],
        ...["--start", new Date(end - 120_000).toISOString(), "--end", new Date(end).toISOString()],
        ...["--formats", "jsonl"],
      ]);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("totals over 3 instances, made by the store every 1 s");
      expect(stderr).toContain("At 2 steps series restarted, joined or left");
      const opened = await openArtifact(path.join(out, "server_metrics_export.jsonl"));
      if (opened.kind !== "samples") throw new Error("no samples");
      const key = [...opened.run.store.seriesKeys()].find(({ family }) => family.name === "vllm:generation_tokens");
      const samples = key === undefined ? undefined : opened.run.store.read(key.id);
      const values = samples?.kind === "scalar" ? samples.values : new Float64Array(0);
      const counted = (values.at(-1) ?? NaN) - (values[0] ?? NaN);
      // Two of them counted 1,200 each, the other one at most that; what came in the steps of the change is missing.
      expect(counted).toBeLessThanOrEqual(3600);
      expect(counted).toBeGreaterThan(2400 + 2 * 300 - 3 * 30);
    });
  },
);

/** The newest value of each part of the family's one series. */
function lastOf({ store }: Run, family: string): readonly number[] {
  const key = [...store.seriesKeys()].find((one) => one.family.name === family);
  if (key === undefined) throw new Error(`no ${family}`);
  const samples = store.read(key.id);
  if (samples.kind === "scalar") return [samples.values.at(-1) ?? NaN];
  const [segment] = samples.segments;
  const row = (segment?.times.length ?? 0) - 1;
  return [segment?.counts.at(-1) ?? NaN, ...(segment?.buckets.map((column) => column[row] ?? NaN) ?? [])];
}
