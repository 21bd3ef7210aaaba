import { counter, defineServer, derived, gauge, rateRatio, SATURATED } from "../define.js";

export const llamacpp = defineServer({
  id: "llamacpp",
  name: "llama.cpp",
  prefixes: ["llamacpp:", "llamacpp_"],
  withoutTotal: /^llamacpp:n_tokens_max$/,
  families: {
    "llamacpp:requests_processing": gauge("Requests running", "Queue and batch: requests", { hint: "Slots at work." }),
    "llamacpp:requests_deferred": gauge("Requests waiting", "Queue and batch: requests, down", {
      hint: "Requests that wait for a free slot.",
    }),
    "llamacpp:prompt_tokens": counter("Prompt tokens", "tokens, up", { hint: "Without cached ones." }),
    "llamacpp:prompt_tokens_cached": counter("Prompt tokens cached", "tokens, up"),
    "llamacpp:prompt_seconds": counter("Prompt processing time", "Throughput: seconds"),
    "llamacpp:tokens_predicted": counter("Generation tokens", "Throughput: tokens, up"),
    "llamacpp:tokens_predicted_seconds": counter("Generation time", "Throughput: seconds"),
    "llamacpp:prompt_tokens_seconds": gauge("Prompt throughput, as reported", "Throughput: tokens/s, up", {
      computed: { over: "recent", windowed: "llamacpp.prompt-speed" },
      hint: "Since the last scrape by anyone: two scrapers spoil it for each other.",
    }),
    "llamacpp:predicted_tokens_seconds": gauge("Generation throughput, as reported", "Throughput: tokens/s, up", {
      computed: { over: "recent", windowed: "llamacpp.generation-speed" },
      hint: "Since the last scrape by anyone: two scrapers spoil it for each other.",
    }),
    "llamacpp:kv_cache_usage_ratio": gauge("KV cache usage", "ratio"),
    "llamacpp:kv_cache_tokens": gauge("KV cache tokens used", "tokens"),
    "llamacpp:n_decode": counter("Decode calls", "Queue and batch:", {
      hint: "Each is one pass over the batch of all busy slots.",
    }),
    "llamacpp:n_busy_slots_per_decode": gauge("Busy slots per decode, since start", "Queue and batch: slots", {
      computed: { over: "lifetime", windowed: "llamacpp.busy-slots" },
      hint: "An average since the server started, which hardly moves after a while.",
    }),
    "llamacpp:n_past_max": gauge("Longest context seen", "KV cache: tokens"),
    "llamacpp:n_tokens_max": counter("Longest context seen", "KV cache: tokens", {
      hint: "The server calls it a counter: what it rose by is how much longer a context became than any before.",
    }),
    "llamacpp:spec_decode_num_drafts": counter("Drafts"),
    "llamacpp:spec_decode_num_draft_tokens": counter("Draft tokens", "tokens"),
    "llamacpp:spec_decode_num_accepted_tokens": counter("Draft tokens accepted", "tokens, up"),
    "llamacpp:spec_decode_num_accepted_tokens_per_pos": counter("Draft tokens accepted, by position", "tokens, up"),
  },
  derived: [
    derived("llamacpp.busy-slots", "Busy slots per decode", "slots", {
      derivation: {
        kind: "lifetime-average",
        average: "llamacpp:n_busy_slots_per_decode",
        weight: "llamacpp:n_decode",
      },
      hint: "Rebuilt for the window from the average since start and the number of decode calls.",
    }),
    derived("llamacpp.prompt-speed", "Prompt speed", "tokens/s, up", {
      derivation: rateRatio("llamacpp:prompt_tokens", "llamacpp:prompt_seconds"),
      hint: "Prompt tokens by the time spent on them.",
    }),
    derived("llamacpp.generation-speed", "Generation speed", "tokens/s, up", {
      derivation: rateRatio("llamacpp:tokens_predicted", "llamacpp:tokens_predicted_seconds"),
      hint: "Generated tokens by the time spent on them: of one slot, not of the server.",
    }),
  ],
  tiles: [
    { id: "llamacpp.running", family: "llamacpp:requests_processing", statistic: "avg" },
    { id: "llamacpp.waiting", family: "llamacpp:requests_deferred", statistic: "max", watch: SATURATED },
    { id: "llamacpp.busy-slots", derived: "llamacpp.busy-slots" },
    { id: "llamacpp.decode", family: "llamacpp:tokens_predicted", statistic: "rate" },
    { id: "llamacpp.prefill", family: "llamacpp:prompt_tokens", statistic: "rate" },
    { id: "llamacpp.generation-speed", derived: "llamacpp.generation-speed" },
    { id: "llamacpp.prompt-speed", derived: "llamacpp.prompt-speed" },
    { id: "llamacpp.kv-usage", family: "llamacpp:kv_cache_usage_ratio", statistic: "max" },
  ],
  enable: "Start llama-server with --metrics; its metrics are then at /metrics of its port (8080 unless set).",
});
