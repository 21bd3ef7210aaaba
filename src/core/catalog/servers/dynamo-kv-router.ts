import { counter, gauge, histogram } from "../define.js";

/** What Dynamo's KV-aware router says of its choices, at the component that it runs in. */
export const routerFamilies = {
  dynamo_component_router_requests: counter("Requests routed", { unit: "requests", direction: "up" }),
  dynamo_component_router_time_to_first_token_seconds: histogram("Time to first token, at the router", {
    unit: "seconds",
    direction: "down",
  }),
  dynamo_component_router_inter_token_latency_seconds: histogram("Inter-token latency, at the router", {
    unit: "seconds",
    direction: "down",
  }),
  dynamo_component_router_input_sequence_tokens: histogram("Prompt length, at the router", { unit: "tokens" }),
  dynamo_component_router_output_sequence_tokens: histogram("Output length, at the router", { unit: "tokens" }),
  dynamo_component_router_kv_hit_rate: histogram("KV hit rate, at the router", {
    unit: "ratio",
    group: "KV cache",
    direction: "up",
  }),
  dynamo_component_router_requests_started: counter("Requests begun, at the router", {
    unit: "requests",
    group: "Throughput",
  }),
  dynamo_component_router_kv_transfer_estimated_latency_seconds: histogram("KV transfer, estimated by the router", {
    unit: "seconds",
    group: "Latency",
    direction: "down",
  }),
  dynamo_component_router_shared_cache_hit_rate: histogram("Shared cache hit rate, at the router", {
    unit: "ratio",
    group: "KV cache",
    direction: "up",
  }),
  dynamo_component_router_shared_cache_beyond_blocks: histogram("Blocks that only the shared cache had", {
    unit: "blocks",
    group: "KV cache",
    hint: "Of a request: blocks of its prefix in the shared cache and not at the chosen worker.",
  }),
  dynamo_component_router_non_max_overlap_selections: counter("Workers chosen with less overlap", {
    group: "KV cache",
    hint: "Choices of a worker other than the one with most of the prefix, for its load.",
  }),
  dynamo_component_router_overlap_blocks_lost: histogram("Overlap given up", {
    unit: "blocks",
    group: "KV cache",
    direction: "down",
    hint: "Blocks of the prefix that the best worker had more than the chosen one.",
  }),
  dynamo_component_router_worker_registered: gauge("Workers known to the router", { group: "Queue and batch" }),
  dynamo_component_router_kv_event_source_mismatch_workers: gauge("Workers without usable KV events", {
    group: "KV cache",
    direction: "down",
    hint: "The router cannot see what they have cached.",
  }),
};
