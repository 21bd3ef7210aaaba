import { panel, stackedPanel, type ServerPanels } from "./common.js";

/** Of inference engines, in the order in which they are shown. */
export const ENGINE_PANELS: ServerPanels = {
  vllm: [
    stackedPanel("phases", "Phases of a request", [
      "vllm:request_queue_time_seconds",
      "vllm:request_prefill_time_seconds",
      "vllm:nixl_xfer_time_seconds",
      "vllm:request_decode_time_seconds",
    ]),
    panel("finish-reasons", "Finish reasons", [{ family: "vllm:request_success", by: "finished_reason" }]),
    panel("waiting-by-reason", "Waiting, by reason", [{ family: "vllm:num_requests_waiting_by_reason", by: "reason" }]),
    panel("lengths", "Lengths and batch", [
      "vllm:request_prompt_tokens",
      "vllm:request_generation_tokens",
      "vllm:iteration_tokens_total",
    ]),
    panel("cache-sources", "Cached prompt tokens, by source", [
      { family: "vllm:prompt_tokens_cached_by_source", by: "source" },
      "vllm.external-hit-rate",
      { family: "vllm:num_requests_kv_fetch_by_stage", by: "stage" },
    ]),
    panel("kv-blocks", "KV block residency", [
      "vllm:kv_block_lifetime_seconds",
      "vllm:kv_block_idle_before_evict_seconds",
      "vllm:kv_block_reuse_gap_seconds",
    ]),
    panel("kv-offload", "KV offloading", [
      "vllm:kv_offload_load_bytes",
      "vllm:kv_offload_store_bytes",
      "vllm.offload-load-speed",
      "vllm:kv_offload_stores_skipped",
    ]),
    panel("speculation", "Speculative decoding", [
      "vllm.acceptance",
      "vllm.acceptance-length",
      { family: "vllm:spec_decode_num_accepted_tokens_per_pos", by: "position" },
    ]),
    panel("disaggregation", "Prefill/decode disaggregation", [
      "vllm:nixl_xfer_time_seconds",
      "vllm:nixl_bytes_transferred",
      "vllm:nixl_num_failed_transfers",
      "vllm:nixl_num_kv_expired_reqs",
    ]),
    panel("corrupted", "Corrupted answers", ["vllm:corrupted_requests"]),
  ],
  sglang: [
    stackedPanel("stages", "Stages of a request", [{ family: "sglang:per_stage_req_latency_seconds", by: "stage" }]),
    panel("kv-tokens", "KV cache tokens", [
      "sglang:kv_used_tokens",
      "sglang:kv_evictable_tokens",
      "sglang:kv_available_tokens",
    ]),
    panel("pools", "Pools of a hybrid model", [
      "sglang:full_token_usage",
      "sglang:swa_token_usage",
      "sglang:mamba_usage",
    ]),
    panel("aborted", "Aborted and failed", [
      "sglang:num_aborted_requests",
      "sglang:num_transfer_failed_reqs",
      "sglang:num_bootstrap_failed_reqs",
    ]),
    panel("speculation", "Speculative decoding", ["sglang:spec_accept_rate", "sglang:spec_accept_length"]),
    panel("disaggregation", "Prefill/decode disaggregation", [
      "sglang:num_prefill_bootstrap_queue_reqs",
      "sglang:num_prefill_inflight_queue_reqs",
      "sglang:num_decode_prealloc_queue_reqs",
      "sglang:num_decode_transfer_queue_reqs",
      "sglang:kv_transfer_latency_ms",
    ]),
    panel("hicache", "Hierarchical cache", ["sglang.hicache-usage", "sglang:load_back_tokens"]),
  ],
  trtllm: [
    stackedPanel("phases", "Phases of a request", [
      "trtllm:request_queue_time_seconds",
      "trtllm:request_prefill_time_seconds",
      "trtllm:kv_transfer_latency_seconds",
      "trtllm:request_decode_time_seconds",
    ]),
    panel("finish-reasons", "Finish reasons", [
      { family: "trtllm:request_success", by: "finished_reason" },
      "trtllm:num_aborted_requests",
    ]),
    panel("batch", "Batch", [
      "trtllm:num_context_requests",
      "trtllm:num_generation_requests",
      "trtllm:max_num_active_requests",
    ]),
    panel("speculation", "Speculative decoding", [
      "trtllm:spec_decode_acceptance_length",
      "trtllm:spec_decode_draft_overhead",
    ]),
    panel("disaggregation", "KV transfer", [
      "trtllm:kv_transfer_success",
      "trtllm:kv_transfer_latency_seconds",
      "trtllm:kv_transfer_bytes",
      "trtllm:kv_transfer_speed_gb_s",
    ]),
  ],
  tgi: [
    stackedPanel("phases", "Phases of a request", [
      "tgi_request_validation_duration",
      "tgi_request_queue_duration",
      "tgi_request_inference_duration",
    ]),
  ],
  triton: [
    panel("failures", "Failures", ["nv_inference_request_failure"]),
    stackedPanel("phases", "Phases of a request", [
      "triton.queue-per-request",
      "triton.input-per-request",
      "triton.compute-per-request",
      "triton.output-per-request",
    ]),
    panel("time", "Where the time goes", ["nv_inference_queue_duration_us", "nv_inference_compute_infer_duration_us"]),
    panel("cache", "Response cache", ["triton.cache-hit-rate"]),
    panel("gpu", "GPU", ["nv_gpu_utilization", "nv_gpu_memory_used_bytes", "nv_gpu_power_usage"]),
  ],
  llamacpp: [
    panel("speed", "Speed", ["llamacpp.generation-speed", "llamacpp.prompt-speed"]),
    panel("slots", "Slots", ["llamacpp.busy-slots"]),
  ],
};
