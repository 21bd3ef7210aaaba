import { describe, expect, it } from "vitest";
import { ServerClient } from "../../../src/collect/index.js";
import { Notes } from "../../../src/core/exposition/index.js";
import { instanceOfUrl, selectorOfInstance, urlOfInstance } from "../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../src/core/stats/index.js";
import { readWhole, Store, type Run } from "../../../src/core/store/index.js";
import { StoreError, type Parameters } from "../../../src/sources/prometheus/api.js";
import { readAggregated } from "../../../src/sources/prometheus/aggregate.js";
import { PrometheusApi } from "../../../src/sources/prometheus/api.js";
import { rolesOf, type Metadata } from "../../../src/sources/prometheus/metadata.js";
import { readSamples, type StoredSamples } from "../../../src/sources/prometheus/samples.js";
import { totalsStep } from "../../../src/sources/prometheus/totals-step.js";
import { storedReading, storedRun } from "../../../src/sources/prometheus/stored-run.js";

const START = 1_700_000_000_000;

/** Answers range selectors as Prometheus 2 (both ends) or 3 (without the start) does, of at most `most` samples. */
function fakeStore(
  samples: readonly (readonly [ms: number, value: string])[],
  { most = Infinity, closed = true } = {},
) {
  const asked: string[] = [];
  const ask = (_path: string, parameters: Parameters): Promise<unknown> => {
    const { query = "", time = "" } = Object.fromEntries(parameters);
    asked.push(query);
    const length = Number(/\[(\d+)ms\]$/.exec(query)?.[1]);
    const end = Math.round(Number(time) * 1000);
    const values = samples.filter(([ms]) => ms <= end && (closed ? ms >= end - length : ms > end - length));
    if (values.length > most) return Promise.reject(new StoreError("too many samples", undefined, "too-much"));
    return Promise.resolve({
      resultType: "matrix",
      result: [
        { metric: { __name__: "a", instance: "h:1" }, values: values.map(([ms, value]) => [ms / 1000, value]) },
        { metric: { __name__: "native" }, histograms: [[1, {}]] },
      ],
    });
  };
  return { ask, asked };
}

const everySecond = Array.from({ length: 1000 }, (_, i) => [START + i * 1000, String(i / 3)] as const);
const range = { startMs: START, endMs: START + 999_000 };

describe("reading samples in chunks", () => {
  it.each([true, false])("gives each sample once, whether ranges hold their start (%s) or not", async (closed) => {
    for (const expected of [100, 5_000_000, undefined]) {
      const { ask, asked } = fakeStore(everySecond, { closed });
      const read = await readSamples({ ask }, { selectors: ["a"], range, expected });
      expect(read.series).toHaveLength(1);
      expect([...read.series[0]!.times]).toEqual(everySecond.map(([ms]) => ms));
      expect([...read.series[0]!.values]).toEqual(everySecond.map((_, i) => i / 3));
      expect(asked.length > 1).toBe(expected !== 100);
      expect([...read.nativeHistograms]).toEqual(["native"]);
    }
  });

  it("halves what is too much for the server, and gives up below a second", async () => {
    const { ask } = fakeStore(everySecond, { most: 40 });
    const read = await readSamples({ ask }, { selectors: ["a", "b"], range, expected: 100 });
    expect([...read.series[0]!.times]).toEqual(everySecond.map(([ms]) => ms));
    const never = fakeStore(everySecond, { most: -1 });
    await expect(readSamples(never, { selectors: ["a"], range, expected: 1 })).rejects.toThrow("too many samples");
  });

  it("tells marks of an export from its samples", async () => {
    const line = { metric: { __name__: "a" }, timestamps: [START, START + 1, START + 2], values: [1, null, 3] };
    const { series } = await readSamples(
      { ...fakeStore([]), lines: () => Promise.resolve([line]) },
      { selectors: ["a"], range, expected: 3, by: "export" },
    );
    expect(series).toMatchObject([{ missing: [START + 1] }]);
    expect([...series[0]!.values]).toEqual([1, 3]);
  });

  it("reads infinities and what is not a number", async () => {
    const { ask } = fakeStore([
      [START, "+Inf"],
      [START + 1, "-Inf"],
      [START + 2, "NaN"],
      [START + 3, "5e-324"],
    ]);
    const { series } = await readSamples({ ask }, { selectors: ["a"], range, expected: 4 });
    expect([...series[0]!.values]).toEqual([Infinity, -Infinity, NaN, 5e-324]);
  });
});

