import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Run } from "../../src/core/store/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli, until } from "../support/cli.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";

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
    await until("a few scrapes of all", async () => {
      const data = (await prometheus.api("/query", { query: 'min(count_over_time(up{job="vllm"}[1m]))' })) as {
        result: { value: [number, string] }[];
      };
      return Number(data.result[0]?.value[1] ?? 0) >= 4;
    });
    const out = path.join(dir, "run");
    const { code, stderr } = await runCli([
      ...["fetch", "--prometheus", prometheus.url, "--match", '{job="vllm",__name__=~"vllm:.*"}'],
      ...["--last", "1m", "--aggregate", "--step", "1s", "--out", out, "--formats", "jsonl"],
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("totals over 3 instances");
    const opened = await openArtifact(path.join(out, "server_metrics_export.jsonl"));
    if (opened.kind !== "samples") throw new Error("no samples");
    expect(opened.run.store.endpoints).toHaveLength(1);
    expect(lastOf(opened.run, "vllm:num_requests_running")).toEqual([7]);
    expect(lastOf(opened.run, "vllm:generation_tokens")).toEqual([700]);
    expect(lastOf(opened.run, "vllm:kv_cache_usage_perc")[0]).toBeCloseTo(0.7 / 3, 12);
    expect(lastOf(opened.run, "vllm:time_to_first_token_seconds")).toEqual(expect.arrayContaining([7, 21]));
    expect(opened.run.metadata.inputConfig).toMatchObject({ source: { samples: "aggregated", step_seconds: 1 } });

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
