import { counter, defineServer, gauge, histogram } from "../define.js";

/** What the frontend and the router say of the way between them and the workers. */
export const dynamoRouter = defineServer({
  id: "dynamo-router",
  name: "Dynamo router",
  // After those of the other parts of Dynamo, whose prefixes begin alike.
  prefixes: ["dynamo_"],
  withoutTotal: /^dynamo_kvrouter_kv_cache_event/,
  families: {
    dynamo_router_overhead_total_ms: histogram("Routing overhead", "Latency: milliseconds, down", {
      hint: "Time that the router takes to choose a worker, all steps together.",
    }),
    dynamo_router_overhead_block_hashing_ms: histogram(
      "Routing overhead: block hashing",
      "Latency: milliseconds, down",
      { hint: "Hashing the prompt's blocks." },
    ),
    dynamo_router_overhead_indexer_find_matches_ms: histogram(
      "Routing overhead: index lookup",
      "Latency: milliseconds, down",
      { hint: "Finding the workers that hold the prompt's prefix." },
    ),
    dynamo_router_overhead_seq_hashing_ms: histogram(
      "Routing overhead: sequence hashing",
      "Latency: milliseconds, down",
      { hint: "Hashing the prompt as a whole." },
    ),
    dynamo_router_overhead_scheduling_ms: histogram("Routing overhead: scheduling", "Latency: milliseconds, down", {
      hint: "Choosing a worker by cost.",
    }),
    dynamo_router_overhead_shared_cache_query_ms: histogram(
      "Routing overhead: shared cache",
      "Latency: milliseconds, down",
      { hint: "Asking the shared KV cache." },
    ),
    dynamo_router_shared_cache_errors: counter("Shared cache errors", "KV cache: down"),
    dynamo_request_plane_queue_seconds: histogram("Request plane queue", "Latency: seconds, down", {
      hint: "From the request's entry to its sending: serialization and encoding.",
    }),
    dynamo_request_plane_send_seconds: histogram("Request plane send", "Latency: seconds, down", {
      hint: "Until the worker has acknowledged: network and queue.",
    }),
    dynamo_request_plane_roundtrip_ttft_seconds: histogram(
      "Request plane round trip to first token",
      "Latency: seconds, down",
      { hint: "From sending to the first response item, as the frontend sees it." },
    ),
    dynamo_request_plane_inflight_requests: gauge("Requests on the request plane", "requests"),
    dynamo_engine_request: gauge("Requests in the engine", "Queue and batch: requests", {
      hint: "Of a worker, up to its limit (--engine-request-limit).",
    }),
    dynamo_request_queue: gauge("Requests queued before the engine", "Queue and batch: requests, down"),
    dynamo_rejection_request: counter("Requests rejected at capacity", "Throughput: requests, down", {
      hint: "The engine's slots and Dynamo's queue were both full.",
    }),
    dynamo_work_handler_queue_depth: gauge("Worker queue", "Queue and batch: down"),
    dynamo_work_handler_queue_capacity: gauge("Worker queue capacity", "Model configuration:"),
    dynamo_work_handler_enqueue_rejected: counter("Worker queue closed", "Throughput: down"),
    dynamo_work_handler_permit_wait_seconds: histogram("Wait for a worker slot", "Latency: seconds, down", {
      hint: "Far below a millisecond unless the worker is saturated.",
    }),
    dynamo_work_handler_pool_active_tasks: gauge("Worker slots in use", "Queue and batch:"),
    dynamo_work_handler_pool_capacity: gauge("Worker slots", "Model configuration:"),
    dynamo_work_handler_network_transit_seconds: histogram("Network transit to the worker", "Latency: seconds, down", {
      hint: "By two clocks: an offset between them shows.",
    }),
    dynamo_work_handler_time_to_first_response_seconds: histogram(
      "Time to first response, at the worker",
      "Latency: seconds, down",
    ),
    dynamo_kvrouter_kv_cache_events_applied: counter("KV events applied to the index", "KV cache:"),
    dynamo_kvrouter_kv_cache_event_warnings: counter("KV events in doubt, at the index", "KV cache: down"),
    dynamo_kvrouter_ckf_mutation: counter("Filter changes, at the index", "KV cache:"),
    dynamo_embedding_batch_size: histogram("Inputs per embedding request", "Queue and batch:"),
    dynamo_embedding_input_tokens: histogram("Tokens per embedding request", "Queue and batch: tokens"),
    dynamo_transport_tcp_pool_active: gauge("TCP connections in use", "Process and system:"),
    dynamo_transport_tcp_pool_idle: gauge("TCP connections idle", "Process and system:"),
    dynamo_transport_tcp_bytes_sent: counter("TCP bytes sent", "Process and system: bytes"),
    dynamo_transport_tcp_bytes_received: counter("TCP bytes received", "Process and system: bytes"),
    dynamo_transport_tcp_errors: counter("TCP errors", "Process and system: down"),
    dynamo_transport_tcp_server_queue_depth: gauge("TCP server queue", "down"),
    dynamo_transport_tcp_accept_backoff: counter("TCP accepts held back", "Process and system: down"),
    dynamo_transport_nats_errors: counter("NATS errors", "Process and system: down"),
    dynamo_tokio_worker_mean_poll_time_ns: gauge("Tokio poll time", "Process and system: nanoseconds, down"),
    dynamo_tokio_global_queue_depth: gauge("Tokio global queue", "Process and system: down"),
    dynamo_tokio_worker_local_queue_depth: gauge("Tokio worker queues", "Process and system: down"),
    dynamo_tokio_blocking_queue_depth: gauge("Tokio blocking queue", "Process and system: down"),
    dynamo_tokio_worker_busy_ratio: gauge("Tokio workers busy", "Process and system: ratio"),
    dynamo_tokio_budget_forced_yield: counter("Tokio forced yields", "Process and system:"),
    dynamo_tokio_worker_park_count: counter("Tokio worker parks", "Process and system:"),
    dynamo_tokio_worker_steal_count: counter("Tokio worker steals", "Process and system:"),
    dynamo_tokio_worker_overflow_count: counter("Tokio worker overflows", "Process and system:"),
    dynamo_tokio_blocking_threads: gauge("Tokio blocking threads", "Process and system:"),
    dynamo_tokio_blocking_idle_threads: gauge("Tokio blocking threads idle", "Process and system:"),
    dynamo_tokio_alive_tasks: gauge("Tokio tasks alive", "Process and system:"),
    dynamo_tokio_queue_overload_warnings: counter("Tokio queue overloads", "Process and system: down", {
      hint: "Warnings of a runtime that has had too much to run for a while: the process itself is the limit.",
    }),
    dynamo_epp_requests: counter("Requests, at the endpoint picker", "Throughput: requests"),
    dynamo_epp_request_duration_seconds: histogram("Request latency, at the endpoint picker", "seconds, down"),
    dynamo_epp_streams_inflight: gauge("Gateway streams open", "Queue and batch:"),
    dynamo_epp_phase_duration_seconds: histogram("Endpoint picker, time of a phase", "Latency: seconds, down"),
    dynamo_epp_first_response_body_seconds: histogram(
      "Time to the first part of the answer",
      "Latency: seconds, down",
      { hint: "Not the first token: it may be a message without one." },
    ),
    dynamo_epp_lifecycle_callbacks: counter("Endpoint picker callbacks", "Process and system:"),
    dynamo_epp_cached_tokens: histogram("Prompt tokens cached per request, at the endpoint picker", "KV cache: tokens"),
    dynamo_kvindexer_request_duration_seconds: histogram("KV indexer latency", "seconds, down"),
    dynamo_kvindexer_requests: counter("KV indexer requests", "requests"),
    dynamo_kvindexer_errors: counter("KV indexer errors", "Throughput: down"),
    dynamo_kvindexer_models: gauge("KV indexer models", "Model configuration:"),
    dynamo_kvindexer_workers: gauge("KV indexer workers", "Model configuration:"),
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
  renamed: { dynamo_request_plane_inflight: "dynamo_request_plane_inflight_requests" },
  enable: "The router's metrics come with those of the Dynamo frontend, at /metrics of its HTTP port.",
});
