import { counter, defineServer, gauge, histogram, info, SATURATED } from "../define.js";

const S = { unit: "seconds", group: "Latency", direction: "down" } as const;

const BLOCKS = { unit: "blocks", group: "KV cache" } as const;
const EVENTS = { group: "KV cache" } as const;
const DROPPED = { group: "KV cache", direction: "down" } as const;

/** Of the picker's index of the pool's KV blocks, and of the events that keep it. */
const KV_INDEX = {
  llm_d_epp_kv_cache_index_admissions: counter("Blocks indexed", BLOCKS),
  llm_d_epp_kv_cache_index_evictions: counter("Blocks taken off the index", BLOCKS),
  llm_d_epp_kv_cache_index_lookup_requests: counter("Index lookups", EVENTS),
  llm_d_epp_kv_cache_index_lookup_hits: counter("Blocks found by lookups", { ...BLOCKS, direction: "up" }),
  llm_d_epp_kv_cache_index_max_pod_hit_count: counter("Longest prefixes found by lookups", BLOCKS),
  llm_d_epp_kv_cache_index_lookup_latency_seconds: histogram("Index lookup time", { ...S, group: "KV cache" }),
  llm_d_epp_kv_cache_events_dedup_removed_hashes_suppressed: counter("Block removals suppressed", BLOCKS),
  llm_d_epp_kv_cache_events_dedup_removed_hashes_forwarded: counter("Block removals forwarded", BLOCKS),
  llm_d_epp_kv_cache_events_stores_skipped: counter("KV store events skipped", DROPPED),
  llm_d_epp_kv_cache_events_removals_skipped: counter("KV removal events skipped", DROPPED),
  llm_d_epp_kv_cache_events_active_subscribers: gauge("KV event subscribers", EVENTS),
  llm_d_epp_kv_cache_events_subscriber_reconnections: counter("KV event reconnections", DROPPED),
  llm_d_epp_kv_cache_events_messages_received: counter("KV event messages", EVENTS),
  llm_d_epp_kv_cache_events_zmq_errors: counter("KV event errors", DROPPED),
  llm_d_epp_kv_cache_events_pool_queue_depth: gauge("KV events waiting", DROPPED),
  llm_d_epp_kv_cache_events_pool_capacity: gauge("KV event workers", EVENTS),
};

/**
 * The endpoint picker of llm-d and of the Gateway API inference extension. Its families were renamed twice, and both
 * old and new ones are exposed side by side.
 */
