import { conceptOf } from "../../../src/core/catalog/index.js";
import { makeLabels, offsetNs, type Labels, type MetricType, type SeriesId } from "../../../src/core/model/index.js";
import type {
  ChartData,
  ChartLine,
  ChartQuery,
  FamilySummary,
  LabelCount,
  RunHeader,
  RunState,
  SeriesSummary,
} from "../../../src/protocol/index.js";

/*
 * A made-up run for looking at the view: two vLLM workers and an unreachable one, sixty families, a warm-up, marks,
 * a stretch of failed scrapes, and one family with two hundred series. Values are smooth functions of time.
 */

export const A = "http://10.0.0.11:8000/metrics";
export const B = "http://10.0.0.12:8000/metrics";
export const C = "http://10.0.0.13:8081/metrics";
/** The servers that answer: two, or as many as ?endpoints= says. */
export const SERVING: readonly string[] = [
  A,
  B,
  ...Array.from({ length: 98 }, (_, i) => `http://10.0.1.${i + 1}:8000/metrics`),
].slice(0, Number(new URLSearchParams(globalThis.location?.search).get("endpoints") ?? 2));
export const WARMUP = 30;
const SLICE = 5;
const GAP = [96, 104] as const;

interface Source extends FamilySummary {
  readonly labelSets: readonly Labels[];
  readonly level: number;
}

export const MODEL = "meta-llama/Llama-3.1-70B-Instruct";
const base = (extra: readonly (readonly [string, string])[] = []) =>
  makeLabels([["engine", "0"], ["model_name", MODEL], ...extra]);

function conceptNamed(name: string): Pick<FamilySummary, "concept"> {
  const concept = conceptOf(name)?.concept.id;
  return concept === undefined ? {} : { concept };
}

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
    seriesCount: (more.labelSets?.length ?? 1) * SERVING.length,
    isInfo: false,
    isKey: false,
    direction: "neutral",
    server: "vLLM",
    ...conceptNamed(name),
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

/** The first two share the numbers of a family; those of others lie beyond all families. */
const idOfEndpoint = (e: number) => (e < 2 ? e * 5000 : e * 10_000_000);

export function seriesOf(source: Source): SeriesSummary[] {
  const offset = FAMILIES.indexOf(source) * 10_000;
  return SERVING.flatMap((endpointUrl, e) =>
    source.labelSets.map((labels, i) => ({
      id: (offset + idOfEndpoint(e) + i) as SeriesId,
      endpointUrl,
      labels,
      last: valueAt(source, offset + idOfEndpoint(e) + i, 120),
    })),
  );
}

/** Load that rises and falls, a little noise that is the same at every call. */
export function valueAt(source: Source, series: number, t: number): number {
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

export function bucketOf(value: number): readonly [lower: number, upper: number] {
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
    query.together === true && source.type === "histogram"
      ? all.slice(0, 1).map((one) => ({ ...one, labels: [] }))
      : query.series === undefined
        ? all.slice(0, query.maxSeries)
        : all.filter((one) => query.series?.includes(one.id));
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
