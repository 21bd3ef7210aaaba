import type { ServerId } from "../definition.js";
import type { PanelDefinition } from "./definition.js";

const families = (...names: readonly string[]) => names.map((family) => ({ family }));

/** Beyond what every engine has: panels of one server, in the order in which they are shown. */
export const SERVER_PANELS: { readonly [S in ServerId]?: readonly PanelDefinition[] } = {
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
      needs: "Set return_perf_metrics: true and enable_iter_perf_stats: true in extra_llm_api_options.yaml.",
    },
    {
      id: "speculation",
      title: "Speculative decoding",
      items: families("trtllm:spec_decode_acceptance_length", "trtllm:spec_decode_draft_overhead"),
      needs: "Set speculative_config in extra_llm_api_options.yaml.",
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
      needs: "Exposed through Dynamo, with disaggregated prefill and decode (--publish-events-and-metrics).",
    },
  ],
  "dynamo-frontend": [
    {
      id: "stages",
      title: "Stages of a request",
      stacked: true,
      items: [{ family: "dynamo_frontend_stage_duration_seconds", by: "stage" }],
    },
    {
      id: "lengths",
      title: "Lengths",
      items: families("dynamo_frontend_input_sequence_tokens", "dynamo_frontend_output_sequence_tokens"),
    },
    {
      id: "router",
      title: "Router and workers",
      items: families(
        "dynamo_frontend_router_queue_pending_requests",
        "dynamo_frontend_worker_active_decode_blocks",
        "dynamo_frontend_model_migration",
      ),
    },
    {
      id: "frontend",
      title: "Frontend itself",
      items: families(
        "dynamo_frontend_tokenizer_latency_ms",
        "dynamo_frontend_event_loop_stall",
        "dynamo_frontend_disconnected_clients",
      ),
    },
  ],
  "dynamo-component": [
    {
      id: "errors",
      title: "Errors",
      items: families("dynamo_component_errors", "dynamo_component_cancellation"),
    },
    {
      id: "network",
      title: "Network",
      items: families(
        "dynamo_component_network_transit_seconds",
        "dynamo_component_request_bytes",
        "dynamo_component_response_bytes",
      ),
    },
  ],
  "dynamo-router": [
    {
      id: "overhead",
      title: "Routing overhead",
      items: families(
        "dynamo_router_overhead_total_ms",
        "dynamo_router_overhead_indexer_find_matches_ms",
        "dynamo_router_overhead_scheduling_ms",
      ),
    },
    {
      id: "request-plane",
      title: "Request plane",
      items: families(
        "dynamo_request_plane_queue_seconds",
        "dynamo_request_plane_send_seconds",
        "dynamo_request_plane_roundtrip_ttft_seconds",
      ),
    },
  ],
  kvbm: [
    {
      id: "hit-rates",
      title: "Hit rates, by tier",
      items: families("kvbm_host_cache_hit_rate", "kvbm_disk_cache_hit_rate", "kvbm_object_cache_hit_rate"),
    },
    {
      id: "blocks",
      title: "Blocks moved",
      items: families(
        "kvbm_offload_blocks_d2h",
        "kvbm_offload_blocks_h2d",
        "kvbm_onboard_blocks_h2d",
        "kvbm_onboard_blocks_d2d",
      ),
    },
  ],
  "dynamo-planner": [
    {
      id: "replicas",
      title: "Replicas",
      items: families("dynamo_planner_num_prefill_replicas", "dynamo_planner_num_decode_replicas"),
    },
    {
      id: "observed",
      title: "Observed load",
      items: families(
        "dynamo_planner_observed_requests_per_second",
        "dynamo_planner_observed_ttft_ms",
        "dynamo_planner_observed_itl_ms",
      ),
    },
  ],
  epp: [
    { id: "errors", title: "Errors", items: families("llm_d_epp_request_error") },
    {
      id: "pool",
      title: "Pool",
      items: families("llm_d_epp_ready_endpoints", "llm_d_epp_flow_control_queue_size"),
    },
    {
      id: "scheduling",
      title: "Scheduling",
      items: families("llm_d_epp_scheduler_e2e_duration_seconds", "llm_d_epp_request_ntpot_seconds"),
    },
    { id: "slo", title: "SLO attainment", items: families("llm_d_epp_request_slo_violation") },
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
  dcgm: [
    {
      id: "utilization",
      title: "Utilization",
      items: families("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"),
    },
    {
      id: "memory",
      title: "Memory",
      items: [
        { family: "DCGM_FI_DEV_FB_USED" },
        { derived: "dcgm.memory-share" },
        { family: "DCGM_FI_PROF_DRAM_ACTIVE" },
      ],
    },
    {
      id: "power",
      title: "Power, temperature and clock",
      items: families("DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK"),
    },
    {
      id: "throttling",
      title: "Throttling",
      items: families("DCGM_FI_DEV_POWER_VIOLATION", "DCGM_FI_DEV_THERMAL_VIOLATION"),
      needs: "Add the fields to the counters file of dcgm-exporter (-f).",
    },
    {
      id: "transfer",
      title: "PCIe and NVLink",
      items: families("DCGM_FI_PROF_PCIE_TX_BYTES", "DCGM_FI_PROF_PCIE_RX_BYTES", "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"),
      needs: "Add the fields to the counters file of dcgm-exporter (-f).",
    },
    {
      id: "errors",
      title: "Errors",
      items: families("DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"),
    },
  ],
  amd: [
    { id: "utilization", title: "Utilization", items: families("amd_gpu_gfx_activity", "amd_gpu_umc_activity") },
    {
      id: "memory",
      title: "Memory",
      items: [{ family: "amd_gpu_used_vram" }, { derived: "amd.memory-share" }],
    },
    {
      id: "power",
      title: "Power, temperature and clock",
      items: families("amd_gpu_package_power", "amd_gpu_junction_temperature", "amd_gpu_clock"),
    },
  ],
  node: [
    { id: "cpu", title: "CPU", items: [{ derived: "node.cpu-busy" }, { family: "node_load1" }] },
    {
      id: "memory",
      title: "Memory",
      items: [{ derived: "node.memory-used" }, { family: "node_memory_MemAvailable_bytes" }],
    },
    {
      id: "network",
      title: "Network",
      items: families(
        "node_network_receive_bytes",
        "node_network_transmit_bytes",
        "node_network_receive_drop",
        "node_network_transmit_errs",
      ),
    },
    { id: "disk", title: "Disk", items: families("node_disk_read_bytes", "node_disk_written_bytes") },
    {
      id: "pressure",
      title: "Pressure",
      items: families(
        "node_pressure_cpu_waiting_seconds",
        "node_pressure_memory_waiting_seconds",
        "node_pressure_io_waiting_seconds",
      ),
      needs: "The kernel must account for pressure (PSI, psi=1).",
    },
  ],
  client: [
    {
      id: "latency",
      title: "Latency as the client saw it",
      items: families(
        "client:time_to_first_token_seconds",
        "client:inter_token_latency_seconds",
        "client:request_latency_seconds",
      ),
    },
    {
      id: "throughput",
      title: "Throughput",
      items: families("client:requests", "client:input_tokens", "client:output_tokens"),
    },
    { id: "concurrency", title: "Concurrency", items: families("client:concurrency_requests") },
    {
      id: "failed",
      title: "Failed and cancelled",
      items: families("client:failed_requests", "client:cancelled_requests"),
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
  lmcache: [
    { id: "hit-rates", title: "Hit rates", items: [{ derived: "lmcache.retrieve-hit-rate" }] },
    {
      id: "times",
      title: "Times",
      items: families("lmcache:time_to_retrieve", "lmcache:time_to_store", "lmcache:remote_time_to_get"),
    },
    { id: "usage", title: "Usage", items: families("lmcache:local_cache_usage", "lmcache:remote_cache_usage") },
  ],
};
