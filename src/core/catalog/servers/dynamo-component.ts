import { counter, fact, gauge, histogram, defineServer, KV_LIMIT } from "../define.js";
import { noteOf } from "../../model/index.js";

const KV = "KV cache:";
const PREFIX = "KV cache: tokens";
/** How routers tell each other which requests run where. */
const SYNC = "Process and system:";
const SYNC_FAULT = "Process and system: down";

/** What Dynamo's KV-aware router says of its choices, at the component that it runs in. */
const routerFamilies = {
  dynamo_component_router_requests: counter("Requests routed", "requests, up"),
  dynamo_component_router_time_to_first_token_seconds: histogram("Time to first token, at the router", "seconds, down"),
  dynamo_component_router_inter_token_latency_seconds: histogram("Inter-token latency, at the router", "seconds, down"),
  dynamo_component_router_input_sequence_tokens: histogram("Prompt length, at the router", "tokens"),
  dynamo_component_router_output_sequence_tokens: histogram("Output length, at the router", "tokens"),
  dynamo_component_router_kv_hit_rate: histogram("KV hit rate, at the router", "KV cache: ratio, up"),
  dynamo_component_router_requests_started: counter("Requests begun, at the router", "Throughput: requests"),
  dynamo_component_router_kv_transfer_estimated_latency_seconds: histogram(
    "KV transfer, estimated by the router",
    "Latency: seconds, down",
  ),
  dynamo_component_router_shared_cache_hit_rate: histogram(
    "Shared cache hit rate, at the router",
    "KV cache: ratio, up",
  ),
  dynamo_component_router_shared_cache_beyond_blocks: histogram(
    "Blocks that only the shared cache had",
    "KV cache: blocks",
    { hint: "Of a request: blocks of its prefix in the shared cache and not at the chosen worker." },
  ),
  dynamo_component_router_non_max_overlap_selections: counter("Workers chosen with less overlap", "KV cache:", {
    hint: "Choices of a worker other than the one with most of the prefix, for its load.",
  }),
  dynamo_component_router_overlap_blocks_lost: histogram("Overlap given up", "KV cache: blocks, down", {
    hint: "Blocks of the prefix that the best worker had more than the chosen one.",
  }),
  dynamo_component_router_worker_registered: gauge("Workers known to the router", "Queue and batch:"),
  dynamo_component_router_kv_event_source_mismatch_workers: gauge(
    "Workers without usable KV events",
    "KV cache: down",
    { hint: "The router cannot see what they have cached." },
  ),
  dynamo_component_router_remote_indexer_query_failures: counter("Remote index lookups failed", "KV cache: down", {
    hint: "The router then chooses without knowing what workers have cached.",
  }),
  dynamo_component_router_remote_indexer_write_failures: counter("Remote index writes failed", "KV cache: down"),
  dynamo_component_router_kv_best_eligible_cached_prefix_tokens: counter("Prefix of the best worker", PREFIX, {
    hint: "Tokens of prompts that the worker with most of them had cached, counted when a worker is chosen.",
  }),
  dynamo_component_router_kv_selected_cached_prefix_tokens: counter(
    "Prefix of the chosen worker",
    "KV cache: tokens, up",
    {
      hint: "Far below the prefix of the best worker: load decides, and the cache is not used.",
    },
  ),
  dynamo_component_router_kv_worker_reused_tokens: counter(
    "Prefix reused, as workers report it",
    "KV cache: tokens, up",
  ),
  dynamo_component_router_kv_zmq_ingress_batches: counter("KV event batches received", KV),
  dynamo_component_router_kv_zmq_ingress_lifecycle: counter("KV event sources, changes and errors", KV),
  dynamo_component_router_kv_zmq_ingress_sources: gauge("KV event sources, by state", KV),
  dynamo_component_router_active_sequence_ingress_drain_batches: counter("Active sequences, batches applied", SYNC),
  dynamo_component_router_active_sequence_ingress_events_applied: counter("Active sequences, events applied", SYNC),
  dynamo_component_router_active_sequence_ingress_queue_depth: gauge("Active sequences, events waiting", SYNC_FAULT),
  dynamo_component_router_active_sequence_zmq_ingress_sources: gauge("Active sequences, sources", SYNC),
  dynamo_component_router_active_sequence_zmq_ingress_dropped_events: counter(
    "Active sequences, events dropped",
    SYNC_FAULT,
    {
      hint: "The router's view of its workers' load is then wrong.",
    },
  ),
  dynamo_component_router_active_sequence_zmq_ingress_sequence_gaps: counter(
    "Active sequences, events missing",
    SYNC_FAULT,
  ),
  dynamo_component_router_active_sequence_zmq_ingress_out_of_order: counter(
    "Active sequences, out of order",
    SYNC_FAULT,
  ),
  dynamo_component_router_active_sequence_zmq_ingress_envelope_decode_errors: counter(
    "Active sequences, envelopes not decoded",
    SYNC_FAULT,
  ),
  dynamo_component_router_active_sequence_zmq_ingress_payload_decode_errors: counter(
    "Active sequences, events not decoded",
    SYNC_FAULT,
  ),
  dynamo_component_router_active_sequence_zmq_ingress_identity_errors: counter(
    "Active sequences, of an unknown sender",
    SYNC_FAULT,
  ),
  dynamo_component_router_active_sequence_zmq_ingress_reconnects: counter("Active sequences, reconnects", SYNC_FAULT),
  dynamo_component_router_active_sequence_zmq_ingress_replacements: counter("Active sequences, sources replaced", SYNC),
  dynamo_component_router_active_sequence_zmq_ingress_forced_aborts: counter(
    "Active sequences, sources aborted",
    SYNC_FAULT,
  ),
  dynamo_component_router_approximate_cache_configured_policy: gauge(
    "Approximate cache, policy configured",
    "Model configuration:",
    { hint: "The policy in the label has 1. The router guesses what workers cache where they send no KV events." },
  ),
  dynamo_component_router_approximate_cache_effective_policy: gauge(
    "Approximate cache, policy in effect",
    "Model configuration:",
  ),
  dynamo_component_router_approximate_lru_evicted_blocks: counter(
    "Approximate cache, blocks evicted",
    "KV cache: blocks",
  ),
  dynamo_component_router_approximate_lru_eviction_batches: counter("Approximate cache, batches that evicted", KV),
  dynamo_component_router_approximate_lru_fallback_activations: counter(
    "Approximate cache, fallbacks to a time limit",
    "KV cache: down",
    { hint: "Ranks whose cache size was unknown." },
  ),
  dynamo_component_router_approximate_lru_leases: gauge("Approximate cache, requests held", KV),
  dynamo_component_router_approximate_lru_messages_per_request: histogram(
    "Approximate cache, messages per request",
    KV,
  ),
  dynamo_component_router_approximate_lru_mutation_queue_depth: gauge(
    "Approximate cache, changes waiting",
    "KV cache: down",
  ),
  dynamo_component_router_approximate_lru_mutation_wait_seconds: histogram(
    "Approximate cache, wait of a change",
    "Latency: seconds, down",
  ),
  dynamo_component_router_approximate_lru_output_batches: counter("Approximate cache, output batches", KV),
};

