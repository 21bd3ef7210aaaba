import type { ServerDefinition } from "../definition.js";

/** `trtllm:` from the server itself, `trtllm_` through Dynamo. */
export const trtllm: ServerDefinition = {
  id: "trtllm",
  name: "TensorRT-LLM",
  prefixes: ["trtllm:", "trtllm_"],
  keyMetrics: [
    { id: "trtllm.e2e", title: "Request latency p99", family: "trtllm:e2e_request_latency_seconds", type: "histogram", statistic: "p99_estimate", direction: "down" },
    { id: "trtllm.ttft", title: "Time to first token p99", family: "trtllm:time_to_first_token_seconds", type: "histogram", statistic: "p99_estimate", direction: "down" },
    { id: "trtllm.tpot", title: "Time per output token p99", family: "trtllm:time_per_output_token_seconds", type: "histogram", statistic: "p99_estimate", direction: "down" },
    { id: "trtllm.queue-time", title: "Queue time p99", family: "trtllm:request_queue_time_seconds", type: "histogram", statistic: "p99_estimate", direction: "down" },
    { id: "trtllm.success", title: "Finished requests", family: "trtllm:request_success", type: "counter", statistic: "rate", direction: "up", by: "finished_reason" },
  ],
  types: {
    "trtllm:prompt_tokens": "counter",
    "trtllm:generation_tokens": "counter",
    "trtllm:prompt_cached_tokens": "counter",
    "trtllm:num_requests_completed": "counter",
    "trtllm:request_error": "counter",
    "trtllm:kv_cache_reused_blocks": "counter",
    "trtllm:kv_cache_missed_blocks": "counter",
    "trtllm:spec_decode_num_draft_tokens": "counter",
    "trtllm:spec_decode_num_accepted_tokens": "counter",
    "trtllm:kv_cache_hit_rate": "gauge",
    "trtllm:kv_cache_utilization": "gauge",
    "trtllm:kv_cache_max_blocks": "gauge",
    "trtllm:kv_cache_free_blocks": "gauge",
    "trtllm:kv_cache_used_blocks": "gauge",
    "trtllm:kv_cache_tokens_per_block": "gauge",
    "trtllm:num_requests_running": "gauge",
    "trtllm:num_requests_waiting": "gauge",
    "trtllm:max_num_active_requests": "gauge",
    "trtllm:request_prefill_time_seconds": "histogram",
    "trtllm:request_decode_time_seconds": "histogram",
    "trtllm:request_inference_time_seconds": "histogram",
  },
  renamed: {},
  groups: [
    { group: "Model configuration", pattern: /max_batch_size_static|kv_cache_max_blocks|kv_cache_tokens_per_block/ },
    { group: "GPU", pattern: /gpu_memory_usage/ },
  ],
  hints: [],
  enable:
    "Set return_perf_metrics: true in extra_llm_api_options.yaml; TensorRT-LLM then serves the metrics at /prometheus/metrics " +
    "(/metrics itself stays JSON). Under Dynamo: start the worker with --publish-events-and-metrics and the PyTorch backend, and use its system port (8081).",
  staticFamilies: [
    { kind: "value", family: "trtllm:kv_cache_max_blocks", fact: "KV cache blocks" },
    { kind: "value", family: "trtllm:kv_cache_tokens_per_block", fact: "KV cache block size" },
    { kind: "value", family: "trtllm:max_batch_size_static", fact: "Maximum batch size" },
  ],
  modelLabels: ["model_name"],
};