const seriesOf = (name: string, labels: Record<string, string>, samples: Record<number, number>): StoredSamples => ({
  labels: { __name__: name, instance: "gpu1:8000", job: "vllm", ...labels },
  times: Float64Array.from(Object.keys(samples), (offset) => START + Number(offset)),
  values: Float64Array.from(Object.values(samples)),
});

/** The run that a source makes of them in one reading. */
async function built(series: readonly StoredSamples[], metadata: Metadata = new Map()) {
  const names = new Map(series.map(({ labels }) => [labels["__name__"] ?? "", "le" in labels]));
  const readings = [storedReading(series, rolesOf(names, metadata, new Notes()), "http://store:9090")];
  const store = new Store();
  const source = { url: "", read: () => Promise.resolve(readings.pop()), close: () => undefined };
  await readWhole(source, store);
  return storedRun(store, { id: "1", sliceDurationSeconds: 5, source: {}, urls: [], problems: [] });
}

async function build(series: readonly StoredSamples[], metadata?: Metadata): Promise<Run> {
  return (await built(series, metadata)).run;
}

describe("a run of a store", () => {
  const histogram = [
    seriesOf("x_seconds_bucket", { le: "1" }, { 0: 0, 1000: 2 }),
    seriesOf("x_seconds_bucket", { le: "+Inf" }, { 0: 1, 1000: 5 }),
    seriesOf("x_seconds_sum", {}, { 0: 3, 1000: 9.5 }),
    seriesOf("x_seconds_count", {}, { 0: 1, 1000: 5 }),
  ];

  it("puts histograms together and knows types by names where there is no metadata", async () => {
    const run = await build([
      ...histogram,
      seriesOf("requests_total", {}, { 0: 1, 1000: 4 }),
      seriesOf("vllm:num_requests_running", { engine: "0" }, { 0: 1, 1000: 2 }),
      seriesOf("other", {}, { 0: 1 }),
    ]);
    expect(run.store.families().map(({ name, type }) => `${type} ${name}`)).toEqual([
      "histogram x_seconds",
      "counter requests",
      "gauge vllm:num_requests_running",
      "unknown other",
    ]);
    expect(run.store.endpoints.map(({ url }) => url)).toEqual(["http://gpu1:8000/metrics"]);
    const families = complete(runStatistics(run, { unitOf: () => undefined })).families;
    expect(families.find(({ name }) => name === "x_seconds")?.series[0]).toMatchObject({
      labels: [["job", "vllm"]],
      stats: { count: 4, sum: 6.5 },
    });
  });

  it("knows counters without _total by metadata, else by the catalogue, and counts over a restart", async () => {
    const counted = { 0: 5, 1000: 9, 2000: 2, 3000: 4 };
    const run = await build(
      [seriesOf("c", {}, counted), seriesOf("vllm:prompt_tokens", {}, counted)],
      new Map([["c", { type: "counter", help: "", unit: "" }]]),
    );
    expect(run.store.families().map(({ name, type }) => `${type} ${name}`)).toEqual([
      "counter c",
      "counter vllm:prompt_tokens",
    ]);
    const { families } = complete(runStatistics(run, { unitOf: () => undefined }));
    for (const { series } of families) expect(series[0]?.stats).toMatchObject({ resets: 1, increase: 8 });
  });

  it("takes types and help from metadata, with or without _total in its names", async () => {
    const series = [seriesOf("a_total", {}, { 0: 1 }), seriesOf("b_total", {}, { 0: 1 }), seriesOf("c", {}, { 0: 1 })];
    const run = await build(
      series,
      new Map([
        ["a_total", { type: "counter", help: "All of A.", unit: "" }],
        ["b", { type: "counter", help: "All of B.", unit: "" }],
        ["c", { type: "gauge", help: "", unit: "seconds" }],
      ]),
    );
    expect(run.store.families()).toEqual([
      { name: "a", type: "counter", description: "All of A.", served: "a_total" },
      { name: "b", type: "counter", description: "All of B.", served: "b_total" },
      { name: "c", type: "gauge", description: "", declaredUnit: "seconds" },
    ]);
  });

  it("shows failed scrapes, holes and missing samples as gaps", async () => {
    const run = await build([
      seriesOf("g", {}, { 0: 1, 1000: 2, 3000: 3, 20_000: 4, 21_000: 5 }),
      seriesOf("h", {}, { 1000: 2, 21_000: 7 }),
      seriesOf("up", {}, { 0: 1, 1000: 1, 2000: 0, 3000: 1, 20_000: 1, 21_000: 1 }),
      seriesOf("scrape_duration_seconds", {}, { 0: 0.012, 2000: 1 }),
    ]);
    expect(run.store.families().map(({ name }) => name)).toEqual(["g", "h"]);
    const [axis] = run.store.endpoints;
    const rows = Array.from({ length: axis!.rows }, (_, row) => [axis!.times.at(row) / 1e6, axis!.kind(row)]);
    expect(rows).toEqual([
      [0, "update"],
      [1000, "update"],
      [2000, "failed"],
      [3000, "update"],
      [4000, "failed"],
      [20_000, "update"],
      [21_000, "update"],
    ]);
    expect(axis!.errors.get(4)?.message).toMatch(/about 16 scrapes are missing/);
    expect(axis!.latencies.at(0)).toBe(12_000_000);
    const [, h] = [...run.store.seriesKeys()];
    const samples = run.store.read(h!.id);
    expect(samples.kind === "scalar" && [...samples.times]).toEqual([1e9, 21e9]);
  });

  it("shows a gap where the store marks all samples as missing, and none where it has some", async () => {
    const marked = (name: string, samples: Record<number, number>, missing: readonly number[]) => ({
      ...seriesOf(name, {}, samples),
      missing: missing.map((offset) => START + offset),
    });
    const run = await build([
      marked("g", { 0: 1, 1000: 2, 3000: 3, 4000: 4 }, [2000]),
      marked("h", { 0: 1, 3000: 3 }, [1000, 2000]),
    ]);
    const [axis] = run.store.endpoints;
    expect(Array.from({ length: axis!.rows }, (_, row) => axis!.kind(row))).toEqual([
      "update",
      "update",
      "failed",
      "update",
      "update",
    ]);
  });

  it("keeps to each stretch of bounds when a histogram's buckets change", async () => {
    const run = await build([
      seriesOf("x_bucket", { le: "1" }, { 0: 0, 1000: 2 }),
      seriesOf("x_bucket", { le: "2" }, { 2000: 3 }),
      seriesOf("x_bucket", { le: "+Inf" }, { 0: 1, 1000: 5, 2000: 6 }),
      seriesOf("x_count", {}, { 0: 1, 1000: 5, 2000: 6 }),
      seriesOf("x_sum", {}, { 0: 1, 1000: 5, 2000: 6 }),
    ]);
    const [key] = [...run.store.seriesKeys()];
    const samples = run.store.read(key!.id);
    expect(samples.kind === "histogram" && samples.segments.map(({ bounds }) => bounds)).toEqual([
      ["1", "+Inf"],
      ["2", "+Inf"],
    ]);
  });

  it("leads from an endpoint to its instance and back", () => {
    for (const [url, instance] of [
      ["http://gpu1:8000/metrics", "gpu1:8000"],
      ["http://gpu1:8000/prometheus/metrics", "gpu1:8000/prometheus/metrics"],
      ["http://gpu1:8000/v1", "gpu1:8000/v1"],
      ["https://gpu1/metrics", "https://gpu1/metrics"],
      ["http://gpu1:8000/metrics#2", "http://gpu1:8000/metrics#2"],
    ] as const) {
      expect(instanceOfUrl(url)).toBe(instance);
      expect(urlOfInstance(instance)).toBe(url);
    }
  });
});

