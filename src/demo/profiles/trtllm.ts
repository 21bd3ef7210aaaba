import { MetricsPage, Families } from "./families.js";
import { timePerOutputToken, timesOf, type RequestTimes } from "../request.js";
import { BLOCK_SIZE, MAX_NUM_SEQS, type Simulation } from "../simulation.js";
import { OFFLOAD_BYTES, REQUEST_SECONDS, TOKEN_SECONDS, TTFT_SECONDS } from "./buckets.js";
import { MODEL } from "./vllm.js";

/** TensorRT-LLM's own server, at /prometheus/metrics. */
export function trtllm(simulation: Simulation): MetricsPage {
  const exporter = new MetricsPage({ model_name: MODEL, engine_type: "undefined" });
  trtllmFamilies(new Families(exporter, simulation, "trtllm:"));
  return exporter;
}

/**
 * The five families, as the server itself (`trtllm:`) or a Dynamo worker (`trtllm_`) names them. All are observed when
 * a request has ended, the time per output token as its mean.
 */
export function trtllmFamilies(families: Families): void {
  families.counter("request_success_total{finished_reason}", "Count of successfully processed requests.", {
    finished: ({ finishReason }) => [[1, { finished_reason: finishReason }]],
  });
  const seconds = (name: string, what: string, bounds: readonly number[], of: (times: RequestTimes) => number) =>
    families.histogram(`${name}_seconds`, `Histogram of ${what}.`, bounds, {
      finished: (request) => of(timesOf(request)),
    });
  seconds("e2e_request_latency", "end to end request latency in seconds", REQUEST_SECONDS, ({ e2e }) => e2e);
  seconds(
    "time_to_first_token",
    "time to first token in seconds",
    TTFT_SECONDS,
    ({ queue, prefill }) => queue + prefill,
  );
  families.histogram("time_per_output_token_seconds", "Histogram of time per output token in seconds.", TOKEN_SECONDS, {
    finished: timePerOutputToken,
  });
  seconds("request_queue_time", "time spent in WAITING phase for request", REQUEST_SECONDS, ({ queue }) => queue);
}

/** What a Dynamo worker tells besides: aborted requests, and KV transfers. Without a prefill worker there are none. */
export function additionalFamilies(families: Families): void {
  families.counter("num_aborted_requests_total", "Number of aborted requests", {
    finished: ({ finishReason }) => Number(finishReason === "abort"),
  });
  families.counter("kv_transfer_success_total", "Number of KV transfers that succeeded");
  families.histogram("kv_transfer_latency_seconds", "Time of a KV transfer in seconds", TOKEN_SECONDS);
  families.histogram("kv_transfer_bytes", "Bytes of a KV transfer", OFFLOAD_BYTES);
  families.histogram("kv_transfer_speed_gb_s", "Speed of a KV transfer in GB/s", [1, 2, 5, 10, 20, 50, 100, 200, 400]);
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
