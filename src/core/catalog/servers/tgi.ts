import { counter, defineServer, gauge, histogram, SATURATED } from "../define.js";

/** Text Generation Inference. Its durations are seconds without a unit in the name. */
export const tgi = defineServer({
  id: "tgi",
  name: "TGI",
  prefixes: ["tgi_"],
  withoutTotal: /^tgi_/,
  families: {
    tgi_queue_size: gauge("Requests waiting", {
      unit: "requests",
      direction: "down",
      hint: "Requests in the router's queue. Growing: the server is saturated.",
    }),
    tgi_batch_current_size: gauge("Requests running", { unit: "requests", hint: "Size of the current batch." }),
    tgi_batch_current_max_tokens: gauge("Batch token budget", { unit: "tokens", group: "Queue and batch" }),
    tgi_batch_max_total_tokens: gauge("Most tokens of a batch", { unit: "tokens", group: "Model configuration" }),
    tgi_batch_total_tokens: gauge("Batch tokens", { unit: "tokens", group: "Queue and batch" }),
    tgi_batch_next_size: histogram("Size of the next batch", { unit: "requests" }),
    tgi_batch_concat: counter("Batches joined", { group: "Queue and batch" }),
    tgi_batch_concat_duration: histogram("Batch joining time", { unit: "seconds", direction: "down" }),
    tgi_batch_inference_count: counter("Inference calls, by method", { group: "Queue and batch" }),
    tgi_batch_inference_success: counter("Inference calls that succeeded", {
      direction: "up",
      group: "Queue and batch",
    }),
    tgi_batch_inference_failure: counter("Inference calls that failed", {
      direction: "down",
      group: "Queue and batch",
    }),
    tgi_batch_inference_duration: histogram("Inference time of a batch", { unit: "seconds", direction: "down" }),
    tgi_batch_forward_duration: histogram("Forward time of a batch", { unit: "seconds", direction: "down" }),
    tgi_batch_decode_duration: histogram("Detokenization time of a batch", { unit: "seconds", direction: "down" }),
    tgi_batch_filter_duration: histogram("Filter time of a batch", { unit: "seconds", direction: "down" }),
    tgi_request_count: counter("Requests received", { unit: "requests", group: "Throughput" }),
    tgi_request_success: counter("Requests finished", { unit: "requests", direction: "up" }),
    tgi_request_failure: counter("Requests failed", { unit: "requests", group: "Throughput", direction: "down" }),
    tgi_request_duration: histogram("Request latency", {
      unit: "seconds",
      direction: "down",
      hint: "From receipt to the end of the answer, validation and queue included.",
    }),
    tgi_request_queue_duration: histogram("Queue time", {
      unit: "seconds",
      direction: "down",
      group: "Latency",
      hint: "Time in the router's queue.",
    }),
    tgi_request_inference_duration: histogram("Inference time", {
      unit: "seconds",
      direction: "down",
      hint: "Prefill and decode together, without the queue.",
    }),
    tgi_request_validation_duration: histogram("Validation time", { unit: "seconds", direction: "down" }),
    tgi_request_mean_time_per_token_duration: histogram("Time per output token", {
      unit: "seconds",
      direction: "down",
      hint: "One mean for each request, not the gaps between its tokens.",
    }),
    tgi_request_generated_tokens: histogram("Output length", { unit: "tokens", group: "Throughput" }),
    tgi_request_input_length: histogram("Prompt length", { unit: "tokens", group: "Throughput" }),
    tgi_request_max_new_tokens: histogram("Longest output asked for", { unit: "tokens", group: "Queue and batch" }),
    tgi_request_skipped_tokens: histogram("Draft tokens accepted per request", {
      unit: "tokens",
      group: "Speculative decoding",
    }),
  },
  tiles: [
    { id: "tgi.running", family: "tgi_batch_current_size", statistic: "avg" },
    { id: "tgi.queue", family: "tgi_queue_size", statistic: "max", watch: SATURATED },
    { id: "tgi.e2e", family: "tgi_request_duration", statistic: "p99_estimate" },
    { id: "tgi.queue-time", family: "tgi_request_queue_duration", statistic: "p99_estimate" },
    { id: "tgi.inference", family: "tgi_request_inference_duration", statistic: "p99_estimate" },
    { id: "tgi.tpot", family: "tgi_request_mean_time_per_token_duration", statistic: "p99_estimate" },
    { id: "tgi.success", family: "tgi_request_success", statistic: "rate" },
  ],
  enable: "TGI serves its metrics at /metrics of its HTTP port (3000, or 80 in its container).",
  staticFamilies: [],
});
