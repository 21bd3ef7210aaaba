import {
  PERCENTILES,
  makeLabels,
  offsetNs,
  secondsToNs,
  type Labels,
  type MetricType,
  type SeriesId,
} from "../../../src/core/model/index.js";
import { configurationTree } from "../../../src/core/query/configuration.js";
import type {
  ChartData,
  Dashboard,
  InstanceCourse,
  InstanceTable,
  ChartLine,
  ChartQuery,
  FamilySummary,
  LabelCount,
  MomentTable,
  Problem,
  RankingData,
  RankingQuery,
  RunHeader,
  RunState,
  SeriesSummary,
  SharesData,
  SharesQuery,
  StatisticsTable,
  Tile,
  TimesliceTable,
  VectorData,
} from "../../../src/protocol/index.js";

/*
 * A made-up run for looking at the view: two vLLM workers and an unreachable one, sixty families, a warm-up, marks,
 * a stretch of failed scrapes, and one family with two hundred series. Values are smooth functions of time.
 */

const A = "http://10.0.0.11:8000/metrics";
const B = "http://10.0.0.12:8000/metrics";
const C = "http://10.0.0.13:8081/metrics";
const WARMUP = 30;
const SLICE = 5;
const GAP = [96, 104] as const;

interface Source extends FamilySummary {
  readonly labelSets: readonly Labels[];
  readonly level: number;
}

const MODEL = "meta-llama/Llama-3.1-70B-Instruct";
const base = (extra: readonly (readonly [string, string])[] = []) =>
  makeLabels([["engine", "0"], ["model_name", MODEL], ...extra]);

function family(name: string, type: MetricType, group: string, level: number, more: Partial<Source> = {}): Source {
  const words = name
    .replace(/^vllm:/, "VLLM | ")
    .replace(/_/g, " ")
    .replace(/\b[a-z]/g, (c) => c.toUpperCase());
  return {
    name,
    displayName: words.replace(/\b(Kv|Gpu|Http|Cpu)\b/g, (w) => w.toUpperCase()),
    type,
    description: `Synthetic ${words.toLowerCase()}.`,
    group,
    seriesCount: (more.labelSets?.length ?? 1) * 2,
    isInfo: false,
    isKey: false,
    direction: "neutral",
    server: "vLLM",
    labelSets: [base()],
    level,
    ...more,
  };
}

const REASONS = ["stop", "length", "abort", "error"].map((reason) => base([["finished_reason", reason]]));
const POSITIONS = Array.from({ length: 8 }, (_, i) => base([["position", String(i)]]));
const MANY = Array.from({ length: 100 }, (_, i) =>
  makeLabels([
    ["handler", `/v1/route/${i}`],
    ["method", i % 2 ? "GET" : "POST"],
  ]),
);

export const FAMILIES: readonly Source[] = [
  family("vllm:num_requests_running", "gauge", "Queue and batch", 96, { unit: "requests", isKey: true }),
  family("vllm:num_requests_waiting", "gauge", "Queue and batch", 14, {
    unit: "requests",
    isKey: true,
    direction: "down",
  }),
  family("vllm:kv_cache_usage_perc", "gauge", "KV cache", 0.82, { unit: "ratio", isKey: true }),
  family("vllm:time_to_first_token_seconds", "histogram", "Latency", 0.18, {
    unit: "seconds",
    isKey: true,
    direction: "down",
  }),
  family("vllm:inter_token_latency_seconds", "histogram", "Latency", 0.021, {
    unit: "seconds",
    isKey: true,
    direction: "down",
  }),
  family("vllm:generation_tokens", "counter", "Throughput", 4200, { unit: "tokens", isKey: true, direction: "up" }),
  family("vllm:request_success", "counter", "Throughput", 9, {
    unit: "requests",
    isKey: true,
    direction: "up",
    labelSets: REASONS,
    seriesCount: 8,
  }),
  family("vllm:num_preemptions", "counter", "KV cache", 0.2, { isKey: true, direction: "down" }),
  family("http_requests", "counter", "HTTP server", 3, {
    unit: "requests",
    labelSets: MANY,
    seriesCount: 200,
    server: "",
  }),
  family("vllm:spec_decode_num_drafts", "counter", "Speculative decoding", 0, { labelSets: [], seriesCount: 0 }),
  ...Array.from({ length: 50 }, (_, i) =>
    family(
      `process_metric_${i}_${["bytes", "seconds", "ratio"][i % 3]}`,
      (["gauge", "counter", "gauge", "unknown"] as const)[i % 4] ?? "gauge",
      "Process and system",
      10 ** (i % 7),
      {
        unit: ["bytes", "seconds", "ratio"][i % 3] ?? "count",
        labelSets: Array.from({ length: i === 4 ? 2500 : 1 }, (_x, n) =>
          makeLabels(
            i === 4
              ? [
                  ["device", `cuda:${n}`],
                  ["numa", String(n % 8)],
                ]
              : [],
          ),
        ),
        seriesCount: i === 4 ? 5000 : 2,
      },
    ),
  ),
  family("vllm:spec_decode_num_accepted_tokens_per_pos", "counter", "Speculative decoding", 300, {
    unit: "tokens",
    labelSets: POSITIONS,
    seriesCount: 16,
  }),
];

