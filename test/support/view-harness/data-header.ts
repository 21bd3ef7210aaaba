import { offsetNs, secondsToNs } from "../../../src/core/model/index.js";
import type { Problem, RunHeader, Tile } from "../../../src/protocol/index.js";
import { A, B, C, SERVING, WARMUP, MODEL, FAMILIES, valueAt, type SyntheticRun } from "./data.js";

/* The header and the tiles of the made-up run. */

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
    endpoints: endpointsOf(now),
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

/** Those that answer, and one that does not beside several of them. */
function endpointsOf(now: number): RunHeader["endpoints"] {
  const known: RunHeader["endpoints"] = [
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
  ];
  const shown = known.filter(({ url }) => (url === C ? SERVING.length > 1 : SERVING.includes(url)));
  const [first] = known;
  const more = SERVING.slice(2).flatMap((url) =>
    first === undefined ? [] : [{ ...first, url, displayName: new URL(url).host, label: undefined }],
  );
  return [...shown, ...more.map(({ label: _label, ...endpoint }) => endpoint)];
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
    tile("vllm:num_requests_running", "Requests Running", "avg", 1, { combined: "sum of 2" }),
    tile("vllm:num_requests_waiting", "Requests Waiting", "max", 1, {
      value: 27,
      ...now(24),
      watch: "warning",
      watchReason: "above 0 and growing: saturation",
    }),
    tile("vllm:kv_cache_usage_perc", "KV Cache Usage", "max", 1, {
      value: 0.964,
      combined: "largest of 2",
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
    tile("vllm:generation_tokens", "Generation Tokens", "rate", 1, { unit: "tokens/s", combined: "sum of 2" }),
    tile("vllm:request_success", "Requests Succeeded", "rate", 1, { unit: "requests/s" }),
    tile("vllm:num_preemptions", "Preemptions", "total", 0, { value: 0 }),
    tile("vllm:spec_decode_num_drafts", "Draft Acceptance", "rate", 0, {
      value: NaN,
      note: "No drafts: speculative decoding is off.",
      sparkline: new Float64Array(0),
    }),
  ];
}
