import { describe, expect, it } from "vitest";
import { ParserNotes } from "../../../src/core/exposition/index.js";
import { complete, runStatistics } from "../../../src/core/stats/index.js";
import { fillFrom, Store, type Run } from "../../../src/core/store/index.js";
import { rolesOf, type Metadata } from "../../../src/stores/prometheus/discover.js";
import type { StoredSamples } from "../../../src/stores/prometheus/samples.js";
import { storedReading, storedRun } from "../../../src/stores/prometheus/stored-run.js";

const START = 1_700_000_000_000;

const seriesOf = (name: string, labels: Record<string, string>, samples: Record<number, number>): StoredSamples => ({
  labels: { __name__: name, instance: "gpu1:8000", job: "vllm", ...labels },
  times: Float64Array.from(Object.keys(samples), (offset) => START + Number(offset)),
  values: Float64Array.from(Object.values(samples)),
});

/** The run that they make. */
function built(series: readonly StoredSamples[], metadata: Metadata = new Map()) {
  const names = new Map(series.map(({ labels }) => [labels["__name__"] ?? "", "le" in labels]));
  const store = new Store();
  fillFrom(store, storedReading(series, rolesOf(names, metadata, new ParserNotes()), "http://store:9090"));
  return storedRun(store, { id: "1", label: undefined, sliceDurationSeconds: 5, source: {}, urls: [], problems: [] });
}

function build(series: readonly StoredSamples[], metadata?: Metadata): Run {
  return built(series, metadata).run;
}

describe("a run of a store", () => {
  const histogram = [
    seriesOf("x_seconds_bucket", { le: "1" }, { 0: 0, 1000: 2 }),
    seriesOf("x_seconds_bucket", { le: "+Inf" }, { 0: 1, 1000: 5 }),
    seriesOf("x_seconds_sum", {}, { 0: 3, 1000: 9.5 }),
    seriesOf("x_seconds_count", {}, { 0: 1, 1000: 5 }),
  ];

  it("puts histograms together and knows types by names where there is no metadata", () => {
    const run = build([
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

  it("knows counters without _total by metadata, else by the catalogue, and counts over a restart", () => {
    const counted = { 0: 5, 1000: 9, 2000: 2, 3000: 4 };
    const run = build(
      [seriesOf("c", {}, counted), seriesOf("vllm:prompt_tokens", {}, counted)],
      new Map([["c", { type: "counter", help: "", unit: "" }]]),
    );
    expect(run.store.families().map(({ name, type }) => `${type} ${name}`)).toEqual([
      "counter c",
      "counter vllm:prompt_tokens",
    ]);
    const { families } = complete(runStatistics(run, { unitOf: () => undefined }));
    for (const { series } of families) expect(series[0]?.stats).toMatchObject({ resets: 1, total: 8 });
  });

  it("takes types and help from metadata, with or without _total in its names", () => {
    const series = [seriesOf("a_total", {}, { 0: 1 }), seriesOf("b_total", {}, { 0: 1 }), seriesOf("c", {}, { 0: 1 })];
    const run = build(
      series,
      new Map([
        ["a_total", { type: "counter", help: "All of A.", unit: "" }],
        ["b", { type: "counter", help: "All of B.", unit: "" }],
        ["c", { type: "gauge", help: "", unit: "seconds" }],
      ]),
    );
    expect(run.store.families()).toEqual([
      { name: "a", type: "counter", description: "All of A.", exposedName: "a_total" },
      { name: "b", type: "counter", description: "All of B.", exposedName: "b_total" },
      { name: "c", type: "gauge", description: "", declaredUnit: "seconds" },
    ]);
  });

  it("shows failed scrapes, holes and missing samples as gaps", () => {
    const run = build([
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

  it("shows a gap where the store marks all samples as missing, and none where it has some", () => {
    const marked = (name: string, samples: Record<number, number>, missing: readonly number[]) => ({
      ...seriesOf(name, {}, samples),
      missing: missing.map((offset) => START + offset),
    });
    const run = build([
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

  it("keeps to each stretch of bounds when a histogram's buckets change", () => {
    const run = build([
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
});

it("a fetched run says that scrapes far apart make estimates wide", () => {
  const run = (stepMs: number) => {
    const times = Float64Array.from({ length: 20 }, (_, i) => START + i * stepMs);
    const samples: StoredSamples = { labels: { __name__: "a", instance: "h:1" }, times, values: times.map(() => 1) };
    return built([samples]).problems.map(({ reason }) => reason);
  };
  expect(run(15_000)).toEqual([expect.stringContaining("15 s apart")]);
  expect(run(333)).toEqual([]);
});
