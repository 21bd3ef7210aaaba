import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readEarlierCsv } from "../../../../src/core/artifacts/index.js";
import {
  SERVERS,
  familiesOf,
  familyEntry,
  type FamilyEntry,
  familyUnit,
  formatValue,
  shownKeys,
  shownUnit,
  statisticUnit,
} from "../../../../src/core/catalog/index.js";
import { ExpositionParser } from "../../../../src/core/exposition/index.js";
import { makeLabels, type RunStatistics } from "../../../../src/core/model/index.js";
import {
  chartData,
  familySummaries,
  keyTiles,
  statisticsTable,
  runEntries,
  seriesSummaries,
  StoredRun,
  timesliceTable,
  type ChartQuery,
  type Tile,
} from "../../../../src/core/query/index.js";
import { Observed } from "../../../../src/core/insights/observed.js";
import { complete, recordedWindow, runStatistics } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { openArtifact } from "../../../../src/files/open/index.js";
import { writeParquet } from "../../../../src/files/parquet/write.js";
import { RunBuilder, type TestSample } from "../../../support/run-builder.js";

/** The text that a server would expose of a family after `n` seconds. */
function exposed(name: string, { type }: FamilyEntry, n: number): string {
  switch (type) {
    case "counter":
      return `# TYPE ${name}_total counter\n${name}_total ${10 * n}\n`;
    case "histogram":
      return `# TYPE ${name} histogram\n${name}_bucket{le="0.5"} ${n}\n${name}_bucket{le="1"} ${2 * n}\n${name}_bucket{le="+Inf"} ${2 * n}\n${name}_sum ${n}\n${name}_count ${2 * n}\n`;
    case "gauge":
    case "unknown":
      return `# TYPE ${name} gauge\n${name} 0.5\n`;
  }
}

/** Reads expositions as a capture does, a second apart. */
function scraped(bodies: readonly string[]): RunBuilder {
  const builder = new RunBuilder().window(0, bodies.length - 1);
  const parser = new ExpositionParser();
  bodies.forEach((body, second) => {
    const batch = parser.parse(Buffer.from(body), "text");
    const samples = new Map<string, TestSample & { buckets?: Record<string, number> }>();
    for (let i = 0; i < batch.length; i++) {
      const def = batch.defs[batch.ids[i] ?? 0];
      const value = batch.values[i] ?? NaN;
      if (def === undefined) continue;
      const { name, type } = def.family;
      if (def.part.kind === "value") {
        const kind = type === "histogram" ? "unknown" : type;
        samples.set(name + JSON.stringify(def.labels), {
          name,
          type: kind,
          labels: Object.fromEntries(def.labels),
          value,
        });
        continue;
      }
      const before = samples.get(name);
      const known =
        before !== undefined && "buckets" in before ? before : { name, buckets: {} as Record<string, number> };
      samples.set(name, {
        ...known,
        name,
        buckets: def.part.kind === "bucket" ? { ...known.buckets, [def.part.bound]: value } : (known.buckets ?? {}),
        ...(def.part.kind === "sum" ? { sum: value } : def.part.kind === "count" ? { count: value } : {}),
      });
    }
    builder.scrape(second, [...samples.values()]);
  });
  return builder;
}

