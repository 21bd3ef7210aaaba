import { MetricsPage, Families } from "./families.js";
import { timesOf, timeToFirstToken, type Request } from "../request.js";
import { BLOCK_SIZE, MAX_NUM_SEQS, type Simulation } from "../simulation.js";
import { TRITON_FIRST_RESPONSE_MS } from "./buckets.js";
import { Gpu, GPU_MEMORY_MIB, GPU_MEMORY_USED_MIB, GPU_POWER_LIMIT_WATTS, GPU_UUID } from "./gpu.js";

const LABELS = { model: "tensorrt_llm", version: "1" };
/** Its answers are cached: the same text gives the same tokens. */
const TOKENIZER = { model: "preprocessing", version: "1" };
const GPU_LABELS = { gpu_uuid: GPU_UUID };
const MIB = 1_048_576;
const TOKENIZER_US = { hit: 45, miss: 240 };
const COPIED_US = { input: 190, output: 35 };

/** Triton with the TensorRT-LLM backend. Its durations are microseconds of all requests together. */
export function triton(simulation: Simulation): MetricsPage {
  const exporter = new MetricsPage(LABELS);
  const families = new Families(exporter, simulation, "nv_inference_");
  requests(families);
  responseCache(families);
  backend(exporter, simulation);
  gpu(exporter, simulation);
  return exporter;
}

function requests(families: Families): void {
  const isServed = ({ finishReason }: Request) => finishReason !== "error" && finishReason !== "abort";
  const served = (family: string, help: string, of: (request: Request) => number) =>
    families.counter(family, help, { finished: (request) => (isServed(request) ? of(request) : undefined) });
  const queued = (request: Request) => {
    const { transfer, queue } = timesOf(request);
    return Math.round((transfer + queue) * 1e6);
  };
  const inferred = (request: Request) => Math.round(timesOf(request).inference * 1e6);
  served("request_success", "Number of successful inference requests, all batch sizes", () => 1);
  const failure = families.counter("request_failure{reason}", "Number of failed inference requests, all batch sizes", {
    finished: (request) =>
      isServed(request) ? undefined : [[1, { reason: request.finishReason === "error" ? "BACKEND" : "CANCELED" }]],
  });
  for (const reason of ["REJECTED", "CANCELED", "BACKEND", "OTHER"]) failure(0, { reason });
  served("count", "Number of inferences performed (does not include cached requests)", () => 1);
  served("exec_count", "Number of model executions performed (does not include cached requests)", () => 1);
  const duration = (name: string, what: string, of: (request: Request) => number) =>
    served(`${name}_duration_us`, `Cumulative ${what} duration in microseconds`, of);
  const { input, output } = COPIED_US;
  duration("request", "inference request", (request) => queued(request) + inferred(request) + input + output);
  duration("queue", "inference queuing", queued);
  duration("compute_input", "compute input", () => input);
  duration("compute_infer", "compute inference", inferred);
  duration("compute_output", "inference compute output", () => output);
  families.gauge(
    "pending_request_count",
    "Instantaneous number of pending requests awaiting execution per-model.",
    () => families.simulation.waiting.length,
  );
  families.histogram(
    "first_response_histogram_ms",
    "Duration from request to first response in milliseconds",
    TRITON_FIRST_RESPONSE_MS,
    { firstToken: (request) => Math.round(timeToFirstToken(request) * 1000) },
  );
}

function responseCache(page: Families): void {
  const families = page.others("nv_cache_", TOKENIZER);
  const counter = (name: string, help: string, amounts: { readonly hit: number; readonly miss: number }) =>
    families.counter(`${name}_per_model`, help, {
      scheduled: ({ cachedTokens }) => (cachedTokens > 0 ? amounts.hit : amounts.miss),
    });
  counter("num_hits", "Number of cache hits per model", { hit: 1, miss: 0 });
  counter("num_misses", "Number of cache misses per model", { hit: 0, miss: 1 });
  const { hit, miss } = TOKENIZER_US;
  counter("hit_duration", "Total cache hit duration per model, in microseconds", { hit, miss: 0 });
  counter("miss_duration", "Total cache miss duration per model, in microseconds", { hit: 0, miss });
}

/** The batch manager's own numbers, each family a gauge with what it is about as a label. */
function backend(exporter: MetricsPage, simulation: Simulation): void {
  const gauge = (name: string, help: string, label: string) => {
    const set = exporter.gauge(`nv_trt_llm_${name}_metrics`, help, [label]);
    return (what: string, value: number) => set(value, { [label]: what });
  };
  const request = gauge("request", "TRT LLM request metrics", "request_type");
  const block = gauge("kv_cache_block", "TRT LLM KV cache block metrics", "kv_cache_block_type");
  const batcher = gauge(
    "inflight_batcher",
    "TRT LLM inflight_batcher-specific metrics",
    "inflight_batcher_specific_metric",
  );
  const memory = gauge("runtime_memory", "TRT LLM runtime memory metrics", "memory_type");
  exporter.beforeExposition(() => {
    const { running, waiting, usedBlocks, options } = simulation;
    const context = running.filter(({ firstToken }) => firstToken === undefined);
    request("active", running.length + waiting.length);
    request("scheduled", running.length);
    request("context", context.length);
    request("waiting", waiting.length);
    request("max", MAX_NUM_SEQS);
    block("used", usedBlocks);
    block("free", options.kvBlocks - usedBlocks);
    block("max", options.kvBlocks);
    block("fraction", simulation.kvUsage);
    block("tokens_per", BLOCK_SIZE);
    batcher("generation_requests", running.length - context.length);
    batcher(
      "total_context_tokens",
      context.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
    );
    memory("gpu", 2_310_236_416);
    memory("cpu", 0);
    memory("pinned", 64 * MIB);
  });
}

function gpu(exporter: MetricsPage, simulation: Simulation): void {
  const gauge = (name: string, help: string) => exporter.gauge(`nv_gpu_${name}`, help, [], GPU_LABELS);
  const utilization = gauge("utilization", "GPU utilization rate [0.0 - 1.0)");
  const power = gauge("power_usage", "GPU power usage in watts");
  gauge("power_limit", "GPU power management limit in watts")(GPU_POWER_LIMIT_WATTS);
  gauge("memory_total_bytes", "GPU total memory, in bytes")(GPU_MEMORY_MIB * MIB);
  gauge("memory_used_bytes", "GPU used memory, in bytes")(GPU_MEMORY_USED_MIB * MIB);
  const energy = exporter.counter(
    "nv_energy_consumption",
    "GPU energy consumption in joules since the Triton Server started",
    [],
    GPU_LABELS,
  );
  const device = new Gpu(simulation);
  exporter.beforeExposition(() => {
    const { busy, watts, joules } = device.read();
    utilization(busy);
    power(watts);
    energy(joules);
  });
}