function seriesOf(source: Source): SeriesSummary[] {
  const offset = FAMILIES.indexOf(source) * 10_000;
  return [A, B].flatMap((endpointUrl, e) =>
    source.labelSets.map((labels, i) => ({
      id: (offset + e * 5000 + i) as SeriesId,
      endpointUrl,
      labels,
      last: valueAt(source, offset + e * 5000 + i, 120),
    })),
  );
}

/** Load that rises and falls, a little noise that is the same at every call. */
function valueAt(source: Source, series: number, t: number): number {
  const noise = Math.sin(t * 7.3 + series * 1.7) * 0.5 + Math.sin(t * 2.9 + series) * 0.5;
  const load = 0.55 + 0.4 * Math.sin((t - 10) / 38 + (series % 5000) * 0.35) + (series % 10_000 >= 5000 ? -0.12 : 0);
  const value = source.level * Math.max(0, load + noise * 0.06);
  if (source.name === "vllm:num_requests_waiting") return Math.max(0, Math.round(value - source.level * 0.5) * 3);
  if (source.name === "vllm:num_requests_running") return Math.round(value);
  return source.unit === "ratio" ? Math.min(1, value % 1 === 0 ? value : value > 1 ? value % 1 : value) : value;
}

export interface SyntheticRun {
  readonly state: RunState;
  sliceSeconds: number;
  /** Seconds; absent: as recorded. */
  warmup?: number;
  window: RunHeader["window"];
  /** Seconds since the start of the capture. */
  now(): number;
}

const SUMMARY_NOTE: Problem = {
  severity: "info",
  reason:
    "The summary http_request_size_bytes is left out: quantiles computed by the server hold for no chosen window and cannot be merged.",
};

const FILE: NonNullable<RunHeader["file"]> = {
  path: "/data/sweep/server_metrics_export.json",
  format: "json",
  bytes: 48_318_222,
  siblings: [
    { path: "/data/sweep/server_metrics_export.parquet", format: "parquet" },
    { path: "/data/sweep/server_metrics_export.jsonl", format: "jsonl" },
    { path: "/data/sweep/server_metrics_export.csv", format: "csv" },
  ],
};