describe("a selector narrowed to an instance", () => {
  it.each([
    ["up", 'up{instance="h:1"}'],
    ['{job="a"}', '{job="a",instance="h:1"}'],
    ['up{job="a", }', 'up{job="a",instance="h:1"}'],
    ["up{}", 'up{instance="h:1"}'],
  ])("%s", (selector, narrowed) => {
    expect(selectorOfInstance(selector, "h:1")).toBe(narrowed);
  });
});

it("says that scrapes far apart make estimates wide", async () => {
  const run = async (stepMs: number) => {
    const times = Float64Array.from({ length: 20 }, (_, i) => START + i * stepMs);
    const samples: StoredSamples = { labels: { __name__: "a", instance: "h:1" }, times, values: times.map(() => 1) };
    return (await built([samples])).problems.map(({ reason }) => reason);
  };
  expect(await run(15_000)).toEqual([expect.stringContaining("15 s apart")]);
  expect(await run(333)).toEqual([]);
});

it("totals have a value for each scrape, and fewer over long ranges", () => {
  const minute = 60_000;
  expect(totalsStep(2 * minute, 200)).toBe(200);
  expect(totalsStep(5 * minute, 1000)).toBe(1000);
  // Scrapes jitter, and steps are round.
  expect(totalsStep(15 * minute, 15_012)).toBe(15_000);
  expect(totalsStep(15 * minute, 333)).toBe(500);
  expect(totalsStep(1440 * minute, 15_000)).toBe(15_000);
  expect(totalsStep(1440 * minute, 200)).toBe(15_000);
  expect(totalsStep(30 * 1440 * minute, 15_000)).toBe(10 * minute);
  // Never closer than the scrapes, however far those are apart.
  expect(totalsStep(60 * minute, 5 * minute)).toBe(5 * minute);
  expect(totalsStep(minute, 45 * 60 * minute)).toBe(45 * 60 * minute);
});