export const epp = defineServer({
  id: "epp",
  name: "llm-d endpoint picker",
  prefixes: [
    "llm_d_epp_",
    "llm_d_router_epp_",
    "llm_d_inference_scheduler_",
    "inference_objective_",
    "inference_model_",
    "inference_pool_",
    "inference_extension_",
  ],
  families: {
    llm_d_epp_request: counter("Requests received", {
      unit: "requests",
      group: "Throughput",
      direction: "up",
      hint: "Requests that the gateway asked the picker about.",
    }),
    llm_d_epp_request_error: counter("Requests failed", {
      unit: "requests",
      group: "Throughput",
      direction: "down",
      hint: "By error code: those that the picker turned away, and those that a server failed.",
    }),
    llm_d_epp_request_duration_seconds: histogram("Request latency", S),
    llm_d_epp_request_ttft_seconds: histogram("Time to first token", {
      ...S,
      hint: "From the gateway's receipt, routing and network included.",
    }),
    llm_d_epp_request_streaming_tpot_seconds: histogram("Time per output token", S),
    llm_d_epp_request_streaming_itl_seconds: histogram("Inter-token latency", S),
    llm_d_epp_request_ntpot_seconds: histogram("Normalized time per output token", {
      ...S,
      hint: "Latency of a request by its output tokens, queue and prefill included.",
    }),
    llm_d_epp_request_running: gauge("Requests in flight", { unit: "requests" }),
    llm_d_epp_request_size_bytes: histogram("Request size", { unit: "bytes" }),
    llm_d_epp_response_size_bytes: histogram("Response size", { unit: "bytes", group: "Throughput" }),
    llm_d_epp_request_input_tokens: histogram("Prompt length", { unit: "tokens", group: "Throughput" }),
    llm_d_epp_request_output_tokens: histogram("Output length", { unit: "tokens", group: "Throughput" }),
    llm_d_epp_request_cached_tokens: histogram("Prompt tokens cached per request", {
      unit: "tokens",
      group: "KV cache",
    }),
    llm_d_epp_average_kv_cache_utilization: gauge("KV cache usage, mean of the pool", {
      unit: "ratio",
      hint: "Mean over all endpoints: one that is full may hide behind others.",
    }),
    llm_d_epp_average_queue_size: gauge("Requests waiting, mean of the pool", {
      unit: "requests",
      direction: "down",
      hint: "Mean over all endpoints: a long queue of one may hide behind others.",
    }),
    llm_d_epp_average_running_requests: gauge("Requests running, mean of the pool", { unit: "requests" }),
    llm_d_epp_std_dev_kv_cache_utilization: gauge("KV cache usage, spread over the pool", {
      unit: "ratio",
      direction: "down",
    }),
    llm_d_epp_std_dev_queue_size: gauge("Requests waiting, spread over the pool", {
      unit: "requests",
      direction: "down",
    }),
    llm_d_epp_std_dev_running_requests: gauge("Requests running, spread over the pool", {
      unit: "requests",
      direction: "down",
    }),
    llm_d_epp_per_endpoint_queue_size: gauge("Requests waiting, by endpoint", { unit: "requests", direction: "down" }),
    llm_d_epp_ready_endpoints: gauge("Endpoints ready", {
      unit: "endpoints",
      group: "Queue and batch",
      direction: "up",
      hint: "Endpoints of the pool that the picker may choose.",
    }),
    llm_d_epp_scheduler_e2e_duration_seconds: histogram("Scheduling time", {
      ...S,
      hint: "From a request's arrival at the scheduler to its choice of an endpoint.",
    }),
    llm_d_epp_scheduler_attempts: counter("Scheduling attempts", { group: "Throughput" }),
    llm_d_epp_plugin_duration_seconds: histogram("Plugin time", S),
    llm_d_epp_request_processing_duration_seconds: histogram("Request processing time", S),
    llm_d_epp_response_processing_duration_seconds: histogram("Response processing time", S),
    llm_d_epp_model_rewrite_decisions: counter("Model rewrites", { group: "Throughput" }),
    llm_d_epp_disagg_decision: counter("Disaggregation decisions", { group: "Throughput" }),
    llm_d_epp_datalayer_poll_errors: counter("Poll errors", { direction: "down" }),
    llm_d_epp_datalayer_extract_errors: counter("Extraction errors", { direction: "down" }),
    llm_d_epp_prefix_indexer_size: gauge("Prefix index size", { group: "KV cache" }),
    llm_d_epp_prefix_indexer_hit_ratio: histogram("Prefix index hit ratio", {
      unit: "ratio",
      group: "KV cache",
      direction: "up",
    }),
    llm_d_epp_prefix_indexer_hit_bytes: histogram("Prefix index hit length", { unit: "bytes", group: "KV cache" }),
    llm_d_epp_encoder_cache_queries: counter("Encoder cache lookups", { group: "KV cache" }),
    llm_d_epp_encoder_cache_hits: counter("Encoder cache hits", { group: "KV cache", direction: "up" }),
    llm_d_epp_encoder_cache_hit_ratio: histogram("Encoder cache hit ratio", {
      unit: "ratio",
      group: "KV cache",
      direction: "up",
    }),
    llm_d_epp_flow_control_queue_size: gauge("Flow control queue", {
      unit: "requests",
      direction: "down",
      hint: "Requests held back by flow control. Growing: they arrive faster than they are dispatched.",
    }),
    llm_d_epp_flow_control_queue_bytes: gauge("Flow control queue, bytes", { unit: "bytes" }),
    llm_d_epp_flow_control_pool_saturation: gauge("Pool saturation", {
      unit: "ratio",
      group: "Queue and batch",
      direction: "down",
      hint: "At 1 dispatching stops; exactly 1 may also mean an empty pool or stale metrics.",
    }),
    llm_d_epp_flow_control_stale_endpoints: gauge("Endpoints with stale metrics", {
      group: "Queue and batch",
      direction: "down",
    }),
    llm_d_epp_flow_control_capacity_utilization_requests: gauge("Flow control capacity used", {
      unit: "ratio",
      group: "Queue and batch",
    }),
    llm_d_epp_flow_control_global_capacity_utilization_requests: gauge("Flow control capacity used, all bands", {
      unit: "ratio",
      group: "Queue and batch",
    }),
    llm_d_epp_flow_control_reclaim_target: gauge("Capacity to reclaim", { unit: "ratio", group: "Queue and batch" }),
    llm_d_epp_flow_control_pending_reclaim: gauge("Capacity being reclaimed", {
      unit: "ratio",
      group: "Queue and batch",
    }),
    llm_d_epp_flow_control_revocations_issued: counter("Evictions of running requests", {
      unit: "requests",
      group: "Throughput",
      direction: "down",
      hint: "Requests taken off an endpoint for others of a higher priority.",
    }),
    llm_d_epp_flow_control_revocations: counter("Evictions, by outcome", { unit: "requests", group: "Throughput" }),
    llm_d_epp_plugin_data_scope_violations: counter("Plugin data refused", { group: "Other", direction: "down" }),
    llm_d_epp_flow_control_requests: counter("Flow control outcomes", { unit: "requests", group: "Throughput" }),
    llm_d_epp_flow_control_request_queue_duration_seconds: histogram("Flow control queue time", S),
    llm_d_epp_flow_control_dispatch_cycle_duration_seconds: histogram("Dispatch cycle time", S),
    llm_d_epp_flow_control_request_enqueue_duration_seconds: histogram("Enqueue time", S),
    llm_d_epp_inference_request_metric: gauge("Request figures, by type", { group: "Latency" }),
    llm_d_epp_request_predicted_ttft_seconds: histogram("Time to first token, predicted", S),
    llm_d_epp_request_ttft_prediction_duration_seconds: histogram("Time to predict the first token", S),
    llm_d_epp_request_predicted_tpot_seconds: histogram("Time per output token, predicted", S),
    llm_d_epp_request_tpot_prediction_duration_seconds: histogram("Time to predict output tokens", S),
    llm_d_epp_request_slo_violation: counter("SLO violations", { group: "Latency", direction: "down" }),
    llm_d_epp_program_aware_jains_fairness_index: gauge("Fairness index", { group: "Queue and batch" }),
    llm_d_epp_program_aware_avg_wait_time_milliseconds: gauge("Wait of programs", {
      unit: "milliseconds",
      direction: "down",
    }),
    llm_d_epp_program_aware_attained_service_tokens: gauge("Service of programs", { unit: "tokens" }),
    llm_d_epp_flow_control_capacity_utilization_bytes: gauge("Flow control capacity used, by bytes", {
      unit: "ratio",
      group: "Queue and batch",
    }),
    llm_d_epp_flow_control_global_capacity_utilization_bytes: gauge("Flow control capacity used, all bands, by bytes", {
      unit: "ratio",
      group: "Queue and batch",
    }),
    llm_d_epp_flow_control_revocation_confirmation_seconds: histogram("Time until an eviction is confirmed", S),
    llm_d_epp_inflight_requests: gauge("Requests in flight, by endpoint", { unit: "requests" }),
    llm_d_epp_inflight_tokens: gauge("Tokens in flight, by endpoint", { unit: "tokens", group: "Queue and batch" }),
    llm_d_epp_extproc_streams_inflight: gauge("Gateway streams open", { group: "Throughput" }),
    llm_d_epp_extproc_streams: counter("Gateway streams completed", { group: "Throughput" }),
    llm_d_epp_extproc_stream_duration_seconds: histogram("Gateway stream time", S),
    ...KV_INDEX,
    llm_d_epp_info: info("Build"),
  },
  tiles: [
    { id: "epp.requests", family: "llm_d_epp_request", statistic: "rate" },
    { id: "epp.errors", family: "llm_d_epp_request_error", statistic: "total" },
    { id: "epp.ready", family: "llm_d_epp_ready_endpoints", statistic: "avg" },
    { id: "epp.flow-queue", family: "llm_d_epp_flow_control_queue_size", statistic: "max", watch: SATURATED },
    { id: "epp.pool-kv-usage", family: "llm_d_epp_average_kv_cache_utilization", statistic: "max" },
    { id: "epp.pool-queue", family: "llm_d_epp_average_queue_size", statistic: "max", watch: SATURATED },
    { id: "epp.e2e", family: "llm_d_epp_request_duration_seconds", statistic: "p99_estimate" },
    { id: "epp.ttft", family: "llm_d_epp_request_ttft_seconds", statistic: "p99_estimate" },
    { id: "epp.ntpot", family: "llm_d_epp_request_ntpot_seconds", statistic: "p99_estimate" },
    { id: "epp.scheduling", family: "llm_d_epp_scheduler_e2e_duration_seconds", statistic: "p99_estimate" },
  ],
  renamed: {
    llm_d_epp_running_requests: "llm_d_epp_request_running",
    llm_d_epp_request_sizes: "llm_d_epp_request_size_bytes",
    llm_d_epp_response_sizes: "llm_d_epp_response_size_bytes",
    llm_d_epp_input_tokens: "llm_d_epp_request_input_tokens",
    llm_d_epp_output_tokens: "llm_d_epp_request_output_tokens",
    llm_d_epp_prompt_cached_tokens: "llm_d_epp_request_cached_tokens",
    llm_d_epp_normalized_time_per_output_token_seconds: "llm_d_epp_request_ntpot_seconds",
    llm_d_epp_request_tpot_seconds: "llm_d_epp_request_streaming_tpot_seconds",
    llm_d_epp_ready_pods: "llm_d_epp_ready_endpoints",
    llm_d_epp_per_pod_queue_size: "llm_d_epp_per_endpoint_queue_size",
    llm_d_epp_pd_decision: "llm_d_epp_disagg_decision",
  },
  enable:
    "The endpoint picker serves its metrics at /metrics of port 9090 (--metrics-port) and asks for a bearer token: " +
    "add the header 'Authorization: Bearer TOKEN' of a service account that may read /metrics, or start it with --metrics-endpoint-auth=false.",
  staticFamilies: [],
  modelLabels: ["model_name"],
});
