import { MetricsPage } from "../exporter.js";
import { timesOf } from "../request.js";
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
  requests(exporter, simulation);
  responseCache(exporter, simulation);
  backend(exporter, simulation);
  gpu(exporter, simulation);
  return exporter;
}

function requests(exporter: MetricsPage, simulation: Simulation): void {
  const success = exporter.counter(
    "nv_inference_request_success",
    "Number of successful inference requests, all batch sizes",
  );
  const failure = exporter.counter(
    "nv_inference_request_failure",
    "Number of failed inference requests, all batch sizes",
    ["reason"],
  );
  for (const reason of ["REJECTED", "CANCELED", "BACKEND", "OTHER"]) failure(0, { reason });
  const inferences = exporter.counter(
    "nv_inference_count",
    "Number of inferences performed (does not include cached requests)",
  );
  const executions = exporter.counter(
    "nv_inference_exec_count",
    "Number of model executions performed (does not include cached requests)",
  );
  const duration = (name: string, what: string) =>
    exporter.counter(`nv_inference_${name}_duration_us`, `Cumulative ${what} duration in microseconds`);
  const whole = duration("request", "inference request");
  const queue = duration("queue", "inference queuing");
  const input = duration("compute_input", "compute input");
  const infer = duration("compute_infer", "compute inference");
  const output = duration("compute_output", "inference compute output");
  const pending = exporter.gauge(
    "nv_inference_pending_request_count",
    "Instantaneous number of pending requests awaiting execution per-model.",
  );
  const firstResponse = exporter.histogram(
    "nv_inference_first_response_histogram_ms",
    "Duration from request to first response in milliseconds",
    TRITON_FIRST_RESPONSE_MS,
  );
  simulation.observe({
    firstToken: (request) => firstResponse(Math.round(((request.firstToken ?? NaN) - request.arrival) * 1000)),
    finished: (request) => {
      if (request.finishReason === "error" || request.finishReason === "abort") {
        failure(1, { reason: request.finishReason === "error" ? "BACKEND" : "CANCELED" });
        return;
      }
      const times = timesOf(request);
      success(1);
      inferences(1);
      executions(1);
      const [queued, inferred] = [times.transfer + times.queue, times.inference].map((time) => Math.round(time * 1e6));
      queue(queued ?? 0);
      infer(inferred ?? 0);
      input(COPIED_US.input);
      output(COPIED_US.output);
      whole((queued ?? 0) + (inferred ?? 0) + COPIED_US.input + COPIED_US.output);
    },
  });
  exporter.beforeExposition(() => pending(simulation.waiting.length));
}

function responseCache(exporter: MetricsPage, simulation: Simulation): void {
  const counter = (name: string, help: string) => exporter.counter(name, help, [], TOKENIZER);
  const hits = counter("nv_cache_num_hits_per_model", "Number of cache hits per model");
  const misses = counter("nv_cache_num_misses_per_model", "Number of cache misses per model");
  const hitTime = counter("nv_cache_hit_duration_per_model", "Total cache hit duration per model, in microseconds");
  const missTime = counter("nv_cache_miss_duration_per_model", "Total cache miss duration per model, in microseconds");
  simulation.observe({
    scheduled: ({ cachedTokens }) => {
      const isHit = cachedTokens > 0;
      (isHit ? hits : misses)(1);
      (isHit ? hitTime : missTime)(isHit ? TOKENIZER_US.hit : TOKENIZER_US.miss);
    },
  });
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