export function header(run: SyntheticRun): RunHeader {
  const now = run.now();
  const done = run.state === "opened";
  return {
    state: run.state,
    phase: now < WARMUP ? "warmup" : "profiling",
    label: "llama-70b concurrency sweep",
    benchmarkId: "0b8f2c1e-5d7a-4c32-9a51-3f8f6f0c2d11",
    originMs: Date.UTC(2025, 10, 21, 13, 4, 11, 250),
    originNs: "1763730251250000000",
    now: secondsToNs(now) as unknown as RunHeader["now"],
    profilingStart: offsetNs(secondsToNs(run.warmup ?? WARMUP)),
    ...(run.warmup === undefined ? {} : { recordedProfilingStart: offsetNs(secondsToNs(WARMUP)) }),
    ...(done ? { profilingEnd: offsetNs(secondsToNs(now - 4)) } : {}),
    elapsedSeconds: now,
    sliceDurationSeconds: run.sliceSeconds,
    ...(run.window === undefined ? {} : { window: run.window }),
    adjustable: done,
    exportable: run.state === "opened" || run.state === "capturing" ? ["json", "csv", "jsonl", "parquet"] : [],
    ...(done ? { file: FILE } : {}),
    scrapes: Math.floor(now * 6),
    gaps: 48,
    endpoints: [
      {
        url: A,
        displayName: "10.0.0.11:8000",
        label: "prefill",
        state: "up",
        latencyMs: 4.2,
        scrapes: Math.floor(now * 3),
        failures: 0,
        missedTicks: 0,
        servers: ["vLLM"],
        families: 60,
        series: 2712,
        problems: [SUMMARY_NOTE],
      },
      {
        url: B,
        displayName: "10.0.0.12:8000",
        label: "decode",
        state: "up",
        latencyMs: 11.8,
        scrapes: Math.floor(now * 3),
        failures: 24,
        missedTicks: 2,
        servers: ["vLLM"],
        families: 60,
        series: 2712,
        problems: [SUMMARY_NOTE, { severity: "info", reason: "Most of its memory is its own KV cache." }],
      },
      {
        url: C,
        displayName: "10.0.0.13:8081",
        state: "failing",
        scrapes: 0,
        failures: 24,
        missedTicks: 0,
        servers: [],
        families: 0,
        series: 0,
        problems: [
          {
            severity: "warning",
            reason: "Connection refused by 10.0.0.13:8081.",
            remedy: "Start the server there, or set the endpoint's enabled to false. It joins as soon as it answers.",
          },
        ],
      },
    ],
    facts: [A, B].flatMap((endpointUrl) => [
      { name: "model", value: MODEL, endpointUrl },
      { name: "block_size", value: "16", endpointUrl },
      { name: "cache_dtype", value: "fp8_e4m3", endpointUrl },
      { name: "gpu_memory_utilization", value: "0.92", endpointUrl },
      { name: "num_gpu_blocks", value: endpointUrl === A ? "31,482" : "29,880", endpointUrl },
      { name: "max_num_batched_tokens", value: "8,192", endpointUrl },
    ]),
    marks: [
      { time: offsetNs(secondsToNs(62)), label: "concurrency 64" },
      { time: offsetNs(secondsToNs(110)), label: "concurrency 128" },
    ],
    problems: [SUMMARY_NOTE],
  };
}

export function tiles(run: SyntheticRun): Tile[] {
  const end = run.now();
  const now = (current: number) => (run.state === "capturing" ? { current } : {});
  const tile = (name: string, title: string, statistic: string, scale: number, more: Partial<Tile> = {}): Tile => {
    const source = FAMILIES.find((one) => one.name === name);
    if (source === undefined) throw new Error(`no family ${name}`);
    const sparkline = Float64Array.from(
      { length: 60 },
      (_, i) => valueAt(source, 0, Math.max(0, end - 60 + i)) * scale,
    );
    return {
      id: name,
      server: "vLLM",
      title,
      family: name,
      statistic,
      ...(source.unit === undefined ? {} : { unit: source.unit }),
      value: (sparkline[59] ?? NaN) * 1.1,
      ...now(sparkline[59] ?? NaN),
      direction: source.direction,
      watch: "none",
      sparkline,
      ...more,
    };
  };
  return [
    tile("vllm:num_requests_running", "Requests Running", "avg", 1),
    tile("vllm:num_requests_waiting", "Requests Waiting", "max", 1, {
      value: 27,
      ...now(24),
      watch: "warning",
      watchReason: "above 0 and growing: saturation",
    }),
    tile("vllm:kv_cache_usage_perc", "KV Cache Usage", "max", 1, {
      value: 0.964,
      ...now(0.951),
      watch: "critical",
      watchReason: "above 0.9: capacity limit",
    }),
    tile("vllm:time_to_first_token_seconds", "Time to First Token", "p99_estimate", 1, {
      value: 10,
      atLeast: true,
      note: "Beyond the last bucket.",
    }),
    tile("vllm:inter_token_latency_seconds", "Inter-Token Latency", "p99_estimate", 1),
    tile("vllm:generation_tokens", "Generation Tokens", "rate", 1, { unit: "tokens/s" }),
    tile("vllm:request_success", "Requests Succeeded", "rate", 1, { unit: "requests/s" }),
    tile("vllm:num_preemptions", "Preemptions", "total", 0, { value: 0 }),
    tile("vllm:spec_decode_num_drafts", "Draft Acceptance", "rate", 0, {
      value: NaN,
      note: "No drafts: speculative decoding is off.",
      sparkline: new Float64Array(0),
    }),
  ];
}