describe("totals over instances", () => {
  /** Counters of three instances at each second; undefined: not there. */
  const COUNTED = [
    [100, 101, 102, 103, 104, 105],
    [50, 51, undefined, undefined, 54, 55],
    [7, 8, 9, 0, 1, 2],
  ];

  /** Gauges that do not add up: by their names, and by the catalogue. */
  const LEVELS = [
    "load_ratio",
    "wait_seconds",
    "sglang:token_usage",
    "DCGM_FI_DEV_SM_CLOCK",
    "process_start_time_seconds",
  ];

  /** Answers `sum` and `avg` of them, in steps of a second. */
  class Totals extends PrometheusApi {
    readonly asked: string[] = [];

    constructor() {
      super(new ServerClient({ url: "http://store:9090", enabled: true }));
    }

    override ask(_path: string, parameters: Parameters): Promise<unknown> {
      const { query = "" } = Object.fromEntries(parameters);
      this.asked.push(query);
      const total = (counts: readonly number[]) => {
        const sum = counts.reduce((a, b) => a + b, 0);
        return query.startsWith("sum") ? sum : sum / counts.length;
      };
      const values = (of: (count: number) => number) =>
        [0, 1, 2, 3, 4, 5].map((second) => {
          const there = COUNTED.flatMap((counts) => counts[second] ?? []);
          return [START / 1000 + second, String(total(there.map(of)))];
        });
      return Promise.resolve({
        resultType: "matrix",
        result: [
          { metric: { __name__: "requests_total" }, values: values((count) => count) },
          { metric: { __name__: "tokens_count" }, values: values((count) => count * 10) },
          // Nothing was that short until the second instance came back.
          {
            metric: { __name__: "tokens_bucket", le: "1" },
            values: values((count) => (count === 54 || count === 55 ? 5 : 0)),
          },
          ...LEVELS.map((name) => ({ metric: { __name__: name }, values: values(() => 0.5) })),
          { metric: { __name__: "queue_depth" }, values: values(() => 0.5) },
        ],
      });
    }
  }

  it("count nothing twice where an instance is missed, comes back or restarts", async () => {
    const metadata: Metadata = new Map([
      ["requests_total", { type: "counter", help: "", unit: "" }],
      ["tokens", { type: "histogram", help: "", unit: "" }],
    ]);
    const names = new Map(
      ["requests_total", "tokens_count", "queue_depth", ...LEVELS].map((name) => [name, false] as const),
    );
    const roles = rolesOf(new Map([...names, ["tokens_bucket", true]]), metadata, new Notes());
    const api = new Totals();
    const range = { startMs: START, endMs: START + 5000 };
    const question = { selectors: ['{job="a"}'], range, stepMs: 1000, scrapeMs: 1000 };
    const { series, breaks } = await readAggregated(api, question, roles, {});
    const of = (name: string) => [...(series.find(({ labels }) => labels["__name__"] === name)?.values ?? [])];
    // One instance leaves at 2 s, another restarts at 3 s, and the first comes back at 4 s.
    expect(of("requests_total")).toEqual([157, 160, 160, 160, 160, 163]);
    expect(of("tokens_count")).toEqual([1570, 1600, 1600, 1600, 1600, 1630]);
    expect(of("tokens_bucket")).toEqual([0, 0, 0, 0, 0, 0]);
    for (const name of LEVELS) expect(of(name), name).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    expect(of("queue_depth")).toEqual([1.5, 1.5, 1, 1, 1.5, 1.5]);
    expect(breaks).toBe(3);
    // A scrape or two that failed are looked past.
    expect(api.asked[0]).toBe('sum by (__name__, le, quantile) (last_over_time({job="a"}[4000ms]))');
  });
});
