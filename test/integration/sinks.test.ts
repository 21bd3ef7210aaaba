import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isDecided, type Comparison } from "../../src/core/compare/index.js";
import { runCli } from "../support/cli.js";
import { absent, named, runOf, SinkBench } from "../support/sinks.js";
import { samplesOf } from "../support/stored-samples.js";
import { startPrometheus, type RunningStore } from "../support/stores.js";

const bench = SinkBench.ofFile();
/** JSONL of a capture that no sink had. */
let artifact: string;
beforeAll(async () => {
  artifact = await bench.plain("before");
});

describe.skipIf(absent("prometheus", "promtool"))(named("a Prometheus", "prometheus", "promtool"), () => {
  let prometheus: RunningStore;
  beforeAll(async () => {
    prometheus = await startPrometheus();
  });
  afterAll(() => prometheus.close());

  it("has every sample of a capture that is written while it runs, to the last bit and the millisecond", async () => {
    const captured = await runCli([
      ...bench.capture("live"),
      ...["--label", "live run", "--remote-write", prometheus.url, "--remote-write-label", "cluster=a100"],
    ]);
    expect(captured, captured.stderr).toMatchObject({ code: 0 });
    expect(captured.stdout).toMatch(new RegExp(`\\d+ samples written to ${prometheus.url}`));
    const original = await runOf(bench.fileOf("live"));
    const read = await bench.fetched(prometheus, '{label="live run",cluster="a100"}', "live-read", original);
    expect(samplesOf(read)).toEqual(samplesOf(original));
    expect(read.store.endpoints.map(({ url }) => url)).toEqual([bench.demo.url]);
    const names = (await prometheus.api("/label/__name__/values")) as string[];
    expect(names).toContain("vllm:generation_tokens_total");
    const ids = await prometheus.api("/label/run_id/values", { "match[]": '{label="live run"}' });
    expect(ids).toEqual([original.metadata.benchmarkId]);
  });

  it("has runs that compare with their captures and with each other, whatever labels they were written with", async () => {
    const of = (name: string) => bench.fileOf(name);
    for (const name of ["first", "second"]) {
      const captured = await runCli([
        ...bench.capture(name),
        ...["--label", name, "--remote-write", prometheus.url, "--remote-write-label", `try=${name}`],
      ]);
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      await bench.fetched(prometheus, `{try="${name}"}`, `${name}-read`, await runOf(of(name)));
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
    await bench.fetched(prometheus, '{try="again"}', "again-read", await runOf(of("first")));
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
    const read = await bench.fetched(prometheus, '{label="before"}', "saved-read", original);
    expect(samplesOf(read)).toEqual(samplesOf(original));

    const later = bench.fileOf("live");
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
});
