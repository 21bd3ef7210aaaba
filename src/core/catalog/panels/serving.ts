import { families, type ServerPanels } from "./definition.js";

/** Of what stands around engines: frontends, routers, caches, planners, benchmark clients. */
export const SERVING_PANELS: ServerPanels = {
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
  lmcache: [
    { id: "hit-rates", title: "Hit rates", items: [{ derived: "lmcache.retrieve-hit-rate" }] },
    {
      id: "times",
      title: "Times",
      items: families("lmcache:time_to_retrieve", "lmcache:time_to_store", "lmcache:remote_time_to_get"),
    },
    { id: "usage", title: "Usage", items: families("lmcache:local_cache_usage", "lmcache:remote_cache_usage") },
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
};
