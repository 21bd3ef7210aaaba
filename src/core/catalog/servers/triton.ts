import { counter, defineServer, derived, gauge, histogram, rateRatio } from "../define.js";

const BUSY = "Microseconds of all requests together: the rate, by a million, is how many did it at once on average.";

/** Microseconds of all requests, by the requests. */
const perRequest = (id: string, title: string, numerator: string) =>
  derived(`triton.${id}-per-request`, `${title} per request`, "microseconds, down", {
    derivation: { kind: "rate-ratio", numerator, denominator: ["nv_inference_request_success"] },
    hint: "Mean over the requests that finished in the window.",
  });

export const triton = defineServer({
  id: "triton",
  name: "Triton",
  prefixes: ["nv_"],
  withoutTotal: /^nv_/,
  families: {
    nv_inference_request_success: counter("Requests finished", "requests, up"),
    nv_inference_request_failure: counter("Requests failed", "requests, down"),
    nv_inference_count: counter("Inferences", "up", { hint: "Requests times their batch size." }),
    nv_inference_exec_count: counter("Batches executed", { hint: "Inferences by it is the mean batch size." }),
    nv_inference_request_duration_us: counter("Request time", "microseconds, down", { hint: BUSY }),
    nv_inference_queue_duration_us: counter("Queue time", "microseconds, down", { hint: BUSY }),
    nv_inference_compute_input_duration_us: counter("Input time", "microseconds, down"),
    nv_inference_compute_infer_duration_us: counter("Compute time", "microseconds", { hint: BUSY }),
    nv_inference_compute_output_duration_us: counter("Output time", "microseconds, down"),
    nv_inference_pending_request_count: gauge("Requests waiting", "requests, down"),
    nv_inference_first_response_histogram_ms: histogram("Time to first response", "Latency: milliseconds, down", {
      hint: "For decoupled models: from receipt to the first response.",
    }),
    nv_inference_request_summary_us: histogram("Request time, summary", "Latency: microseconds"),
    nv_inference_queue_summary_us: histogram("Queue time, summary", "Latency: microseconds"),
    nv_inference_compute_input_summary_us: histogram("Input time, summary", "Latency: microseconds"),
    nv_inference_compute_infer_summary_us: histogram("Compute time, summary", "Latency: microseconds"),
    nv_inference_compute_output_summary_us: histogram("Output time, summary", "Latency: microseconds"),
    nv_cache_num_hits_per_model: counter("Response cache hits", "KV cache: up"),
    nv_cache_num_misses_per_model: counter("Response cache misses", "KV cache: down"),
    nv_cache_hit_duration_per_model: counter("Response cache hit time", "Latency: microseconds, down", {
      hint: "Time spent looking up what was found.",
    }),
    nv_cache_miss_duration_per_model: counter("Response cache miss time", "Latency: microseconds, down", {
      hint: "Time spent looking up and inserting what was not found.",
    }),
    nv_model_load_duration_secs: gauge("Model load time", "Model configuration: seconds"),
    nv_trt_llm_request_metrics: gauge("TensorRT-LLM requests, by state", "Queue and batch: requests", {
      hint: "By request_type: active and scheduled ones, those in context and waiting, and the most there can be.",
    }),
    nv_trt_llm_kv_cache_block_metrics: gauge("TensorRT-LLM KV cache blocks", "KV cache:", {
      hint: "By kv_cache_block_type: used, free and max are blocks, fraction is a share, tokens_per is their size.",
    }),
    nv_trt_llm_inflight_batcher_metrics: gauge("TensorRT-LLM in-flight batcher", "Queue and batch:", {
      hint: "By inflight_batcher_specific_metric: context and generation requests, paused ones, micro batch, tokens.",
    }),
    nv_trt_llm_runtime_memory_metrics: gauge("TensorRT-LLM runtime memory", "GPU: bytes", {
      hint: "By memory_type: gpu, cpu and pinned.",
    }),
    nv_trt_llm_disaggregated_serving_metrics: gauge("TensorRT-LLM disaggregated serving", "KV cache:"),
    nv_trt_llm_general_metrics: gauge("TensorRT-LLM general", "Queue and batch:"),
    nv_gpu_utilization: gauge("GPU utilization", "ratio"),
    nv_gpu_memory_used_bytes: gauge("GPU memory used", "bytes"),
    nv_gpu_memory_total_bytes: gauge("GPU memory", "bytes"),
    nv_gpu_power_usage: gauge("GPU power", "watt"),
    nv_gpu_power_limit: gauge("GPU power limit", "watt"),
    nv_energy_consumption: counter("GPU energy", "joule"),
    nv_cpu_utilization: gauge("CPU utilization", "ratio"),
    nv_cpu_memory_total_bytes: gauge("CPU memory", "bytes"),
    nv_cpu_memory_used_bytes: gauge("CPU memory used", "bytes"),
    nv_pinned_memory_pool_total_bytes: gauge("Pinned memory pool", "bytes"),
    nv_pinned_memory_pool_used_bytes: gauge("Pinned memory used", "bytes"),
  },
  derived: [
    derived("triton.cache-hit-rate", "Response cache hit rate", "ratio, up", {
      derivation: rateRatio(
        "nv_cache_num_hits_per_model",
        "nv_cache_num_hits_per_model",
        "nv_cache_num_misses_per_model",
      ),
    }),
    perRequest("queue", "Queue time", "nv_inference_queue_duration_us"),
    perRequest("input", "Input time", "nv_inference_compute_input_duration_us"),
    perRequest("compute", "Compute time", "nv_inference_compute_infer_duration_us"),
    perRequest("output", "Output time", "nv_inference_compute_output_duration_us"),
  ],
  tiles: [
    { id: "triton.success", family: "nv_inference_request_success", statistic: "rate" },
    { id: "triton.failure", family: "nv_inference_request_failure", statistic: "rate" },
    { id: "triton.queue-time", family: "nv_inference_queue_duration_us", statistic: "rate" },
    { id: "triton.queue-per-request", derived: "triton.queue-per-request" },
    { id: "triton.compute-time", family: "nv_inference_compute_infer_duration_us", statistic: "rate" },
    { id: "triton.first-response", family: "nv_inference_first_response_histogram_ms", statistic: "p99_estimate" },
    { id: "triton.cache-hit-rate", derived: "triton.cache-hit-rate" },
    { id: "triton.cache-hit-time", family: "nv_cache_hit_duration_per_model", statistic: "rate" },
    { id: "triton.cache-miss-time", family: "nv_cache_miss_duration_per_model", statistic: "rate" },
    { id: "triton.gpu-utilization", family: "nv_gpu_utilization", statistic: "avg" },
    { id: "triton.gpu-memory", family: "nv_gpu_memory_used_bytes", statistic: "avg" },
  ],
  groups: [
    { group: "GPU", pattern: /^nv_gpu_|^nv_energy/ },
    { group: "Process and system", pattern: /^nv_cpu_|^nv_pinned_memory/ },
    { group: "Queue and batch", pattern: /queue_duration|pending_request/ },
    { group: "Latency", pattern: /_duration_us|_latency_us/ },
    { group: "Throughput", pattern: /nv_inference_/ },
  ],
  enable:
    "Start tritonserver with --allow-metrics=true; its metrics are then at /metrics of port 8002 (--metrics-port).",
  modelLabels: ["model"],
});
