import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoServer, type DemoServer } from "../../src/demo/index.js";
import { PrometheusApi } from "../../src/stores/prometheus/api.js";
import { discover, fetchRun } from "../../src/stores/index.js";
import { matchersOf, offersRemoteRead } from "../../src/stores/prometheus/remote-read.js";
import { readSamples } from "../../src/stores/prometheus/samples.js";
import { ServerClient } from "../../src/collect/index.js";
import { until } from "../support/cli.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";

const missing = await missingPrograms("prometheus");
const INTERVAL_MS = 300;
const SELECTORS = ['{job=~"vllm|brief"}'];

const what = "Prometheus' remote read";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  let demo: DemoServer;
  let prometheus: RunningStore;
  let api: PrometheusApi;
  let brief: string;
  const range = { startMs: 0, endMs: 0 };

  const count = async (query: string) => {
    const { result } = (await prometheus.api("/query", { query })) as { result: { value: [number, string] }[] };
    return Number(result[0]?.value[1] ?? 0);
  };

  beforeAll(async () => {
    demo = await startDemoServer({ port: 0 });
    // A target that is scraped a few times and then goes away: Prometheus ends its series with a mark of their end.
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/plain; version=0.0.4");
      response.end("# TYPE brief gauge\nbrief 7\n# TYPE odd gauge\nodd NaN\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    brief = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    prometheus = await startPrometheus({
      scrape: { vllm: [`127.0.0.1:${demo.port}`], brief: [brief] },
      intervalMs: INTERVAL_MS,
    });
    api = new PrometheusApi(new ServerClient({ url: prometheus.url, enabled: true }));
    range.startMs = Date.now();
    await until("scrapes of both targets", async () => (await count("min(count_over_time(up[1m]))")) >= 4);
    server.closeAllConnections();
    server.close();
    await until(
      "the target to be down",
      async () => (await count('min_over_time(up{job="brief"}[1m]) == bool 0')) === 1,
    );
    const downAt = Date.now();
    await until(
      "more scrapes",
      async () => (await count(`count_over_time(up{job="brief"}[${Date.now() - downAt + 1}ms])`)) >= 2,
    );
    range.endMs = Date.now();
  }, 120_000);
  afterAll(async () => {
    await prometheus.close();
    await demo.close();
  });

  it("gives the samples of range selectors, to the last bit, without the marks of a series' end", async () => {
    const question = { selectors: SELECTORS, range, expected: undefined };
    const [ranges, remote] = [
      await readSamples(api, question),
      await readSamples(api, { ...question, by: "remote-read" }),
    ];
    const sorted = ({ series }: typeof ranges) =>
      series
        .map(({ labels, times, values }) => ({
          labels: JSON.stringify(Object.entries(labels).sort()),
          times: [...times],
          values: [...values],
        }))
        .sort((a, b) => (a.labels < b.labels ? -1 : 1));
    expect(remote.series.length).toBeGreaterThan(100);
    expect(sorted(remote)).toEqual(sorted(ranges));
    const of = (name: string) => remote.series.find(({ labels }) => labels["__name__"] === name);
    expect(new Set(of("brief")?.values)).toEqual(new Set([7]));
    // A NaN that the target exposed is a sample; the mark after it is none.
    expect(of("odd")?.values.length).toBe(of("brief")?.values.length);
    expect([...(of("odd")?.values ?? [])].every(Number.isNaN)).toBe(true);
  });

  it("is what a run is read by, with gaps where the target was gone", async () => {
    const found = await discover(api, SELECTORS, range);
    const { run } = await fetchRun(api, found, { selectors: SELECTORS, range, sliceDurationSeconds: 5 });
    expect(run.metadata.inputConfig["source"]).toMatchObject({ samples: "raw", read_from: "/api/v1/read" });
    const axis = run.store.endpoints.find(({ url }) => url.includes(brief));
    const kinds = Array.from({ length: axis?.rows ?? 0 }, (_, row) => axis?.kind(row));
    expect(kinds.filter((kind) => kind === "failed").length).toBeGreaterThan(0);
    expect(kinds.at(-1)).toBe("failed");
    const key = [...run.store.seriesKeys()].find(({ family }) => family.name === "brief");
    const samples = key === undefined ? undefined : run.store.read(key.id);
    expect(samples?.kind).toBe("scalar");
    if (samples?.kind === "scalar")
      expect(samples.values.length).toBe(kinds.filter((kind) => kind !== "failed").length);
  });

  it("tells which scrapes brought nothing, where `up` is not selected", async () => {
    const selectors = ['{job="brief",__name__=~"brief|odd"}'];
    const found = await discover(api, selectors, range);
    const { run } = await fetchRun(api, found, { selectors, range, sliceDurationSeconds: 5 });
    const [axis] = run.store.endpoints;
    const rows = Array.from({ length: axis?.rows ?? 0 }, (_, row) => ({
      ms: Number((run.store.origin + BigInt(axis?.times.at(row) ?? 0)) / 1_000_000n),
      failure: axis?.errors.get(row)?.message,
    }));
    const { result } = (await prometheus.api("/query", {
      query: `up{job="brief"}[${range.endMs - range.startMs + 1}ms]`,
      time: (range.endMs / 1000).toFixed(3),
    })) as { result: { values: [number, string][] }[] };
    const down = result[0]?.values.find(([, up]) => up === "0")?.[0] ?? NaN;
    // Prometheus marks the end of each series at the first scrape that fails.
    expect(rows.find(({ failure }) => failure !== undefined)).toEqual({
      ms: Math.round(down * 1000),
      failure: "the store marks the samples of this scrape as missing",
    });
  });

  it("is left out where selectors are unusual", async () => {
    const offers = (selector: string) => offersRemoteRead(api, { selectors: [selector], range });
    expect(await offers('{job="vllm"}')).toBe(true);
    expect(await offers('rate({job="vllm"})')).toBe(false);
  });

  it("is left out where the store adds labels to it that queries do not show", async () => {
    const yaml = "global:\n  scrape_interval: 15s\n  external_labels:\n    cluster: a\n";
    const labelled = { ask: () => Promise.resolve({ yaml }), remoteRead: api.remoteRead.bind(api) };
    expect(await offersRemoteRead(labelled, { selectors: SELECTORS, range })).toBe(false);
  });
});

describe("selectors as matchers", () => {
  it.each([
    ["up", [[0, "__name__", "up"]]],
    [
      'vllm:x{a="b", c!="d",}',
      [
        [0, "__name__", "vllm:x"],
        [0, "a", "b"],
        [1, "c", "d"],
      ],
    ],
    [
      '{__name__=~"vllm:.*",job!~"a\\\\.b"}',
      [
        [2, "__name__", "vllm:.*"],
        [3, "job", "a\\.b"],
      ],
    ],
    [
      "{a='b',c=`d\\e`}",
      [
        [0, "a", "b"],
        [0, "c", "d\\e"],
      ],
    ],
  ] as const)("%s", (selector, expected) => {
    expect(matchersOf(selector)?.map(({ operator, name, value }) => [operator, name, value])).toEqual(expected);
  });

  it.each(['{"quoted.name"}', '{a="b" or c="d"}', "sum(x)", "{}", "x offset 5m", '{a="\\x41"}'])(
    "%s is not taken",
    (selector) => {
      expect(matchersOf(selector)).toBeUndefined();
    },
  );
});
