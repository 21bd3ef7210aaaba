import type { ServerDefinition } from "../definition.js";

export const triton: ServerDefinition = {
  id: "triton",
  name: "Triton",
  prefixes: ["nv_"],
  keyMetrics: [
    { id: "triton.success", title: "Finished requests", family: "nv_inference_request_success", type: "counter", statistic: "rate", direction: "up" },
    { id: "triton.failure", title: "Failed requests", family: "nv_inference_request_failure", type: "counter", statistic: "rate", direction: "down" },
    // Microseconds of all requests together: its rate is how many waited, on average, at once.
    { id: "triton.queue-time", title: "Time queued", family: "nv_inference_queue_duration_us", type: "counter", statistic: "rate", direction: "down", unit: "microseconds" },
    { id: "triton.compute-time", title: "Time computing", family: "nv_inference_compute_infer_duration_us", type: "counter", statistic: "rate", direction: "neutral", unit: "microseconds" },
    { id: "triton.gpu-utilization", title: "GPU utilization", family: "nv_gpu_utilization", type: "gauge", statistic: "avg", direction: "neutral", unit: "ratio" },
    { id: "triton.gpu-memory", title: "GPU memory used", family: "nv_gpu_memory_used_bytes", type: "gauge", statistic: "avg", direction: "neutral" },
  ],
  types: {
    nv_inference_count: "counter",
    nv_inference_exec_count: "counter",
    nv_inference_request_duration_us: "counter",
    nv_inference_compute_input_duration_us: "counter",
    nv_inference_compute_output_duration_us: "counter",
    nv_cache_num_hits_per_model: "counter",
    nv_cache_num_misses_per_model: "counter",
    nv_energy_consumption: "counter",
    nv_inference_pending_request_count: "gauge",
    nv_gpu_memory_total_bytes: "gauge",
    nv_gpu_power_usage: "gauge",
    nv_gpu_power_limit: "gauge",
  },
  renamed: {},
  groups: [
    { group: "GPU", pattern: /^nv_gpu_|^nv_energy/ },
    { group: "Process and system", pattern: /^nv_cpu_|^nv_pinned_memory/ },
    { group: "Queue and batch", pattern: /queue_duration|pending_request/ },
    { group: "Latency", pattern: /_duration_us|_latency_us/ },
    { group: "Throughput", pattern: /nv_inference_/ },
  ],
  hints: [],
  enable: "Start tritonserver with --allow-metrics=true; its metrics are then at /metrics of port 8002 (--metrics-port).",
  staticFamilies: [],
  modelLabels: ["model"],
};
