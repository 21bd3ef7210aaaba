import { panel, stackedPanel, type ServerPanels } from "./common.js";

/** Of what stands around engines: frontends, routers, caches, planners, benchmark clients. */
export const SERVING_PANELS: ServerPanels = {
  "dynamo-frontend": [
    stackedPanel("stages", "Stages of a request", [{ family: "dynamo_frontend_stage_duration_seconds", by: "stage" }]),
    panel("lengths", "Lengths", ["dynamo_frontend_input_sequence_tokens", "dynamo_frontend_output_sequence_tokens"]),
    panel("router", "Router and workers", [
      "dynamo_frontend_router_queue_pending_requests",
      "dynamo_frontend_worker_active_decode_blocks",
      "dynamo_frontend_model_migration",
    ]),
    panel("frontend", "Frontend itself", [
      "dynamo_frontend_tokenizer_latency_ms",
      "dynamo_frontend_event_loop_stall",
      "dynamo_frontend_disconnected_clients",
    ]),
  ],
  "dynamo-component": [
    panel("errors", "Errors", ["dynamo_component_errors", "dynamo_component_cancellation"]),
    panel("network", "Network", [
      "dynamo_component_network_transit_seconds",
      "dynamo_component_request_bytes",
      "dynamo_component_response_bytes",
    ]),
  ],
  "dynamo-router": [
    panel("overhead", "Routing overhead", [
      "dynamo_router_overhead_total_ms",
      "dynamo_router_overhead_indexer_find_matches_ms",
      "dynamo_router_overhead_scheduling_ms",
    ]),
    panel("request-plane", "Request plane", [
      "dynamo_request_plane_queue_seconds",
      "dynamo_request_plane_send_seconds",
      "dynamo_request_plane_roundtrip_ttft_seconds",
    ]),
  ],
  kvbm: [
    panel("hit-rates", "Hit rates, by tier", [
      "kvbm_host_cache_hit_rate",
      "kvbm_disk_cache_hit_rate",
      "kvbm_object_cache_hit_rate",
    ]),
    panel("blocks", "Blocks moved", [
      "kvbm_offload_blocks_d2h",
      "kvbm_offload_blocks_h2d",
      "kvbm_onboard_blocks_h2d",
      "kvbm_onboard_blocks_d2d",
    ]),
  ],
  "dynamo-planner": [
    panel("replicas", "Replicas", ["dynamo_planner_num_prefill_replicas", "dynamo_planner_num_decode_replicas"]),
    panel("observed", "Observed load", [
      "dynamo_planner_observed_requests_per_second",
      "dynamo_planner_observed_ttft_ms",
      "dynamo_planner_observed_itl_ms",
    ]),
  ],
  epp: [
    panel("errors", "Errors", ["llm_d_epp_request_error"]),
    panel("pool", "Pool", ["llm_d_epp_ready_endpoints", "llm_d_epp_flow_control_queue_size"]),
    panel("scheduling", "Scheduling", ["llm_d_epp_scheduler_e2e_duration_seconds", "llm_d_epp_request_ntpot_seconds"]),
    panel("slo", "SLO attainment", ["llm_d_epp_request_slo_violation"]),
  ],
  lmcache: [
    panel("hit-rates", "Hit rates", ["lmcache.retrieve-hit-rate"]),
    panel("times", "Times", ["lmcache:time_to_retrieve", "lmcache:time_to_store", "lmcache:remote_time_to_get"]),
    panel("usage", "Usage", ["lmcache:local_cache_usage", "lmcache:remote_cache_usage"]),
  ],
  client: [
    panel("latency", "Latency as the client saw it", [
      "client:time_to_first_token_seconds",
      "client:inter_token_latency_seconds",
      "client:request_latency_seconds",
    ]),
    panel("throughput", "Throughput", ["client:requests", "client:input_tokens", "client:output_tokens"]),
    panel("concurrency", "Concurrency", ["client:concurrency_requests"]),
    panel("failed", "Failed and cancelled", ["client:failed_requests", "client:cancelled_requests"]),
  ],
};