/** As it is read from its Parquet file. */
async function rebuilt(run: Run): Promise<Run> {
  const folder = await mkdtemp(path.join(tmpdir(), "server-metrics-tiles-"));
  try {
    const file = path.join(folder, "run_server_metrics.parquet");
    const window = recordedWindow(run);
    const exporter = { version: "1.2.3" };
    await writeParquet(file, run, { window, sliceDurationSeconds: 1, exporter, exportTime: window.end, hostname: "" });
    const opened = await openArtifact(file);
    if (opened.kind !== "samples") throw new Error("The file has no samples.");
    return opened.run;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const tilesOf = (bodies: readonly string[]) => keyTiles(scraped(bodies).run);
const tile = (tiles: readonly Tile[], id: string) => tiles.find((one) => one.id === id);

describe("every key metric of every server", () => {
  it.each(SERVERS.map((server) => [server.name, server] as const))(
    "%s fills its tiles from an exposition",
    (_, server) => {
      const families = new Set(
        server.keyMetrics.flatMap(({ family, derived }) => (derived === undefined ? [family] : familiesOf(derived))),
      );
      const bodies = [1, 2, 3, 4, 5].map((n) =>
        [...families].map((name) => exposed(name, familyEntry(name)!, n)).join(""),
      );
      const tiles = tilesOf(bodies);
      expect(tiles.map(({ id }) => id)).toEqual(server.keyMetrics.map(({ id }) => id));
      for (const { id, value, title } of tiles) {
        expect(value, id).not.toBeNaN();
        expect(title, id).not.toMatch(/p99|\|/);
      }
    },
  );
});

const BUSY = "llamacpp:n_busy_slots_per_decode";
const BUSY_CHART: ChartQuery = { family: BUSY, maxPoints: 100, maxSeries: 10 };
/** As older llama.cpp exposes it. */
const busy = (decodes: number, average: number) =>
  `# TYPE llamacpp:n_decode_total counter\nllamacpp:n_decode_total ${decodes}\n` +
  `# TYPE ${BUSY} counter\n${BUSY} ${average}\n`;

describe("metrics that servers average themselves", () => {
  it("are rebuilt for the window from the average and its weight", () => {
    const at = (decodes: number, busy: number) =>
      `# TYPE llamacpp:n_decode_total counter\nllamacpp:n_decode_total ${decodes}\n` +
      `# TYPE llamacpp:n_busy_slots_per_decode gauge\nllamacpp:n_busy_slots_per_decode ${busy}\n`;
    // 1,000 decodes of 1 slot before the run, then 100 of 4.
    const tiles = tilesOf([at(1000, 1), at(1050, (1000 + 200) / 1050), at(1100, (1000 + 400) / 1100)]);
    expect(tile(tiles, "llamacpp.busy-slots")?.value).toBeCloseTo(4, 9);
  });

  it("are no counters, though an older server calls them so", () => {
    // From 4 slots down to 1: the average falls, and nothing restarted.
    const { run } = scraped([busy(1000, 4), busy(1050, 4050 / 1050), busy(1100, 4100 / 1100)]);
    expect(tile(keyTiles(run), "llamacpp.busy-slots")).toMatchObject({ value: expect.closeTo(1, 9) as number });
    expect(tile(keyTiles(run), "llamacpp.busy-slots")?.note).toBeUndefined();

    // Everywhere else it is a gauge, and marked.
    const values = [4, 4050 / 1050, 4100 / 1100];
    expect(familySummaries(run).find(({ name }) => name === BUSY)).toMatchObject({
      type: "gauge",
      unit: "slots",
      computed: expect.stringContaining("since the server started") as string,
    });
    const chart = chartData(run, BUSY_CHART);
    expect(chart).toMatchObject({ unit: "slots", lines: [{ quantity: "value" }] });
    expect([...(chart.lines[0]?.values ?? [])]).toEqual(values);
    const table = complete(statisticsTable(runEntries(run), { family: BUSY }));
    expect(table.type).toBe("gauge");
    expect(table.rows[0]?.note).toContain("since the server started");
    expect(table.rows[0]?.values["min"]).toBe(4100 / 1100);
    const slices = complete(timesliceTable(runEntries(run, undefined, 1), { family: BUSY }, run.store.origin));
    expect(slices.columns.map(({ key }) => key)).toEqual(["avg", "min", "max"]);
    expect(slices.rows[0]?.values["avg"]).toBe(values[0]);
    const findings = new Observed(complete(runStatistics(run, { unitOf: () => undefined })));
    expect(findings.find((name) => name === BUSY)).toEqual([]);
  });

  it("have no values where a file holds only how such a counter rose", async () => {
    const { run } = scraped([busy(1000, 4), busy(1050, 4050 / 1050), busy(1100, 4100 / 1100)]);
    const stored = new StoredRun(complete(runStatistics(run, { unitOf: () => undefined })));
    const [tileOfFile] = keyTiles(stored);
    expect(tileOfFile).toMatchObject({ id: "llamacpp.busy-slots", value: NaN });
    expect(tileOfFile?.note).toContain("holds as a counter");
    expect(chartData(stored, BUSY_CHART)).toMatchObject({
      lines: [],
      empty: { reason: expect.stringContaining("holds as a counter") as string },
    });
    expect(seriesSummaries(stored, BUSY)).toMatchObject([{ last: NaN }]);
    const table = complete(statisticsTable(runEntries(stored), { family: BUSY }));
    expect(table.rows[0]?.note).toContain("holds as a counter");
    expect(table.rows.map(({ values }) => values)).toEqual([{}]);
    expect(complete(timesliceTable(runEntries(stored), { family: BUSY }, stored.origin)).rows).toEqual([]);

    const parquet = await rebuilt(run);
    expect(tile(keyTiles(parquet), "llamacpp.busy-slots")).toMatchObject({
      value: NaN,
      note: expect.stringContaining("holds as a counter") as string,
    });
    expect(chartData(parquet, BUSY_CHART)).toMatchObject({ lines: [], empty: { severity: "info" } });
    expect(complete(timesliceTable(runEntries(parquet), { family: BUSY }, parquet.store.origin)).rows).toEqual([]);
  });

  it("say so where they stand as the server gives them", () => {
    const [hitRate] = tilesOf(["# TYPE sglang:cache_hit_rate gauge\nsglang:cache_hit_rate 0.5\n"]);
    expect(hitRate).toMatchObject({ title: "Prefix cache hit rate, last batch", value: 0.5 });
    expect(hitRate?.note).toContain("not of this window");
  });
});

describe("derived metrics", () => {
  it("tell the busy share of a machine's CPUs and memory", () => {
    const body = (n: number) =>
      `# TYPE node_cpu_seconds_total counter\nnode_cpu_seconds_total{cpu="0",mode="idle"} ${n * 0.6}\n` +
      `node_cpu_seconds_total{cpu="0",mode="iowait"} ${n * 0.1}\nnode_cpu_seconds_total{cpu="0",mode="user"} ${n * 0.3}\n` +
      "# TYPE node_memory_MemAvailable_bytes gauge\nnode_memory_MemAvailable_bytes 25\n# TYPE node_memory_MemTotal_bytes gauge\nnode_memory_MemTotal_bytes 100\n";
    const tiles = tilesOf([body(1), body(2), body(3)]);
    expect(tile(tiles, "node.cpu-busy")?.value).toBeCloseTo(0.3, 9);
    expect(tile(tiles, "node.memory-used")?.value).toBeCloseTo(0.75, 9);
  });
});

describe("names of one metric in one run", () => {
  const gauge = (name: string, value: number): TestSample => ({ name, value });

  it("do not hide endpoints that use another", () => {
    const builder = new RunBuilder().window(0, 2);
    for (let i = 0; i <= 2; i++) {
      builder.scrape(i, [gauge("vllm:gpu_cache_usage_perc", 0.95)]);
      builder.scrape(i + 0.1, [gauge("vllm:kv_cache_usage_perc", 0.2)], "http://b:1/metrics");
    }
    expect(tile(keyTiles(builder.run), "vllm.kv-usage")?.value).toBe(0.95);
    const stored = new StoredRun(complete(runStatistics(builder.run, { unitOf: () => undefined })));
    expect(tile(keyTiles(stored), "vllm.kv-usage")?.value).toBe(0.95);
  });

  it("are not counted twice where an endpoint exposes both", () => {
    const builder = new RunBuilder().window(0, 2);
    for (let i = 0; i <= 2; i++)
      builder.scrape(i, [gauge("llm_d_epp_ready_endpoints", 4), gauge("inference_pool_ready_pods", 4)]);
    expect(tile(keyTiles(builder.run), "epp.ready")?.value).toBe(4);
  });
});

describe("tiles of stored statistics", () => {
  it("know older names of what a ratio is made of", () => {
    const builder = new RunBuilder().window(0, 4);
    for (let i = 0; i <= 4; i++)
      builder.scrape(i, [
        { name: "vllm:gpu_prefix_cache_hits", type: "counter", value: 3 * i },
        { name: "vllm:gpu_prefix_cache_queries", type: "counter", value: 10 * i },
      ]);
    const stored = new StoredRun(complete(runStatistics(builder.run, { unitOf: () => undefined })));
    expect(tile(keyTiles(stored), "vllm.prefix-hit-rate")?.value).toBeCloseTo(0.3, 9);
  });

  it("draw rates and ratios slice by slice, without the stump of a slice that the run's end left", () => {
    const builder = new RunBuilder().window(0, 20.001);
    for (let i = 0; i <= 20; i++) {
      const counted = 100 * i;
      const samples: TestSample[] = [
        { name: "vllm:prompt_tokens", type: "counter", value: counted },
        { name: "vllm:prefix_cache_hits", type: "counter", value: i <= 10 ? 0 : (counted - 1000) / 2 },
        { name: "vllm:prefix_cache_queries", type: "counter", value: counted },
      ];
      builder.scrape(i === 20 ? 20.0005 : i, samples);
    }
    const statistics = complete(runStatistics(builder.run, { unitOf: () => undefined, sliceSeconds: 5 }));
    const slices = statistics.families
      .find(({ name }) => name === "vllm:prompt_tokens")
      ?.series.flatMap((series) => (series.kind === "counter" ? (series.slices ?? []) : []));
    expect(slices?.at(-1)?.is_complete).toBe(false);

    const stored = new StoredRun(statistics);
    const course = (id: string) => [...(tile(keyTiles(stored), id)?.sparkline ?? [])];
    expect(course("vllm.prefill")).toEqual([100, 100, 100, 80]);
    expect(course("vllm.prefix-hit-rate").slice(0, 4)).toEqual([0, 0, 0.5, 0.5]);
    const [line] = chartData(stored, { family: "vllm:prompt_tokens", maxPoints: 100, maxSeries: 1 }).lines;
    expect(Math.max(...(line?.values ?? []))).toBe(100);
  });

  it("draw all series of a histogram, not the first", () => {
    const slice = (mean: number, count: number) => ({
      start_ns: 0n,
      end_ns: 1n,
      count,
      sum: mean * count,
      avg: mean,
      buckets: [
        ["0.1", mean < 0.1 ? count : 0],
        ["1", count],
        ["+Inf", count],
      ] as const,
    });
    const series = (
      [
        ["a", 0.05, 10],
        ["b", 0.95, 90],
      ] as const
    ).map(([engine, mean, count]) => ({
      kind: "histogram" as const,
      endpointUrl: "http://a",
      labels: makeLabels([["engine", engine]]),
      stats: { count, sum: mean * count },
      buckets: slice(mean, count).buckets,
      slices: [slice(mean, count)],
    }));
    const statistics = {
      benchmarkId: "",
      startNs: 0n,
      endNs: 1n,
      endpointsConfigured: [],
      endpointsSuccessful: [],
      endpointInfo: [],
      inputConfig: {},
      families: [{ name: "dynamo_frontend_input_sequence_tokens", type: "histogram", description: "", series }],
    } as unknown as RunStatistics;
    const found = tile(keyTiles(new StoredRun(statistics)), "dynamo-frontend.isl");
    expect(found?.value).toBeCloseTo(0.86, 9);
    expect(found?.sparkline[0]).toBeCloseTo(0.86, 9);
  });
});

describe("units", () => {
  it("stay with rates, microseconds, MiB, dates and shares", () => {
    const unit = (name: string, description = "", declaredUnit = "") => shownUnit({ name, description, declaredUnit });
    const rate = (name: string) => statisticUnit("rate", unit(name));
    expect(formatValue(10_300, rate("vllm:generation_tokens"))).toBe("10.3 k tokens/s");
    expect(formatValue(39.8, rate("nv_inference_queue_duration_us"))).toBe("39.8 µs/s");
    expect(formatValue(40_960, unit("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB)."))).toBe("40 GiB");
    expect(formatValue(1_795_338_806, unit("process_start_time_seconds"))).toBe("2026-11-22 09:13:26 UTC");
    expect(statisticUnit("std", unit("process_start_time_seconds"))).toBe("seconds");
  });

  it("of a percentage by its name alone are told by its values, in a run and in its files", () => {
    const shown = (description: string, ...values: readonly number[]) => {
      const builder = new RunBuilder().window(0, 9);
      for (const [i, value] of values.entries())
        builder.scrape(i, [{ name: "process_cpu_usage_percent", description, value }]);
      const { run } = builder;
      const stored = new StoredRun(complete(runStatistics(run, { unitOf: familyUnit })));
      const units = [...shownKeys(run), ...stored.series.map(({ key }) => key)].map(({ family }) => shownUnit(family));
      expect(units[0]).toBe(units[1]);
      return formatValue(0.53, units[0]);
    };
    expect(shown("", 0, 0.53, 1)).toBe("53 %");
    expect(shown("", 0.53, 12)).toBe("0.53 %");
    expect(shown("Usage (0-100)", 0, 0.53, 1)).toBe("0.53 %");
    expect(shown("Usage (0-1)", 0.53, 12)).toBe("53 %");
    // The earlier layout has the same rule.
    const earlier = (avg: number) =>
      new StoredRun(
        readEarlierCsv(`## Server: http://a\nMetric,avg,min,count\nprocess_cpu_usage_percent,${avg},0,40\n`),
      ).families[0];
    expect([earlier(0.53), earlier(53)].map((family) => family && shownUnit(family))).toEqual(["ratio", "percent"]);
  });

  it("of a percentage follow its values while they come", () => {
    const builder = new RunBuilder().scrape(0, [{ name: "cpu_percent", value: 0.4 }]);
    const unit = () => [...shownKeys(builder.run)].map(({ family }) => shownUnit(family));
    expect(unit()).toEqual(["ratio"]);
    builder.scrape(1, [{ name: "cpu_percent", value: 40 }]);
    expect(unit()).toEqual(["percent"]);
    builder.scrape(2, [{ name: "cpu_percent", value: 0.4 }]);
    expect(unit()).toEqual(["percent"]);
  });

  it("leave no rounding as a constant's deviation", () => {
    const builder = new RunBuilder().window(0, 6);
    for (let i = 0; i <= 6; i++)
      builder.scrape(i, [
        { name: "python_info", value: 1 },
        { name: "vllm:kv_cache_usage_perc", value: 0.1 },
      ]);
    const table = complete(statisticsTable(runEntries(builder.run), { type: "gauge" }));
    // Key metrics come before what describes the process.
    expect(table.rows.map(({ family }) => family)).toEqual(["vllm:kv_cache_usage_perc", "python_info"]);
    expect(table.rows[0]?.values["std"]).toBe(0);
  });
});
