import { counter, defineServer, gauge, histogram } from "../define.js";

/** What the frontend and the router say of the way between them and the workers. */
export const dynamoRouter = defineServer({
  id: "dynamo-router",
  name: "Dynamo router",
  // After those of the other parts of Dynamo, whose prefixes begin alike.
  prefixes: ["dynamo_"],
  families: {
    dynamo_router_overhead_total_ms: histogram("Routing overhead", {
      unit: "milliseconds",
      group: "Latency",
      direction: "down",
      hint: "Time that the router takes to choose a worker, all steps together.",
    }),
    dynamo_router_overhead_block_hashing_ms: histogram("Routing overhead: block hashing", {
      unit: "milliseconds",
      group: "Latency",
      direction: "down",
    }),
    dynamo_router_overhead_indexer_find_matches_ms: histogram("Routing overhead: index lookup", {
      unit: "milliseconds",
      group: "Latency",
      direction: "down",
    }),
    dynamo_router_overhead_seq_hashing_ms: histogram("Routing overhead: sequence hashing", {
      unit: "milliseconds",
      group: "Latency",
      direction: "down",
    }),
    dynamo_router_overhead_scheduling_ms: histogram("Routing overhead: scheduling", {
      unit: "milliseconds",
      group: "Latency",
      direction: "down",
    }),
    dynamo_request_plane_queue_seconds: histogram("Request plane queue", {
      unit: "seconds",
      group: "Latency",
      direction: "down",
      hint: "From the request's entry to its sending: serialization and encoding.",
    }),
    dynamo_request_plane_send_seconds: histogram("Request plane send", {
      unit: "seconds",
      group: "Latency",
      direction: "down",
      hint: "Until the worker has acknowledged: network and queue.",
    }),
    dynamo_request_plane_roundtrip_ttft_seconds: histogram("Request plane round trip to first token", {
      unit: "seconds",
      group: "Latency",
      direction: "down",
      hint: "From sending to the first response item, as the frontend sees it.",
    }),
    dynamo_request_plane_inflight: gauge("Requests on the request plane", { unit: "requests" }),
    dynamo_transport_tcp_pool_active: gauge("TCP connections in use", { group: "Process and system" }),
    dynamo_transport_tcp_pool_idle: gauge("TCP connections idle", { group: "Process and system" }),
    dynamo_transport_tcp_bytes_sent: counter("TCP bytes sent", { unit: "bytes", group: "Process and system" }),
    dynamo_transport_tcp_bytes_received: counter("TCP bytes received", { unit: "bytes", group: "Process and system" }),
    dynamo_transport_tcp_errors: counter("TCP errors", { group: "Process and system", direction: "down" }),
    dynamo_transport_tcp_server_queue_depth: gauge("TCP server queue", { direction: "down" }),
    dynamo_transport_nats_errors: counter("NATS errors", { group: "Process and system", direction: "down" }),
    dynamo_tokio_worker_mean_poll_time_ns: gauge("Tokio poll time", {
      unit: "nanoseconds",
      group: "Process and system",
      direction: "down",
    }),
    dynamo_tokio_global_queue_depth: gauge("Tokio global queue", { group: "Process and system", direction: "down" }),
    dynamo_tokio_worker_local_queue_depth: gauge("Tokio worker queues", {
      group: "Process and system",
      direction: "down",
    }),
    dynamo_tokio_blocking_queue_depth: gauge("Tokio blocking queue", {
      group: "Process and system",
      direction: "down",
    }),
    dynamo_tokio_worker_busy_ratio: gauge("Tokio workers busy", { unit: "ratio", group: "Process and system" }),
    dynamo_tokio_budget_forced_yield: counter("Tokio forced yields", { group: "Process and system" }),
    dynamo_tokio_worker_park_count: counter("Tokio worker parks", { group: "Process and system" }),
    dynamo_tokio_worker_steal_count: counter("Tokio worker steals", { group: "Process and system" }),
    dynamo_tokio_worker_overflow_count: counter("Tokio worker overflows", { group: "Process and system" }),
    dynamo_tokio_blocking_threads: gauge("Tokio blocking threads", { group: "Process and system" }),
    dynamo_tokio_blocking_idle_threads: gauge("Tokio blocking threads idle", { group: "Process and system" }),
    dynamo_tokio_alive_tasks: gauge("Tokio tasks alive", { group: "Process and system" }),
    dynamo_kvindexer_request_duration_seconds: histogram("KV indexer latency", { unit: "seconds", direction: "down" }),
    dynamo_kvindexer_requests: counter("KV indexer requests", { unit: "requests" }),
    dynamo_kvindexer_errors: counter("KV indexer errors", { direction: "down", group: "Throughput" }),
    dynamo_kvindexer_models: gauge("KV indexer models", { group: "Model configuration" }),
    dynamo_kvindexer_workers: gauge("KV indexer workers", { group: "Model configuration" }),
  },
  tiles: [
    { id: "dynamo-router.overhead", family: "dynamo_router_overhead_total_ms", statistic: "p99_estimate" },
    { id: "dynamo-router.plane-queue", family: "dynamo_request_plane_queue_seconds", statistic: "p99_estimate" },
    { id: "dynamo-router.plane-send", family: "dynamo_request_plane_send_seconds", statistic: "p99_estimate" },
    {
      id: "dynamo-router.plane-ttft",
      family: "dynamo_request_plane_roundtrip_ttft_seconds",
      statistic: "p99_estimate",
    },
  ],
  enable: "The router's metrics come with those of the Dynamo frontend, at /metrics of its HTTP port.",
  staticFamilies: [],
});
