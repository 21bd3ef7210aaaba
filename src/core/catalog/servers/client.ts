import { counter, defineServer, gauge } from "../define.js";

/** Of what a benchmark client saw. */
const CLIENT_PREFIX = "client:";

/** Whether a family tells what a benchmark client saw, not a server. */
export function isClientFamily(name: string): boolean {
  return name.startsWith(CLIENT_PREFIX);
}

const REQUEST = "Measured by the benchmark client: one value per request, so percentiles are exact.";
const END = "Counted by the benchmark client when a request ends.";

/** The benchmark client beside the servers. */
export const client = defineServer({
  id: "client",
  name: "Benchmark client",
  prefixes: [CLIENT_PREFIX],
  families: {
    "client:time_to_first_token_seconds": gauge("Time to first token (client)", "Latency: seconds, down", {
      hint: REQUEST,
    }),
    "client:inter_token_latency_seconds": gauge("Inter-token latency (client)", "Latency: seconds, down", {
      hint: `${REQUEST} The mean of the request: (latency - time to first token) / (output tokens - 1).`,
    }),
    "client:request_latency_seconds": gauge("Request latency (client)", "Latency: seconds, down", {
      hint: `${REQUEST} From the start to the last content.`,
    }),
    "client:concurrency_requests": gauge("Requests in flight (client)", "Queue and batch: requests", {
      hint: "Started and not over yet, failed requests included.",
    }),
    "client:requests": counter("Requests completed (client)", "Throughput: requests, up", { hint: END }),
    "client:failed_requests": counter("Requests failed (client)", "Throughput: requests, down", { hint: END }),
    "client:cancelled_requests": counter("Requests cancelled (client)", "Throughput: requests, down", { hint: END }),
    "client:input_tokens": counter("Prompt tokens (client)", "Throughput: tokens", { hint: END }),
    "client:output_tokens": counter("Output tokens (client)", "Throughput: tokens, up", { hint: END }),
    "client:input_sequence_length_tokens": gauge("Prompt length (client)", "Other: tokens", { hint: REQUEST }),
    "client:output_sequence_length_tokens": gauge("Output length (client)", "Other: tokens", { hint: REQUEST }),
    "client:usage_completion_tokens_tokens": gauge("Output length by the server (client)", "Other: tokens", {
      hint: "What the server says it generated, one value per request.",
    }),
    "client:decode_seconds": counter("Decode time (client)", "Latency: seconds", {
      hint: "From the first token to the last, all requests together.",
    }),
    "client:decode_tokens": counter("Tokens after the first (client)", "Throughput: tokens", {
      hint: "Decode time divided by it is the mean gap between two tokens.",
    }),
    "client:request_throughput_per_second": gauge("Request throughput (client)", "Throughput: requests/s, up"),
    "client:output_token_throughput_per_second": gauge("Output token throughput (client)", "Throughput: tokens/s, up"),
  },
  tiles: [
    { id: "client.ttft", family: "client:time_to_first_token_seconds", statistic: "avg" },
    { id: "client.itl", family: "client:inter_token_latency_seconds", statistic: "avg" },
    { id: "client.latency", family: "client:request_latency_seconds", statistic: "avg" },
    { id: "client.requests", family: "client:requests", statistic: "rate" },
    { id: "client.output-tokens", family: "client:output_tokens", statistic: "rate" },
    { id: "client.concurrency", family: "client:concurrency_requests", statistic: "avg" },
  ],
  enable: "Its results are read from files beside the artifact, or from those that --client names.",
});