/** A worker of Dynamo, at its system port. The engine's own families stand beside these. */
export const dynamoComponent = defineServer({
  id: "dynamo-component",
  name: "Dynamo component",
  prefixes: ["dynamo_component_"],
  withoutTotal: /^dynamo_component_kv_cache_event(s_applied|_warnings)$/,
  families: {
    dynamo_component_gpu_cache_usage_percent: gauge("KV cache usage", "ratio", {
      hint: "Share of KV cache blocks in use, 0 to 1 in spite of its name.",
    }),
    dynamo_component_inflight_requests: gauge("Requests in flight", "requests", {
      hint: "Received by the worker and not finished, running and waiting.",
    }),
    dynamo_component_request_duration_seconds: histogram("Request latency", "seconds, down"),
    dynamo_component_time_to_first_response_seconds: histogram("Time to first response", "Latency: seconds, down"),
    dynamo_component_network_transit_seconds: histogram("Network transit", "Latency: seconds, down", {
      hint: "From sending by the frontend to receipt here, by two clocks: an offset between them shows.",
    }),
    dynamo_component_requests: counter("Requests finished", "requests, up"),
    dynamo_component_errors: counter("Errors", "errors, down"),
    dynamo_component_cancellation: counter("Cancellations", "Throughput: down"),
    dynamo_component_request_bytes: counter("Request bytes", "bytes"),
    dynamo_component_response_bytes: counter("Response bytes", "bytes"),
    dynamo_component_kv_cache_hit_rate: gauge(
      "Prefix cache hit rate, as the engine reports it",
      "KV cache: ratio, up",
      { computed: { over: "recent" } },
    ),
    dynamo_component_total_blocks: fact("KV cache blocks", "blocks"),
    dynamo_component_kvstats_active_blocks: gauge("KV cache blocks used", "blocks"),
    dynamo_component_kvstats_gpu_prefix_cache_hit_rate: gauge("Prefix cache hit rate, as reported", "ratio, up", {
      computed: { over: "recent" },
    }),
    dynamo_component_kv_cache_events_applied: counter("KV events applied", "KV cache:"),
    dynamo_component_kv_cache_event_warnings: counter("KV events in doubt, at the router", "KV cache: down"),
    dynamo_component_ckf_mutation: counter("Filter changes, at the router", "KV cache:"),
    dynamo_component_kv_publisher_engines_dropped_events: counter("KV events dropped", "KV cache: down"),
    dynamo_component_kv_publisher_zmq_events: counter("KV events relayed", "KV cache:"),
    dynamo_component_kv_publisher_zmq_filtered_events: counter("KV events filtered", "KV cache:"),
    dynamo_component_kv_publisher_zmq_conversion_issues: counter("KV events not understood", "KV cache: down"),
    dynamo_component_kv_publisher_zmq_suspicious_events: counter("KV events in doubt", "KV cache: down"),
    ...routerFamilies,
    dynamo_component_engine_failover_state: gauge("Engine failover state", "Process and system:", {
      hint: "1 for the current state: init, standby, waking or active. Without an active engine nothing is served.",
    }),
    dynamo_component_engine_failover_state_entered_timestamp_seconds: gauge(
      "Engine failover state, since",
      "Process and system: timestamp",
    ),
    dynamo_component_engine_failover_last_state_duration_seconds: gauge(
      "Engine failover, last time in a state",
      "Process and system: seconds",
      { hint: "Of waking: how long the switch took." },
    ),
    dynamo_component_engine_failover_transitions: counter("Engine failover transitions", "Process and system:"),
    dynamo_component_engine_failover_switch_attempts: counter(
      "Engine failovers attempted",
      "Process and system: down",
      { hint: "A standby engine took over from one that was lost." },
    ),
    dynamo_component_engine_failover_switch_success: counter("Engine failovers completed", "Process and system:"),
    dynamo_component_embedding_cache_hits: counter("Embedding cache hits", "KV cache: up"),
    dynamo_component_embedding_cache_misses: counter("Embedding cache misses", "KV cache:"),
    dynamo_component_embedding_cache_evictions: counter("Embedding cache evictions", "KV cache: down"),
    dynamo_component_embedding_cache_utilization: gauge("Embedding cache usage", "KV cache: ratio"),
    dynamo_component_embedding_cache_current_bytes: gauge("Embedding cache size", "KV cache: bytes"),
    dynamo_component_embedding_cache_entries: gauge("Embedding cache entries", "KV cache:"),
    dynamo_component_tasks_issued: counter("Tasks issued", "Process and system:"),
    dynamo_component_tasks_started: counter("Tasks started", "Process and system:"),
    dynamo_component_tasks_success: counter("Tasks completed", "Process and system: up"),
    dynamo_component_tasks_cancelled: counter("Tasks cancelled", "Process and system:"),
    dynamo_component_tasks_failed: counter("Tasks failed", "Process and system: down"),
    dynamo_component_tasks_rejected: counter("Tasks rejected", "Process and system: down"),
    dynamo_component_model_load_time_seconds: gauge("Model load time", "Model configuration: seconds"),
    dynamo_component_drain_time_seconds: gauge("Drain time", "Process and system: seconds"),
    dynamo_component_cleanup_time_seconds: gauge("Clean-up time", "Process and system: seconds"),
    dynamo_component_uptime_seconds: gauge("Uptime", "Process and system: seconds"),
  },
  tiles: [
    {
      id: "dynamo-component.kv-usage",
      family: "dynamo_component_gpu_cache_usage_percent",
      statistic: "max",
      watch: KV_LIMIT,
    },
    { id: "dynamo-component.inflight", family: "dynamo_component_inflight_requests", statistic: "avg" },
    { id: "dynamo-component.duration", family: "dynamo_component_request_duration_seconds", statistic: "p99_estimate" },
    { id: "dynamo-component.requests", family: "dynamo_component_requests", statistic: "rate" },
    { id: "dynamo-component.errors", family: "dynamo_component_errors", statistic: "total" },
    { id: "dynamo-component.transit", family: "dynamo_component_network_transit_seconds", statistic: "p99_estimate" },
  ],
  renamed: {
    dynamo_component_kvstats_gpu_cache_usage_percent: "dynamo_component_gpu_cache_usage_percent",
    dynamo_component_kvstats_total_blocks: "dynamo_component_total_blocks",
    dynamo_component_active_blocks: "dynamo_component_kvstats_active_blocks",
    dynamo_component_gpu_prefix_cache_hit_rate: "dynamo_component_kvstats_gpu_prefix_cache_hit_rate",
  },
  groups: [
    { group: "KV cache", pattern: /kvstats_|gpu_cache_usage|total_blocks/ },
    { group: "Throughput", pattern: /request_bytes|response_bytes/ },
  ],
  hints: [
    {
      missing: [/^trtllm[:_]/, /^vllm[:_]/, /^sglang[:_]/],
      problem: noteOf(
        "A Dynamo worker answers here, but without the metrics of its engine.",
        "For TensorRT-LLM start the worker with --publish-metrics (in older versions --publish-events-and-metrics) and the PyTorch backend; " +
          "for SGLang with --enable-metrics.",
      ),
    },
  ],
  enable:
    "Enable the system port of the Dynamo worker (DYN_SYSTEM_PORT=8081); its metrics are then at /metrics of that port.",
  modelLabels: ["model"],
});
