import { TRTLLM_NEEDS } from "./common.js";
import { families, type ServerPanels } from "./definition.js";

/** Of inference engines, in the order in which they are shown. */
export const ENGINE_PANELS: ServerPanels = {
  vllm: [
    {
      id: "phases",
      title: "Phases of a request",
      stacked: true,
      items: families(
        "vllm:request_queue_time_seconds",
        "vllm:request_prefill_time_seconds",
        "vllm:nixl_xfer_time_seconds",
        "vllm:request_decode_time_seconds",
      ),
    },
    {
      id: "finish-reasons",
      title: "Finish reasons",
      items: [{ family: "vllm:request_success", by: "finished_reason" }],
    },
    {
      id: "waiting-by-reason",
      title: "Waiting, by reason",
      items: [{ family: "vllm:num_requests_waiting_by_reason", by: "reason" }],
    },
    {
      id: "lengths",
      title: "Lengths and batch",
      items: families("vllm:request_prompt_tokens", "vllm:request_generation_tokens", "vllm:iteration_tokens_total"),
    },
    {
      id: "cache-sources",
      title: "Cached prompt tokens, by source",
      items: [
        { family: "vllm:prompt_tokens_cached_by_source", by: "source" },
        { derived: "vllm.external-hit-rate" },
        { family: "vllm:num_requests_kv_fetch_by_stage", by: "stage" },
      ],
      needs: "Start vLLM with a KV connector (--kv-transfer-config) for caches beyond the GPU.",
    },
    {
      id: "kv-blocks",
      title: "KV block residency",
      items: families(
        "vllm:kv_block_lifetime_seconds",
        "vllm:kv_block_idle_before_evict_seconds",
        "vllm:kv_block_reuse_gap_seconds",
      ),
      needs: "Start vLLM with --kv-cache-metrics.",
    },
    {
      id: "kv-offload",
      title: "KV offloading",
      items: [
        { family: "vllm:kv_offload_load_bytes" },
        { family: "vllm:kv_offload_store_bytes" },
        { derived: "vllm.offload-load-speed" },
        { family: "vllm:kv_offload_stores_skipped" },
      ],
      needs: "Start vLLM with a KV offloading connector (--kv-transfer-config).",
    },
    {
      id: "speculation",
      title: "Speculative decoding",
      items: [
        { derived: "vllm.acceptance" },
        { derived: "vllm.acceptance-length" },
        { family: "vllm:spec_decode_num_accepted_tokens_per_pos", by: "position" },
      ],
      needs: "Start vLLM with --speculative-config.",
    },
    {
      id: "disaggregation",
      title: "Prefill/decode disaggregation",
      items: families(
        "vllm:nixl_xfer_time_seconds",
        "vllm:nixl_bytes_transferred",
        "vllm:nixl_num_failed_transfers",
        "vllm:nixl_num_kv_expired_reqs",
      ),
      needs: "Start vLLM with the NIXL connector (--kv-transfer-config).",
    },
    { id: "corrupted", title: "Corrupted answers", items: families("vllm:corrupted_requests") },
  ],
  sglang: [
    {
      id: "stages",
      title: "Stages of a request",
      stacked: true,
      items: [{ family: "sglang:per_stage_req_latency_seconds", by: "stage" }],
    },
    {
      id: "kv-tokens",
      title: "KV cache tokens",
      items: families("sglang:kv_used_tokens", "sglang:kv_evictable_tokens", "sglang:kv_available_tokens"),
    },
    {
      id: "pools",
      title: "Pools of a hybrid model",
      items: families("sglang:full_token_usage", "sglang:swa_token_usage", "sglang:mamba_usage"),
      needs: "Only models with sliding window or Mamba layers have them.",
    },
    {
      id: "aborted",
      title: "Aborted and failed",
      items: families(
        "sglang:num_aborted_requests",
        "sglang:num_transfer_failed_reqs",
        "sglang:num_bootstrap_failed_reqs",
      ),
    },
    {
      id: "speculation",
      title: "Speculative decoding",
      items: families("sglang:spec_accept_rate", "sglang:spec_accept_length"),
      needs: "Start SGLang with --speculative-algorithm.",
    },
    {
      id: "disaggregation",
      title: "Prefill/decode disaggregation",
      items: families(
        "sglang:num_prefill_bootstrap_queue_reqs",
        "sglang:num_prefill_inflight_queue_reqs",
        "sglang:num_decode_prealloc_queue_reqs",
        "sglang:num_decode_transfer_queue_reqs",
        "sglang:kv_transfer_latency_ms",
      ),
      needs: "Start SGLang with --disaggregation-mode.",
    },
    {
      id: "hicache",
      title: "Hierarchical cache",
      items: [{ derived: "sglang.hicache-usage" }, { family: "sglang:load_back_tokens" }],
      needs: "Start SGLang with --enable-hierarchical-cache.",
    },
  ],
  trtllm: [
    {
      id: "phases",
      title: "Phases of a request",
      stacked: true,
      items: families(
        "trtllm:request_queue_time_seconds",
        "trtllm:request_prefill_time_seconds",
        "trtllm:kv_transfer_latency_seconds",
        "trtllm:request_decode_time_seconds",
      ),
      needs: TRTLLM_NEEDS,
    },
    {
      id: "finish-reasons",
      title: "Finish reasons",
      items: [{ family: "trtllm:request_success", by: "finished_reason" }, { family: "trtllm:num_aborted_requests" }],
    },
    {
      id: "batch",
      title: "Batch",
      items: families(
        "trtllm:num_context_requests",
        "trtllm:num_generation_requests",
        "trtllm:max_num_active_requests",
      ),
      needs: TRTLLM_NEEDS,
    },
    {
      id: "speculation",
      title: "Speculative decoding",
      items: families("trtllm:spec_decode_acceptance_length", "trtllm:spec_decode_draft_overhead"),
      needs: "Set speculative_config in the YAML file that --config names.",
    },
    {
      id: "disaggregation",
      title: "KV transfer",
      items: families(
        "trtllm:kv_transfer_success",
        "trtllm:kv_transfer_latency_seconds",
        "trtllm:kv_transfer_bytes",
        "trtllm:kv_transfer_speed_gb_s",
      ),
      needs: "Exposed through Dynamo, with disaggregated prefill and decode (--publish-metrics).",
    },
  ],
  tgi: [
    {
      id: "phases",
      title: "Phases of a request",
      stacked: true,
      items: families(
        "tgi_request_validation_duration",
        "tgi_request_queue_duration",
        "tgi_request_inference_duration",
      ),
    },
  ],
  triton: [
    { id: "failures", title: "Failures", items: families("nv_inference_request_failure") },
    {
      id: "phases",
      title: "Phases of a request",
      stacked: true,
      items: [
        { derived: "triton.queue-per-request" },
        { derived: "triton.input-per-request" },
        { derived: "triton.compute-per-request" },
        { derived: "triton.output-per-request" },
      ],
    },
    {
      id: "time",
      title: "Where the time goes",
      items: families("nv_inference_queue_duration_us", "nv_inference_compute_infer_duration_us"),
    },
    {
      id: "cache",
      title: "Response cache",
      items: [{ derived: "triton.cache-hit-rate" }],
      needs: "Start Triton with --cache-config.",
    },
    {
      id: "gpu",
      title: "GPU",
      items: families("nv_gpu_utilization", "nv_gpu_memory_used_bytes", "nv_gpu_power_usage"),
    },
  ],
  llamacpp: [
    {
      id: "speed",
      title: "Speed",
      items: [{ derived: "llamacpp.generation-speed" }, { derived: "llamacpp.prompt-speed" }],
    },
    { id: "slots", title: "Slots", items: [{ derived: "llamacpp.busy-slots" }] },
  ],
};
