import { counter, defineServer, gauge, histogram, info, KV_LIMIT } from "../define.js";
import { routerFamilies } from "./dynamo-kv-router.js";

/** A worker of Dynamo, at its system port. The engine's own families stand beside these. */
export const dynamoComponent = defineServer({
  id: "dynamo-component",
  name: "Dynamo component",
  prefixes: ["dynamo_component_"],
  withoutTotal: /^dynamo_component_kv_cache_event(s_applied|_warnings)$/,
  families: {
    dynamo_component_gpu_cache_usage_percent: gauge("KV cache usage", {
      // From 0 to 1 in spite of its name.
      unit: "ratio",
      hint: "Share of KV cache blocks in use, 0 to 1 in spite of its name.",
    }),
    dynamo_component_inflight_requests: gauge("Requests in flight", {
      unit: "requests",
      hint: "Received by the worker and not finished, running and waiting.",
    }),
    dynamo_component_request_duration_seconds: histogram("Request latency", { unit: "seconds", direction: "down" }),
    dynamo_component_time_to_first_response_seconds: histogram("Time to first response", {
      unit: "seconds",
      direction: "down",
      group: "Latency",
    }),
    dynamo_component_network_transit_seconds: histogram("Network transit", {
      unit: "seconds",
      group: "Latency",
      direction: "down",
      hint: "From sending by the frontend to receipt here, by two clocks: an offset between them shows.",
    }),
    dynamo_component_requests: counter("Requests finished", { unit: "requests", direction: "up" }),
    dynamo_component_errors: counter("Errors", { unit: "errors", direction: "down" }),
    dynamo_component_cancellation: counter("Cancellations", { group: "Throughput", direction: "down" }),
    dynamo_component_request_bytes: counter("Request bytes", { unit: "bytes" }),
    dynamo_component_response_bytes: counter("Response bytes", { unit: "bytes" }),
    dynamo_component_kv_cache_hit_rate: gauge("Prefix cache hit rate, as the engine reports it", {
      unit: "ratio",
      group: "KV cache",
      direction: "up",
      computed: { over: "recent" },
    }),
    dynamo_component_total_blocks: info("KV cache blocks", { unit: "blocks" }),
    dynamo_component_kvstats_active_blocks: gauge("KV cache blocks used", { unit: "blocks" }),
    dynamo_component_kvstats_gpu_prefix_cache_hit_rate: gauge("Prefix cache hit rate, as reported", {
      unit: "ratio",
      direction: "up",
      computed: { over: "recent" },
    }),
    dynamo_component_kv_cache_events_applied: counter("KV events applied", { group: "KV cache" }),
    dynamo_component_kv_cache_event_warnings: counter("KV events in doubt, at the router", {
      group: "KV cache",
      direction: "down",
    }),
    dynamo_component_ckf_mutation: counter("Filter changes, at the router", { group: "KV cache" }),
    dynamo_component_kv_publisher_engines_dropped_events: counter("KV events dropped", {
      group: "KV cache",
      direction: "down",
    }),
    dynamo_component_kv_publisher_zmq_events: counter("KV events relayed", { group: "KV cache" }),
    dynamo_component_kv_publisher_zmq_filtered_events: counter("KV events filtered", { group: "KV cache" }),
    dynamo_component_kv_publisher_zmq_conversion_issues: counter("KV events not understood", {
      group: "KV cache",
      direction: "down",
    }),
    dynamo_component_kv_publisher_zmq_suspicious_events: counter("KV events in doubt", {
      group: "KV cache",
      direction: "down",
    }),
    ...routerFamilies,
    dynamo_component_engine_failover_state: gauge("Engine failover state", {
      group: "Process and system",
      hint: "1 for the current state: init, standby, waking or active. Without an active engine nothing is served.",
    }),
    dynamo_component_engine_failover_state_entered_timestamp_seconds: gauge("Engine failover state, since", {
      unit: "timestamp",
      group: "Process and system",
    }),
    dynamo_component_engine_failover_last_state_duration_seconds: gauge("Engine failover, last time in a state", {
      unit: "seconds",
      group: "Process and system",
      hint: "Of waking: how long the switch took.",
    }),
    dynamo_component_engine_failover_transitions: counter("Engine failover transitions", {
      group: "Process and system",
    }),
    dynamo_component_engine_failover_switch_attempts: counter("Engine failovers attempted", {
      group: "Process and system",
      direction: "down",
      hint: "A standby engine took over from one that was lost.",
    }),
    dynamo_component_engine_failover_switch_success: counter("Engine failovers completed", {
      group: "Process and system",
    }),
    dynamo_component_embedding_cache_hits: counter("Embedding cache hits", { group: "KV cache", direction: "up" }),
    dynamo_component_embedding_cache_misses: counter("Embedding cache misses", { group: "KV cache" }),
    dynamo_component_embedding_cache_evictions: counter("Embedding cache evictions", {
      group: "KV cache",
      direction: "down",
    }),
    dynamo_component_embedding_cache_utilization: gauge("Embedding cache usage", { unit: "ratio", group: "KV cache" }),
    dynamo_component_embedding_cache_current_bytes: gauge("Embedding cache size", { unit: "bytes", group: "KV cache" }),
    dynamo_component_embedding_cache_entries: gauge("Embedding cache entries", { group: "KV cache" }),
    dynamo_component_tasks_issued: counter("Tasks issued", { group: "Process and system" }),
    dynamo_component_tasks_started: counter("Tasks started", { group: "Process and system" }),
    dynamo_component_tasks_success: counter("Tasks completed", { group: "Process and system", direction: "up" }),
    dynamo_component_tasks_cancelled: counter("Tasks cancelled", { group: "Process and system" }),
    dynamo_component_tasks_failed: counter("Tasks failed", { group: "Process and system", direction: "down" }),
    dynamo_component_tasks_rejected: counter("Tasks rejected", { group: "Process and system", direction: "down" }),
    dynamo_component_model_load_time_seconds: gauge("Model load time", {
      unit: "seconds",
      group: "Model configuration",
    }),
    dynamo_component_drain_time_seconds: gauge("Drain time", { unit: "seconds", group: "Process and system" }),
    dynamo_component_cleanup_time_seconds: gauge("Clean-up time", { unit: "seconds", group: "Process and system" }),
    dynamo_component_uptime_seconds: gauge("Uptime", { unit: "seconds", group: "Process and system" }),
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
      problem: {
        severity: "info",
        reason: "A Dynamo worker answers here, but without the metrics of its engine.",
        remedy:
          "For TensorRT-LLM start the worker with --publish-metrics (in older versions --publish-events-and-metrics) and the PyTorch backend; " +
          "for SGLang with --enable-metrics.",
      },
    },
  ],
  enable:
    "Enable the system port of the Dynamo worker (DYN_SYSTEM_PORT=8081); its metrics are then at /metrics of that port.",
  staticFamilies: [{ kind: "value", family: "dynamo_component_total_blocks", fact: "KV cache blocks" }],
  modelLabels: ["model"],
});
