import { counter, defineServer, gauge, histogram, SATURATED } from "../define.js";

/** Text Generation Inference. Its durations are seconds without a unit in the name. */
export const tgi = defineServer({
  id: "tgi",
  name: "TGI",
  prefixes: ["tgi_"],
  withoutTotal: /^tgi_/,
  families: {
    tgi_queue_size: gauge("Requests waiting", "requests, down", {
      hint: "Requests in the router's queue. Growing: the server is saturated.",
    }),
    tgi_batch_current_size: gauge("Requests running", "requests", { hint: "Size of the current batch." }),
    tgi_batch_current_max_tokens: gauge("Batch token budget", "Queue and batch: tokens"),
    tgi_batch_max_total_tokens: gauge("Most tokens of a batch", "Model configuration: tokens"),
    tgi_batch_total_tokens: gauge("Batch tokens", "Queue and batch: tokens"),
    tgi_batch_next_size: histogram("Size of the next batch", "requests"),
    tgi_batch_concat: counter("Batches joined", "Queue and batch:"),
    tgi_batch_concat_duration: histogram("Batch joining time", "seconds, down"),
    tgi_batch_inference_count: counter("Inference calls, by method", "Queue and batch:"),
    tgi_batch_inference_success: counter("Inference calls that succeeded", "Queue and batch: up"),
    tgi_batch_inference_failure: counter("Inference calls that failed", "Queue and batch: down"),
    tgi_batch_inference_duration: histogram("Inference time of a batch", "seconds, down"),
    tgi_batch_forward_duration: histogram("Forward time of a batch", "seconds, down"),
    tgi_batch_decode_duration: histogram("Detokenization time of a batch", "seconds, down"),
    tgi_batch_filter_duration: histogram("Filter time of a batch", "seconds, down"),
    tgi_request_count: counter("Requests received", "Throughput: requests"),
    tgi_request_success: counter("Requests finished", "requests, up"),
    tgi_request_failure: counter("Requests failed", "Throughput: requests, down"),
    tgi_request_duration: histogram("Request latency", "seconds, down", {
      hint: "From receipt to the end of the answer, validation and queue included.",
    }),
    tgi_request_queue_duration: histogram("Queue time", "Latency: seconds, down", {
      hint: "Time in the router's queue.",
    }),
    tgi_request_inference_duration: histogram("Inference time", "seconds, down", {
      hint: "Prefill and decode together, without the queue.",
    }),
    tgi_request_validation_duration: histogram("Validation time", "seconds, down"),
    tgi_request_mean_time_per_token_duration: histogram("Time per output token", "seconds, down", {
      hint: "One mean for each request, not the gaps between its tokens.",
    }),
    tgi_request_generated_tokens: histogram("Output length", "Throughput: tokens"),
    tgi_request_input_length: histogram("Prompt length", "Throughput: tokens"),
    tgi_request_max_new_tokens: histogram("Longest output asked for", "Queue and batch: tokens"),
    tgi_request_skipped_tokens: histogram("Draft tokens accepted per request", "Speculative decoding: tokens"),
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
});
