import { ORIGIN, RunBuilder, SECOND } from "./run-builder.js";
import type { Run } from "../../src/core/store/index.js";

/** One request as a client sees it: seconds from ORIGIN, and durations in seconds. */
export interface SimulatedRequest {
  readonly start: number;
  readonly ttft: number;
  readonly gap: number;
  readonly tokens: number;
  readonly failed?: boolean;
}

export interface SimulatedLoad {
  readonly count?: number;
  readonly every?: number;
  /** Requests in flight that the load was set to. */
  readonly concurrency?: number;
  /** Seconds by which each first token comes later. */
  readonly slower?: number;
}

/** A steady load with some spread that repeats. */
export function simulatedRequests({ count = 60, every = 0.5, slower = 0 }: SimulatedLoad = {}): SimulatedRequest[] {
  return Array.from({ length: count }, (_, i) => ({
    start: 1 + i * every,
    ttft: 0.1 + (i % 7) * 0.01 + slower,
    gap: 0.01 + (i % 3) * 0.001,
    tokens: 20 + (i % 5),
  }));
}

export const latencyOf = ({ ttft, gap, tokens }: SimulatedRequest): number => ttft + gap * (tokens - 1);

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** AIPerf's `profile_export.jsonl`, latest request first, for it is not sorted. */
export function aiperfRecords(requests: readonly SimulatedRequest[]): string {
  const ms = (seconds: number) => ({ value: seconds * 1000, unit: "ms" });
  return [...requests]
    .reverse()
    .map((request, i) => {
      const start = ORIGIN + BigInt(Math.round(request.start * SECOND));
      const end = start + BigInt(Math.round(latencyOf(request) * SECOND));
      const metadata = `"session_num":${i},"request_start_ns":${start},"request_end_ns":${end},"benchmark_phase":"profiling","was_cancelled":false`;
      const metrics =
        request.failed === true
          ? {}
          : {
              input_sequence_length: { value: 512, unit: "tokens" },
              output_sequence_length: { value: request.tokens, unit: "tokens" },
              time_to_first_token: ms(request.ttft),
              request_latency: ms(latencyOf(request)),
              inter_token_latency: ms(request.gap),
            };
      const error = request.failed === true ? `,"error":{"message":"sample"}` : "";
      return `{"metadata":{${metadata}},"metrics":${JSON.stringify(metrics)}${error}}\n`;
    })
    .join("");
}

/** `profile_export_aiperf.json` as far as it gives the load. */
export function aiperfSummary(requests: readonly SimulatedRequest[], { concurrency = 4 }: SimulatedLoad = {}) {
  const latencies = requests.map(latencyOf);
  return {
    schema_version: "1.3",
    aiperf_version: "0.0.0",
    request_count: { unit: "requests", avg: requests.length },
    request_latency: { unit: "ms", avg: meanOf(latencies) * 1000, p50: 300, p99: 400, min: 1, max: 2, std: 3 },
    time_to_first_token: { unit: "ms", avg: meanOf(requests.map(({ ttft }) => ttft)) * 1000, p99: 160 },
    input_config: {
      models: { items: [{ name: "sample/model" }] },
      phases: [{ name: "profiling", type: "concurrency", concurrency }],
      artifacts: { slice_duration: 5 },
    },
    run_info: {
      variation_label: `concurrency_${concurrency}`,
      variation_values: { "phases.profiling.concurrency": concurrency },
    },
  };
}

/** What `vllm bench serve --save-detailed` writes, on a clock of its own and with the local time of its end. */
export function vllmBench(requests: readonly SimulatedRequest[], zoneHours = 0) {
  const end = Math.max(...requests.map((request) => request.start + latencyOf(request)));
  const first = Math.min(...requests.map(({ start }) => start));
  const local = new Date((Number(ORIGIN / 1_000_000n) / 1000 + end + zoneHours * 3600) * 1000).toISOString();
  return {
    date: local.slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-"),
    backend: "openai-chat",
    model_id: "sample/model",
    num_prompts: requests.length,
    request_rate: "inf",
    max_concurrency: 4,
    duration: end - first,
    completed: requests.filter(({ failed }) => failed !== true).length,
    mean_ttft_ms: meanOf(requests.map(({ ttft }) => ttft)) * 1000,
    p99_ttft_ms: 170,
    request_throughput: requests.length / (end - first),
    output_throughput: 100,
    input_lens: requests.map(() => 512),
    output_lens: requests.map(({ tokens, failed }) => (failed === true ? 0 : tokens)),
    ttfts: requests.map(({ ttft, failed }) => (failed === true ? 0 : ttft)),
    itls: requests.map(({ gap, tokens, failed }) =>
      failed === true ? [] : Array.from({ length: tokens - 1 }, () => gap),
    ),
    start_times: requests.map(({ start }) => 81234.5 + start),
    errors: requests.map(() => ""),
  };
}

/** GuideLLM's `benchmarks.json` with one entry. */
export function guideLlm(requests: readonly SimulatedRequest[]) {
  const origin = Number(ORIGIN) / 1e9;
  const list = (failed: boolean) =>
    requests
      .filter((request) => (request.failed === true) === failed)
      .map((request) => ({
        request_start_time: origin + request.start,
        request_end_time: origin + request.start + latencyOf(request),
        request_latency: failed ? null : latencyOf(request),
        prompt_tokens: 512,
        output_tokens: failed ? null : request.tokens,
        time_to_first_token_ms: failed ? null : request.ttft * 1000,
        inter_token_latency_ms: failed ? null : request.gap * 1000,
      }));
  return {
    metadata: { version: 1 },
    args: {},
    benchmarks: [
      {
        type_: "generative_benchmark",
        config: { strategy: { type_: "concurrent", streams: 4 }, backend: { model: "sample/model" } },
        scheduler_metrics: {},
        metrics: { request_totals: { total: requests.length } },
        requests: { successful: list(false), errored: list(true), incomplete: [], total: null },
      },
    ],
  };
}

/** The server's side of the same requests, scraped every second: `network` seconds less of each first token. */
export function serverRun(requests: readonly SimulatedRequest[], network: number): Run {
  const end = Math.ceil(Math.max(...requests.map((request) => request.start + latencyOf(request)))) + 2;
  const builder = new RunBuilder();
  for (let second = 0; second <= end; second++) {
    const served = requests.filter((request) => request.failed !== true);
    const first = served.filter(({ start, ttft }) => start + ttft <= second);
    const done = served.filter((request) => request.start + latencyOf(request) <= second);
    const histogram = (name: string, values: readonly number[]) => ({
      name,
      buckets: {
        "0.1": values.filter((value) => value <= 0.1).length,
        "1.0": values.filter((value) => value <= 1).length,
        "+Inf": values.length,
      },
      sum: values.reduce((sum, value) => sum + value, 0),
      count: values.length,
    });
    builder.scrape(second, [
      histogram(
        "vllm:time_to_first_token_seconds",
        first.map(({ ttft }) => ttft - network),
      ),
      histogram(
        "vllm:e2e_request_latency_seconds",
        done.map((request) => latencyOf(request) - network),
      ),
      histogram(
        "vllm:inter_token_latency_seconds",
        done.flatMap(({ gap, tokens }) => Array.from({ length: tokens - 1 }, () => gap)),
      ),
    ]);
  }
  return builder.window(0, end).run;
}
