import { counter, gauge, histogram } from "../define.js";

const KV = "KV cache:";
const PREFIX = "KV cache: tokens";
/** How routers tell each other which requests run where. */
const SYNC = "Process and system:";
const SYNC_FAULT = "Process and system: down";

/** What Dynamo's KV-aware router says of its choices, at the component that it runs in. */
export const routerFamilies = {
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
