import { MetricsPage } from "../exporter.js";
import { timesOf } from "../request.js";
import { BLOCK_SIZE, MAX_NUM_SEQS, type Simulation } from "../simulation.js";
import { OFFLOAD_BYTES, REQUEST_SECONDS, TOKEN_SECONDS, TTFT_SECONDS } from "./buckets.js";
import { MODEL } from "./vllm.js";

/** TensorRT-LLM's own server, at /prometheus/metrics. */
export function trtllm(simulation: Simulation): MetricsPage {
  const exporter = new MetricsPage({});
  trtllmFamilies(exporter, simulation, "trtllm:", { model_name: MODEL, engine_type: "undefined" });
  return exporter;
}

/** The five families, as the server itself (`trtllm:`) or a Dynamo worker (`trtllm_`) names them. */
export function trtllmFamilies(
  exporter: MetricsPage,
  simulation: Simulation,
  prefix: string,
  labels: Readonly<Record<string, string>>,
): void {
  const histogram = (name: string, help: string, bounds: readonly number[]) =>
    exporter.histogram(prefix + name, help, bounds, [], labels);
  const success = exporter.counter(
    `${prefix}request_success_total`,
    "Count of successfully processed requests.",
    ["finished_reason"],
    labels,
  );
  const e2e = histogram(
    "e2e_request_latency_seconds",
    "Histogram of end to end request latency in seconds.",
    REQUEST_SECONDS,
  );
  const ttft = histogram("time_to_first_token_seconds", "Histogram of time to first token in seconds.", TTFT_SECONDS);
  const tpot = histogram(
    "time_per_output_token_seconds",
    "Histogram of time per output token in seconds.",
    TOKEN_SECONDS,
  );
  const queue = histogram(
    "request_queue_time_seconds",
    "Histogram of time spent in WAITING phase for request.",
    REQUEST_SECONDS,
  );
  simulation.observe({
    // All four are observed when a request has ended, the time per output token as its mean.
    finished: (request) => {
      const times = timesOf(request);
      success(1, { finished_reason: request.finishReason });
      e2e(times.e2e);
      ttft(times.queue + times.prefill);
      queue(times.queue);
      if (request.generated > 1) tpot(times.decode / (request.generated - 1));
    },
  });
}

/** What a Dynamo worker tells besides: aborted requests, and KV transfers. Without a prefill worker there are none. */
export function additionalFamilies(
  exporter: MetricsPage,
  simulation: Simulation,
  labels: Readonly<Record<string, string>>,
): void {
  const aborted = exporter.counter("trtllm_num_aborted_requests_total", "Number of aborted requests", [], labels);
  exporter.counter("trtllm_kv_transfer_success_total", "Number of KV transfers that succeeded", [], labels);
  const transfer = (name: string, help: string, bounds: readonly number[]) =>
    exporter.histogram(`trtllm_kv_transfer_${name}`, help, bounds, [], labels);
  transfer("latency_seconds", "Time of a KV transfer in seconds", TOKEN_SECONDS);
  transfer("bytes", "Bytes of a KV transfer", OFFLOAD_BYTES);
  transfer("speed_gb_s", "Speed of a KV transfer in GB/s", [1, 2, 5, 10, 20, 50, 100, 200, 400]);
  simulation.observe({
    finished: ({ finishReason }) => {
      if (finishReason === "abort") aborted(1);
    },
  });
}

/** What TensorRT-LLM serves at /metrics: statistics of the last iterations, as JSON. */
export function iterationStats(simulation: Simulation): string {
  const { usedBlocks, options, running, waiting, now } = simulation;
  return JSON.stringify([
    {
      cpuMemUsage: 0,
      gpuMemUsage: 76_402_147_328,
      iter: Math.floor(now * 40),
      iterLatencyMS: 22.4,
      kvCacheStats: {
        allocNewBlocks: usedBlocks,
        freeNumBlocks: options.kvBlocks - usedBlocks,
        maxNumBlocks: options.kvBlocks,
        tokensPerBlock: BLOCK_SIZE,
        usedNumBlocks: usedBlocks,
      },
      maxNumActiveRequests: MAX_NUM_SEQS,
      numActiveRequests: running.length,
      numQueuedRequests: waiting.length,
      pinnedMemUsage: 0,
    },
  ]);
}