export function labels(): readonly LabelCount[] {
  return FAMILIES.flatMap((source) => {
    const counts = new Map<string, LabelCount>();
    for (const { labels: pairs } of seriesOf(source)) {
      for (const [label, value] of pairs) {
        const key = JSON.stringify([label, value]);
        counts.set(key, { family: source.name, label, value, seriesCount: (counts.get(key)?.seriesCount ?? 0) + 1 });
      }
    }
    return [...counts.values()];
  });
}

export function series(name: string): SeriesSummary[] {
  const source = FAMILIES.find((one) => one.name === name);
  return source === undefined ? [] : seriesOf(source);
}

/** Bounds of a histogram's buckets; beyond the last nothing is known. */
const BOUNDS = [0, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.35];

function bucketOf(value: number): readonly [lower: number, upper: number] {
  if (Number.isNaN(value)) return [NaN, NaN];
  const above = BOUNDS.findIndex((bound) => value <= bound);
  return above === -1
    ? [BOUNDS[BOUNDS.length - 1] ?? 0, Infinity]
    : [BOUNDS[Math.max(0, above - 1)] ?? 0, BOUNDS[above] ?? Infinity];
}

const SPREAD = { p50: 0.6, p90: 1.3, p99: 2.4, avg: 0.8 } as const;

export function chart(run: SyntheticRun, query: ChartQuery): ChartData {
  const source = FAMILIES.find((one) => one.name === query.family);
  const all = source === undefined ? [] : seriesOf(source);
  if (source === undefined || all.length === 0) {
    return {
      family: query.family,
      lines: [],
      seriesTotal: 0,
      empty: {
        severity: "info",
        reason: `No endpoint has reported ${query.family} so far.`,
        remedy: "It appears here as soon as one does.",
      },
    };
  }
  const chosen =
    query.series === undefined ? all.slice(0, query.maxSeries) : all.filter((one) => query.series?.includes(one.id));
  const end = Math.min(run.now(), (query.to ?? Infinity) / 1e9 + 1);
  const start = Math.max(0, (query.from ?? 0) / 1e9 - 1);
  const step = source.type === "histogram" ? SLICE : Math.max(1 / 3, (end - start) / query.maxPoints);
  const times: number[] = [];
  for (let t = Math.ceil(start / step) * step; t < end; t += step) times.push(t);
  if (source.type === "histogram") times.push(end);
  const line = (one: SeriesSummary, quantity: ChartLine["quantity"], scale: number): ChartLine => {
    const values = Float64Array.from(times, (t) =>
      one.endpointUrl === B && t > GAP[0] && t < GAP[1] ? NaN : valueAt(source, one.id % 10_000, t) * scale,
    );
    const bounds =
      source.type === "histogram" && quantity !== "avg"
        ? {
            bounds: {
              lower: values.map((value) => bucketOf(value)[0]),
              upper: values.map((value) => bucketOf(value)[1]),
            },
          }
        : {};
    return { ...shared(one, quantity, values), ...bounds };
  };
  const shared = (one: SeriesSummary, quantity: ChartLine["quantity"], values: Float64Array): ChartLine => ({
    series: one.id,
    endpointUrl: one.endpointUrl,
    labels: one.labels,
    quantity,
    times: Float64Array.from(times, (t) => t * 1e9),
    values,
    ...(source.type === "histogram" && run.state === "capturing"
      ? { incompleteFrom: offsetNs((times[times.length - 2] ?? 0) * 1e9) }
      : {}),
  });
  const unit = source.type === "counter" ? (source.unit === undefined ? "/s" : `${source.unit}/s`) : source.unit;
  return {
    family: query.family,
    ...(unit === undefined ? {} : { unit }),
    lines: chosen.flatMap((one) =>
      source.type === "histogram"
        ? (["p50", "p90", "p99", "avg"] as const).map((q) => line(one, q, SPREAD[q]))
        : [line(one, source.type === "counter" ? "rate" : "value", 1)],
    ),
    seriesTotal: all.length,
  };
}

