import { defineServer, gauge } from "../define.js";

const INTERVAL = { over: "recent" } as const;

export const dynamoPlanner = defineServer({
  id: "dynamo-planner",
  name: "Dynamo planner",
  prefixes: ["dynamo_planner_"],
  families: {
    dynamo_planner_num_prefill_replicas: gauge("Prefill replicas", "Queue and batch:"),
    dynamo_planner_num_decode_replicas: gauge("Decode replicas", "Queue and batch:"),
    dynamo_planner_predicted_num_prefill_replicas: gauge("Prefill replicas decided", "Queue and batch:", {
      hint: "As the planner wants them; it scales towards them.",
    }),
    dynamo_planner_predicted_num_decode_replicas: gauge("Decode replicas decided", "Queue and batch:", {
      hint: "As the planner wants them; it scales towards them.",
    }),
    dynamo_planner_observed_ttft_ms: gauge("Time to first token, observed", "Latency: milliseconds, down", {
      computed: INTERVAL,
      hint: "Mean over the planner's interval.",
    }),
    dynamo_planner_observed_itl_ms: gauge("Inter-token latency, observed", "Latency: milliseconds, down", {
      computed: INTERVAL,
      hint: "Mean over the planner's interval.",
    }),
    dynamo_planner_observed_requests_per_second: gauge("Request rate, observed", "Throughput: requests/s", {
      computed: INTERVAL,
    }),
    dynamo_planner_observed_request_duration_seconds: gauge("Request latency, observed", "Latency: seconds, down", {
      computed: INTERVAL,
    }),
    dynamo_planner_observed_input_sequence_tokens: gauge("Prompt length, observed", "Queue and batch: tokens", {
      computed: INTERVAL,
    }),
    dynamo_planner_observed_output_sequence_tokens: gauge("Output length, observed", "Queue and batch: tokens", {
      computed: INTERVAL,
    }),
    dynamo_planner_predicted_requests_per_second: gauge("Request rate, predicted", "Throughput: requests/s"),
    dynamo_planner_predicted_input_sequence_tokens: gauge("Prompt length, predicted", "Queue and batch: tokens"),
    dynamo_planner_predicted_output_sequence_tokens: gauge("Output length, predicted", "Queue and batch: tokens"),
    dynamo_planner_estimated_ttft_ms: gauge("Time to first token, estimated", "Latency: milliseconds", {
      hint: "The longest over all engines, by regression.",
    }),
    dynamo_planner_estimated_itl_ms: gauge("Inter-token latency, estimated", "Latency: milliseconds", {
      hint: "The longest over all engines, by regression.",
    }),
    dynamo_planner_engine_prefill_capacity_requests_per_second: gauge(
      "Prefill capacity of an engine",
      "Throughput: requests/s",
    ),
    dynamo_planner_engine_decode_capacity_requests_per_second: gauge(
      "Decode capacity of an engine",
      "Throughput: requests/s",
    ),
    dynamo_planner_engine_queued_prefill_tokens: gauge("Prefill tokens queued", "Queue and batch: tokens"),
    dynamo_planner_engine_queued_decode_kv_tokens: gauge("Decode KV tokens queued", "Queue and batch: tokens"),
    dynamo_planner_engine_inflight_decode_kv_tokens: gauge("Decode KV tokens in flight", "Queue and batch: tokens"),
    dynamo_planner_gpu_hours: gauge("GPU hours", "Queue and batch: hours"),
    dynamo_planner_load_scaling_decision: gauge("Scaling decision, by load", "Queue and batch:"),
    dynamo_planner_throughput_scaling_decision: gauge("Scaling decision, by throughput", "Queue and batch:"),
    dynamo_planner_power_budget_utilization: gauge("Power budget used", "Queue and batch: ratio"),
  },
  tiles: [
    { id: "dynamo-planner.prefill-replicas", family: "dynamo_planner_num_prefill_replicas", statistic: "max" },
    { id: "dynamo-planner.decode-replicas", family: "dynamo_planner_num_decode_replicas", statistic: "max" },
    { id: "dynamo-planner.ttft", family: "dynamo_planner_observed_ttft_ms", statistic: "avg" },
    { id: "dynamo-planner.itl", family: "dynamo_planner_observed_itl_ms", statistic: "avg" },
    { id: "dynamo-planner.request-rate", family: "dynamo_planner_observed_requests_per_second", statistic: "avg" },
  ],
  enable: "Set PLANNER_PROMETHEUS_PORT for the planner; its metrics are then at /metrics of that port.",
});
