import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { ServerClient } from "../../src/collect/index.js";
import { PrometheusApi } from "../../src/stores/index.js";
import { readSamples } from "../../src/stores/prometheus/samples.js";
import { runCli } from "../support/cli.js";
import { absent, named, runOf, SinkBench } from "../support/sinks.js";
import { samplesOf } from "../support/stored-samples.js";
import { startPushgateway, startVictoriaMetrics } from "../support/stores.js";

const bench = SinkBench.ofFile();
/** JSONL of a capture that no sink had. */
let artifact: string;
beforeAll(async () => {
  artifact = await bench.plain("before");
});

describe.skipIf(absent("victoria-metrics"))(named("a VictoriaMetrics", "victoria-metrics"), () => {
  it("takes a saved run, which reads back", async () => {
    const victoria = await startVictoriaMetrics();
    try {
      const written = await runCli(["remote-write", artifact, "--url", victoria.url]);
      expect(written, written.stderr).toMatchObject({ code: 0 });
      await fetch(`${victoria.url}/internal/force_flush`);
      const original = await runOf(artifact);
      const run = await bench.fetched(victoria, '{label="before"}', "victoria-read", original);
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
      const captured = await runCli([...bench.capture("pushed"), "--pushgateway", gateway.url]);
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      const [one, two] = [await runOf(artifact), await runOf(bench.fileOf("pushed"))];
      const page = await (await fetch(`${gateway.url}/metrics`)).text();
      for (const { metadata } of [one, two])
        expect(page).toMatch(
          new RegExp(
            `^run:vllm:generation_tokens:total\\{.*job="server_metrics".*run="${metadata.benchmarkId}".*\\} \\d+$`,
            "m",
          ),
        );
      expect(page).toMatch(/^# TYPE run:vllm:time_to_first_token_seconds:p99_estimate gauge$/m);
      const { stdout } = await runCli(["export", artifact, "--formats", "json", "--out", path.join(bench.dir, "json")]);
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
