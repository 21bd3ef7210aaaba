import { counter, defineServer, gauge, histogram, info, SATURATED } from "../define.js";

const S = "Latency: seconds, down";

const BLOCKS = "KV cache: blocks";
const EVENTS = "KV cache:";
const DROPPED = "KV cache: down";

/** Of the picker's index of the pool's KV blocks, and of the events that keep it. */
const KV_INDEX = {
  llm_d_epp_kv_cache_index_admissions: counter("Blocks indexed", BLOCKS),
  llm_d_epp_kv_cache_index_evictions: counter("Blocks taken off the index", BLOCKS),
  llm_d_epp_kv_cache_index_lookup_requests: counter("Index lookups", EVENTS),
  llm_d_epp_kv_cache_index_lookup_hits: counter("Blocks found by lookups", "KV cache: blocks, up"),
  llm_d_epp_kv_cache_index_max_pod_hit_count: counter("Longest prefixes found by lookups", BLOCKS),
  llm_d_epp_kv_cache_index_lookup_latency_seconds: histogram("Index lookup time", "KV cache: seconds, down"),
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
    llm_d_epp_request: counter("Requests received", "Throughput: requests, up", {
      hint: "Requests that the gateway asked the picker about.",
    }),
    llm_d_epp_request_error: counter("Requests failed", "Throughput: requests, down", {
      hint: "By error code: those that the picker turned away, and those that a server failed.",
    }),
    llm_d_epp_request_duration_seconds: histogram("Request latency", S),
    llm_d_epp_request_ttft_seconds: histogram("Time to first token", S, {
      hint: "From the gateway's receipt, routing and network included.",
    }),
    llm_d_epp_request_streaming_tpot_seconds: histogram("Time per output token", S),
    llm_d_epp_request_streaming_itl_seconds: histogram("Inter-token latency", S),
    llm_d_epp_request_ntpot_seconds: histogram("Normalized time per output token", S, {
      hint: "Latency of a request by its output tokens, queue and prefill included.",
    }),
    llm_d_epp_request_running: gauge("Requests in flight", "requests"),
    llm_d_epp_request_size_bytes: histogram("Request size", "bytes"),
    llm_d_epp_response_size_bytes: histogram("Response size", "Throughput: bytes"),
    llm_d_epp_request_input_tokens: histogram("Prompt length", "Throughput: tokens"),
    llm_d_epp_request_output_tokens: histogram("Output length", "Throughput: tokens"),
    llm_d_epp_request_cached_tokens: histogram("Prompt tokens cached per request", "KV cache: tokens"),
    llm_d_epp_average_kv_cache_utilization: gauge("KV cache usage, mean of the pool", "ratio", {
      hint: "Mean over all endpoints: one that is full may hide behind others.",
    }),
    llm_d_epp_average_queue_size: gauge("Requests waiting, mean of the pool", "requests, down", {
      hint: "Mean over all endpoints: a long queue of one may hide behind others.",
    }),
    llm_d_epp_average_running_requests: gauge("Requests running, mean of the pool", "requests"),
    llm_d_epp_std_dev_kv_cache_utilization: gauge("KV cache usage, spread over the pool", "ratio, down"),
    llm_d_epp_std_dev_queue_size: gauge("Requests waiting, spread over the pool", "requests, down"),
    llm_d_epp_std_dev_running_requests: gauge("Requests running, spread over the pool", "requests, down"),
    llm_d_epp_per_endpoint_queue_size: gauge("Requests waiting, by endpoint", "requests, down"),
    llm_d_epp_ready_endpoints: gauge("Endpoints ready", "Queue and batch: endpoints, up", {
      hint: "Endpoints of the pool that the picker may choose.",
    }),
    llm_d_epp_scheduler_e2e_duration_seconds: histogram("Scheduling time", S, {
      hint: "From a request's arrival at the scheduler to its choice of an endpoint.",
    }),
    llm_d_epp_scheduler_attempts: counter("Scheduling attempts", "Throughput:"),
    llm_d_epp_plugin_duration_seconds: histogram("Plugin time", S),
    llm_d_epp_request_processing_duration_seconds: histogram("Request processing time", S),
    llm_d_epp_response_processing_duration_seconds: histogram("Response processing time", S),
    llm_d_epp_model_rewrite_decisions: counter("Model rewrites", "Throughput:"),
    llm_d_epp_disagg_decision: counter("Disaggregation decisions", "Throughput:"),
    llm_d_epp_datalayer_poll_errors: counter("Poll errors", "down"),
    llm_d_epp_datalayer_extract_errors: counter("Extraction errors", "down"),
    llm_d_epp_prefix_indexer_size: gauge("Prefix index size", "KV cache:"),
    llm_d_epp_prefix_indexer_hit_ratio: histogram("Prefix index hit ratio", "KV cache: ratio, up"),
    llm_d_epp_prefix_indexer_hit_bytes: histogram("Prefix index hit length", "KV cache: bytes"),
    llm_d_epp_encoder_cache_queries: counter("Encoder cache lookups", "KV cache:"),
    llm_d_epp_encoder_cache_hits: counter("Encoder cache hits", "KV cache: up"),
    llm_d_epp_encoder_cache_hit_ratio: histogram("Encoder cache hit ratio", "KV cache: ratio, up"),
    llm_d_epp_flow_control_queue_size: gauge("Flow control queue", "requests, down", {
      hint: "Requests held back by flow control. Growing: they arrive faster than they are dispatched.",
    }),
    llm_d_epp_flow_control_queue_bytes: gauge("Flow control queue, bytes", "bytes"),
    llm_d_epp_flow_control_pool_saturation: gauge("Pool saturation", "Queue and batch: ratio, down", {
      hint: "At 1 dispatching stops; exactly 1 may also mean an empty pool or stale metrics.",
    }),
    llm_d_epp_flow_control_stale_endpoints: gauge("Endpoints with stale metrics", "Queue and batch: down"),
    llm_d_epp_flow_control_capacity_utilization_requests: gauge("Flow control capacity used", "Queue and batch: ratio"),
    llm_d_epp_flow_control_global_capacity_utilization_requests: gauge(
      "Flow control capacity used, all bands",
      "Queue and batch: ratio",
    ),
    llm_d_epp_flow_control_reclaim_target: gauge("Capacity to reclaim", "Queue and batch: ratio"),
    llm_d_epp_flow_control_pending_reclaim: gauge("Capacity being reclaimed", "Queue and batch: ratio"),
    llm_d_epp_flow_control_revocations_issued: counter("Evictions of running requests", "Throughput: requests, down", {
      hint: "Requests taken off an endpoint for others of a higher priority.",
    }),
    llm_d_epp_flow_control_revocations: counter("Evictions, by outcome", "Throughput: requests"),
    llm_d_epp_plugin_data_scope_violations: counter("Plugin data refused", "Other: down"),
    llm_d_epp_flow_control_requests: counter("Flow control outcomes", "Throughput: requests"),
    llm_d_epp_flow_control_request_queue_duration_seconds: histogram("Flow control queue time", S),
    llm_d_epp_flow_control_dispatch_cycle_duration_seconds: histogram("Dispatch cycle time", S),
    llm_d_epp_flow_control_request_enqueue_duration_seconds: histogram("Enqueue time", S),
    llm_d_epp_inference_request_metric: gauge("Request figures, by type", "Latency:"),
    llm_d_epp_request_predicted_ttft_seconds: histogram("Time to first token, predicted", S),
    llm_d_epp_request_ttft_prediction_duration_seconds: histogram("Time to predict the first token", S),
    llm_d_epp_request_predicted_tpot_seconds: histogram("Time per output token, predicted", S),
    llm_d_epp_request_tpot_prediction_duration_seconds: histogram("Time to predict output tokens", S),
    llm_d_epp_request_slo_violation: counter("SLO violations", "Latency: down"),
    llm_d_epp_program_aware_jains_fairness_index: gauge("Fairness index", "Queue and batch:"),
    llm_d_epp_program_aware_avg_wait_time_milliseconds: gauge("Wait of programs", "milliseconds, down"),
    llm_d_epp_program_aware_attained_service_tokens: gauge("Service of programs", "tokens"),
    llm_d_epp_flow_control_capacity_utilization_bytes: gauge(
      "Flow control capacity used, by bytes",
      "Queue and batch: ratio",
    ),
    llm_d_epp_flow_control_global_capacity_utilization_bytes: gauge(
      "Flow control capacity used, all bands, by bytes",
      "Queue and batch: ratio",
    ),
    llm_d_epp_flow_control_revocation_confirmation_seconds: histogram("Time until an eviction is confirmed", S),
    llm_d_epp_inflight_requests: gauge("Requests in flight, by endpoint", "requests"),
    llm_d_epp_inflight_tokens: gauge("Tokens in flight, by endpoint", "Queue and batch: tokens"),
    llm_d_epp_extproc_streams_inflight: gauge("Gateway streams open", "Throughput:"),
    llm_d_epp_extproc_streams: counter("Gateway streams completed", "Throughput:"),
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
  modelLabels: ["model_name"],
});