const KEYS: { readonly [T in MetricType]: readonly string[] } = {
  gauge: ["avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "gaps"],
  unknown: ["avg", "min", "max", "std", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "gaps"],
  counter: ["total", "rate", "rate_avg", "rate_min", "rate_max", "rate_std", "resets"],
  histogram: ["count", "count_rate", "sum", "sum_rate", "avg", ...PERCENTILES.map((p) => `p${p}_estimate`), "resets"],
};
const SLICE_KEYS: { readonly [T in MetricType]: readonly string[] } = {
  gauge: ["avg", "min", "max"],
  unknown: ["avg", "min", "max"],
  counter: ["total", "rate"],
  histogram: ["count", "sum", "avg", "p50", "p90", "p99"],
};
const column = (key: string) => ({ key, title: key.replace(/_estimate$/, "").replace(/_/g, " ") });

export function statistics(which: { readonly family: string } | { readonly type: MetricType }): StatisticsTable {
  const sources = FAMILIES.filter((one) => ("family" in which ? one.name === which.family : one.type === which.type));
  const type = sources[0]?.type ?? "unknown";
  const keys = KEYS[type];
  const rows = sources.flatMap((source) => seriesOf(source).map((one) => ({ source, one })));
  const values = Float64Array.from(
    rows.flatMap(({ source, one }) =>
      keys.map((key, k) => (key === "gaps" || key === "resets" ? NaN : valueAt(source, one.id % 10_000, k * 9 + 20))),
    ),
  );
  const bound = (which: 0 | 1) =>
    values.map((value, i) => (keys[i % keys.length]?.endsWith("_estimate") === true ? bucketOf(value)[which] : NaN));
  return {
    type,
    columns: keys.map(column),
    ...(type === "histogram"
      ? {
          estimates: {
            lower: bound(0),
            upper: bound(1),
            low: values.map((value, i) =>
              Number.isNaN(bound(0)[i] ?? NaN) ? NaN : Math.max(bound(0)[i] ?? NaN, 0.95 * value),
            ),
            high: values.map((value, i) =>
              Number.isNaN(bound(0)[i] ?? NaN) ? NaN : Math.min(bound(1)[i] ?? NaN, 1.05 * value),
            ),
            linear: bound(0).map((lower, i) => lower + 0.4 * (Math.min(0.35, bound(1)[i] ?? NaN) - lower)),
          },
        }
      : {}),
    rows: rows.map(({ source, one }, i) => ({
      series: one.id,
      family: source.name,
      endpointUrl: one.endpointUrl,
      labels: one.labels,
      ...(i === 3 ? { note: "restarted once: increase across restarts" } : {}),
    })),
    values,
  };
}

export function timeslices(run: SyntheticRun, name: string): TimesliceTable {
  const source = FAMILIES.find((one) => one.name === name);
  const type = source?.type ?? "unknown";
  const keys = SLICE_KEYS[type];
  const end = run.now();
  const rows: TimesliceTable["rows"][number][] = [];
  const values: number[] = [];
  for (const one of source === undefined ? [] : seriesOf(source)) {
    for (let t = WARMUP; t < end; t += run.sliceSeconds) {
      const to = Math.min(end, t + run.sliceSeconds);
      rows.push({
        series: one.id,
        endpointUrl: one.endpointUrl,
        labels: one.labels,
        start: offsetNs(t * 1e9),
        end: offsetNs(to * 1e9),
        complete: to - t === run.sliceSeconds,
      });
      for (let k = 0; k < keys.length; k++)
        values.push(source === undefined ? NaN : valueAt(source, one.id % 10_000, t + k));
    }
  }
  return {
    family: name,
    type,
    ...(source?.unit === undefined ? {} : { unit: source.unit }),
    columns: keys.map(column),
    rows,
    values: Float64Array.from(values),
  };
}

/** In the order of the statistics table; what they are is of no account here. */
export function ranking(query: RankingQuery): RankingData {
  const table = statistics({ family: query.family });
  const usual = table.columns.findIndex(
    ({ key }) => key === (query.statistic ?? (table.type === "counter" ? "rate" : "avg")),
  );
  const column = Math.max(0, usual);
  const at = (row: number, of = table.values) => of[row * table.columns.length + column] ?? NaN;
  const ranked = table.rows
    .map((row, i) => ({ row, i }))
    .sort((a, b) => at(b.i) - at(a.i))
    .slice(0, query.count);
  return {
    family: query.family,
    statistic: table.columns[column] ?? { key: "avg", title: "avg" },
    statistics: table.columns,
    rows: ranked.map(({ row }) => row),
    values: Float64Array.from(ranked, ({ i }) => at(i)),
    ...(table.estimates === undefined
      ? {}
      : {
          bounds: {
            lower: Float64Array.from(ranked, ({ i }) => at(i, table.estimates?.lower)),
            upper: Float64Array.from(ranked, ({ i }) => at(i, table.estimates?.upper)),
          },
        }),
    seriesTotal: table.rows.length,
    unranked: 0,
  };
}

/** Two endpoints, the second with more. */
export function shares({ family: name, by }: SharesQuery): SharesData {
  const source = FAMILIES.find((one) => one.name === name);
  const values = Float64Array.of(41_250, 68_400);
  return {
    family: name,
    ...(source?.unit === undefined ? {} : { unit: source.unit }),
    measure: source?.type === "counter" ? "increase" : source?.type === "histogram" ? "observations" : "mean",
    ...(by === undefined || by === "" ? {} : { by }),
    labels: ["engine", "finished_reason"],
    parts:
      by === undefined || by === ""
        ? [
            { name: A, series: 4 },
            { name: B, series: 4, note: "restarted once: increase across restarts" },
          ]
        : [
            { name: "0", series: 2 },
            { name: "1", series: 6 },
          ],
    values,
    rates: values.map((value) => (source?.type === "counter" ? value / 138 : NaN)),
    shares: values.map((value) => value / 109_650),
    imbalance: { maxOverMean: 68_400 / 54_825, variation: 13_575 / 54_825 },
  };
}

/** Drafts are accepted less often the further they reach. */
export function vector(run: SyntheticRun, name: string): VectorData {
  const positions = 8;
  const slices = Math.max(1, Math.floor((run.now() - WARMUP) / run.sliceSeconds));
  const rates = Float64Array.from({ length: positions }, (_, p) => 420 * 0.72 ** p);
  return {
    family: name,
    unit: "tokens",
    label: "position",
    measure: "increase",
    positions: Array.from({ length: positions }, (_, p) => String(p)),
    values: rates.map((rate) => Math.round(rate * slices * run.sliceSeconds)),
    rates,
    edges: Float64Array.from({ length: slices + 1 }, (_, i) => secondsToNs(WARMUP + i * run.sliceSeconds)),
    cells: Float64Array.from(
      { length: slices * positions },
      (_, i) => (rates[i % positions] ?? 0) * (1 + 0.4 * Math.sin(Math.floor(i / positions) / 3 - (i % positions) / 2)),
    ),
  };
}

export const CONFIGURATION = configurationTree({
  endpoint: { model_names: ["meta-llama/Llama-3.1-70B-Instruct"], url: "http://10.0.0.11:8000", streaming: true },
  loadgen: { concurrency: 128, request_count: 10_000, random_seed: 9_007_199_254_740_993n, "warm-up": null },
  server_metrics: ["http://10.0.0.11:8000/metrics", "http://10.0.0.12:8000/metrics"],
});

/** One scrape of the first endpoint. */
export function moment(): MomentTable {
  const rows = FAMILIES.slice(0, 9).flatMap((source) =>
    source.labelSets.slice(0, 3).map((labels) => ({
      family: source.name,
      type: source.type,
      ...(source.unit === undefined ? {} : { unit: source.unit }),
      endpointUrl: A,
      labels,
    })),
  );
  const none = () => Float64Array.from({ length: rows.length * 7 }, () => NaN);
  const [values, lower, upper, low, high, linear] = [none(), none(), none(), none(), none(), none()];
  rows.forEach(({ family: name, type }, i) => {
    const level = FAMILIES.find((source) => source.name === name)?.level ?? 0;
    if (type === "histogram") values.set([NaN, 1200, 1200 * level, level, level * 0.8, level * 2, level * 4], i * 7);
    else values.set([level], i * 7);
    if (type !== "histogram") return;
    lower.set([0.1, 0.25, 0.5], i * 7 + 4);
    upper.set([0.25, 0.5, Infinity], i * 7 + 4);
    low.set([0.19, 0.36, 0.6], i * 7 + 4);
    high.set([0.23, 0.44, 0.9], i * 7 + 4);
    linear.set([0.2, 0.4, 0.5], i * 7 + 4);
  });
  return {
    columns: ["value", "count", "sum", "avg", "p50", "p90", "p99"].map((key) => ({ key, title: key })),
    rows: [
      ...rows,
      {
        family: "vllm:spec_decode_num_accepted_tokens_per_pos",
        type: "counter",
        endpointUrl: A,
        labels: makeLabels([["position", "0…3"]]),
        positions: [9210, 7004, 4410, 1203],
      },
    ],
    values: Float64Array.from([...values, ...Array.from({ length: 7 }, () => NaN)]),
    estimates: { lower, upper, low, high, linear },
  };
}

/** The tiles again, each as a panel, and one that needs a flag. */
export function dashboard(run: SyntheticRun, server: string, endpointUrl: string | undefined): Dashboard {
  const panels = tiles(run).map(({ id, title, family, statistic, value, unit, direction, sparkline }) => ({
    id,
    title,
    rows: [
      {
        title: endpointUrl === undefined ? title : `${title} of one`,
        family,
        direction,
        figures: [{ statistic, value, ...(unit === undefined ? {} : { unit }) }],
        sparkline,
      },
    ],
    withoutValues: [],
    missing: [],
  }));
  return {
    server,
    panels: [
      ...panels,
      {
        id: "kv-blocks",
        title: "KV block residency",
        rows: [],
        withoutValues: [],
        missing: ["vllm:kv_block_lifetime_seconds"],
        remedy: "Start vLLM with --kv-cache-metrics.",
      },
    ],
  };
}

export function instances(run: SyntheticRun, server: string): InstanceTable {
  const columns = tiles(run).slice(0, 6);
  const endpoints = [A, B];
  return {
    server,
    columns,
    endpoints,
    values: Float64Array.from(endpoints.flatMap((_, e) => columns.map(({ value }) => value * (1 + 0.8 * e)))),
  };
}

export function instanceCourse(run: SyntheticRun, metric: string): InstanceCourse {
  const found = tiles(run).find(({ id }) => id === metric);
  const sparkline = found?.sparkline ?? new Float64Array(0);
  return {
    family: metric,
    title: found?.title ?? metric,
    endpoints: [A, B],
    points: sparkline.length,
    values: Float64Array.from([...sparkline, ...sparkline.map((value) => value / 2)]),
  };
}
