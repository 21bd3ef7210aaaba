import type { DerivedMetric, Direction, KeyStatistic, ServerId } from "../definition.js";
import { restOf } from "../define.js";
import { SERVERS } from "../servers/index.js";

export type ConceptId =
  | "ttft"
  | "inter-token-latency"
  | "e2e-latency"
  | "queue-time"
  | "running"
  | "waiting"
  | "kv-usage"
  | "prefix-hit-rate"
  | "prompt-tokens"
  | "generation-tokens"
  | "finished"
  | "preempted";

/** What one server exposes of a concept: a family, or a metric derived from several. */
export interface ConceptMember {
  readonly server: ServerId;
  /** Canonical name. */
  readonly family?: string;
  readonly derived?: DerivedMetric;
  /** What the server means by it. Members of one definition mean the same. */
  readonly definition: string;
  /** What one value stands for. Values of different things are never compared with each other. */
  readonly of: string;
  /** What it counts besides: of running requests those that wait, of waiting ones those whose prompt is computed. */
  readonly holds: "waiting" | "prefill" | undefined;
}

/** One quantity, whatever the engine calls it. */
export interface Concept {
  readonly id: ConceptId;
  readonly title: string;
  readonly unit: string;
  readonly direction: Direction;
  readonly statistic: KeyStatistic;
  /** Of one server the best first. */
  readonly members: readonly ConceptMember[];
}

/** A concept that a server tells in the series with one label of a family that holds several quantities. */
export interface ConceptSeries {
  readonly concept: ConceptId;
  /** Canonical name. */
  readonly family: string;
  readonly label: readonly [name: string, value: string];
}

function concept(
  id: Concept["id"],
  title: string,
  about: Lowercase<string>,
  statistic: Concept["statistic"],
  members: Concept["members"],
): Concept {
  return { id, title, unit: "", direction: "neutral", ...restOf(about), statistic, members };
}

/** @param name canonical, of a family, or the id of a derived metric */
function member(name: string, of: string, definition: string, holds?: ConceptMember["holds"]): ConceptMember {
  const server = SERVERS.find(({ families, derived }) => name in families || derived.some(({ id }) => id === name));
  if (server === undefined) throw new RangeError(`no metric "${name}" in the catalogue`);
  const derived = server.derived.find(({ id }) => id === name);
  return { server: server.id, of, definition, holds, ...(derived === undefined ? { family: name } : { derived }) };
}

const REQUEST = "the time of each request";
const GAP = "each gap between two tokens of a request";
/** What one value of some inter-token latencies stands for; of the others it is one gap. */
export const MEAN_GAP = "one mean for each finished request";
const NOW = "requests at the moment of the scrape";
const IN_FLIGHT = "requests running and waiting together";
const SHARE = "a share of the KV cache";
const TOKENS = "tokens counted one by one";
const REQUESTS = "requests counted one by one";
const WINDOW_HITS = "a share of the tokens of the window";

const ARRIVAL = "from arrival at the engine, the queue included";
const RECEIPT = "from the frontend's own receipt, network and routing included";
const GATEWAY_RECEIPT = "from the gateway's receipt, network and routing included";
const BLOCKS = "share of blocks in use";
const BATCH = "requests in the running batch";
const QUEUE = "requests in the engine's queue";
const ENGINE_QUEUE_TIME = "time in the engine's waiting queue";
const BY_STEP = "counted as the engine works";
const AT_END = "counted when a request finishes, so that the rate comes in steps";

/** In the order in which they are shown. */
export const CONCEPTS: readonly Concept[] = [
  concept("ttft", "Time to first token", "seconds, down", "p99_estimate", [
    member("vllm:time_to_first_token_seconds", REQUEST, ARRIVAL),
    member("sglang:time_to_first_token_seconds", REQUEST, ARRIVAL),
    member("trtllm:time_to_first_token_seconds", REQUEST, "from arrival at the server"),
    member("dynamo_frontend_time_to_first_token_seconds", REQUEST, RECEIPT),
    member("llm_d_epp_request_ttft_seconds", REQUEST, GATEWAY_RECEIPT),
    member("nv_inference_first_response_histogram_ms", REQUEST, "to the first response, of any model"),
  ]),
  concept("inter-token-latency", "Inter-token latency", "seconds, down", "p99_estimate", [
    member("vllm:inter_token_latency_seconds", GAP, "gaps between tokens, as the engine makes them"),
    member("vllm:request_time_per_output_token_seconds", MEAN_GAP, "decode time by output tokens"),
    member("sglang:inter_token_latency_seconds", GAP, "gaps between tokens, as the engine makes them"),
    member("sglang:time_per_output_token_seconds", MEAN_GAP, "decode time by output tokens"),
    member("trtllm:time_per_output_token_seconds", MEAN_GAP, "decode time by output tokens"),
    member("trtllm:inter_token_latency_seconds", GAP, "gaps between tokens, of Dynamo's simulated engine"),
    member("tgi_request_mean_time_per_token_duration", MEAN_GAP, "mean time per token, prefill included"),
    member("dynamo_frontend_inter_token_latency_seconds", GAP, "gaps as the frontend receives them"),
    member("llm_d_epp_request_streaming_itl_seconds", GAP, "gaps as the gateway receives them"),
    member("llm_d_epp_request_streaming_tpot_seconds", MEAN_GAP, "decode time by output tokens, at the gateway"),
  ]),
  concept("e2e-latency", "Request latency", "seconds, down", "p99_estimate", [
    member("vllm:e2e_request_latency_seconds", REQUEST, ARRIVAL),
    member("sglang:e2e_request_latency_seconds", REQUEST, ARRIVAL),
    member("trtllm:e2e_request_latency_seconds", REQUEST, "from arrival at the server"),
    member("tgi_request_duration", REQUEST, "from receipt, validation and queue included"),
    member("dynamo_frontend_request_duration_seconds", REQUEST, RECEIPT),
    member("dynamo_component_request_duration_seconds", REQUEST, "from receipt by the worker"),
    member("llm_d_epp_request_duration_seconds", REQUEST, GATEWAY_RECEIPT),
  ]),
  concept("queue-time", "Queue time", "seconds, down", "p99_estimate", [
    member("vllm:request_queue_time_seconds", REQUEST, `${ENGINE_QUEUE_TIME}, of finished requests`),
    member("sglang:queue_time_seconds", REQUEST, `${ENGINE_QUEUE_TIME}, of scheduled requests`),
    member("trtllm:request_queue_time_seconds", REQUEST, `${ENGINE_QUEUE_TIME}, of finished requests`),
    member("tgi_request_queue_duration", REQUEST, "time in the router's queue"),
    member(
      "llm_d_epp_flow_control_request_queue_duration_seconds",
      "the time of each request in the gateway",
      "time held back by flow control",
    ),
  ]),
  concept("running", "Requests running", "requests", "avg", [
    member("vllm:num_requests_running", NOW, BATCH),
    member("sglang:num_running_reqs", NOW, BATCH),
    member("trtllm:num_requests_running", NOW, "active requests, scheduled or not"),
    member("tgi_batch_current_size", NOW, BATCH),
    member("llamacpp:requests_processing", NOW, "busy slots"),
    member("dynamo_frontend_inflight_requests", IN_FLIGHT, "received and not finished", "waiting"),
    member("dynamo_component_inflight_requests", IN_FLIGHT, "received and not finished", "waiting"),
    member("llm_d_epp_average_running_requests", "a mean over the pool's endpoints", "mean of the pool"),
  ]),
  concept("waiting", "Requests waiting", "requests, down", "max", [
    member("vllm:num_requests_waiting", NOW, QUEUE),
    member("sglang:num_queue_reqs", NOW, QUEUE),
    member("trtllm:num_requests_waiting", NOW, QUEUE),
    member("tgi_queue_size", NOW, "requests in the router's queue"),
    member("llamacpp:requests_deferred", NOW, "requests without a slot"),
    member("nv_inference_pending_request_count", NOW, "requests that no backend has taken"),
    member(
      "dynamo_frontend_queued_requests",
      "requests without a first token yet",
      "received and without a first token, prefill included",
      "prefill",
    ),
    member("llm_d_epp_average_queue_size", "a mean over the pool's endpoints", "mean of the pool"),
  ]),
  concept("kv-usage", "KV cache usage", "ratio", "max", [
    member("vllm:kv_cache_usage_perc", SHARE, BLOCKS),
    member("sglang:token_usage", SHARE, "share of tokens in use, without those that could be evicted"),
    member("trtllm:kv_cache_utilization", SHARE, BLOCKS),
    member("llamacpp:kv_cache_usage_ratio", SHARE, "share of cells in use"),
    member("dynamo_component_gpu_cache_usage_percent", SHARE, BLOCKS),
    member("llm_d_epp_average_kv_cache_utilization", "a mean over the pool's endpoints", "mean of the pool"),
  ]),
  concept("prefix-hit-rate", "Prefix cache hit rate", "ratio, up", "avg", [
    member("vllm.prefix-hit-rate", WINDOW_HITS, "tokens hit by tokens looked up"),
    member("sglang.effective-hit-rate", WINDOW_HITS, "cached by prompt tokens of the window's prefills"),
    member("sglang.prefix-hit-rate", WINDOW_HITS, "cached by prompt tokens of finished requests"),
    member("sglang:cache_hit_rate", "a reading of the last batch", "tokens hit by tokens of the last batch"),
    member("trtllm.kv-hit-rate", "a share of the blocks of the window", "blocks reused by blocks asked for"),
    member("trtllm.prefix-hit-rate", WINDOW_HITS, "tokens hit by tokens looked up"),
    member(
      "dynamo_component_kvstats_gpu_prefix_cache_hit_rate",
      "a share as the engine reports it",
      "as the engine reports it, over time of its own",
    ),
    member("lmcache.lookup-hit-rate", "a share of LMCache's own lookups", "tokens that the engine had not"),
  ]),
  concept("prompt-tokens", "Prompt tokens", "tokens, up", "rate", [
    member("vllm:prompt_tokens", TOKENS, `${BY_STEP}, tokens from the cache included`),
    member("sglang:prompt_tokens", TOKENS, AT_END),
    member("trtllm:prompt_tokens", TOKENS, AT_END),
    member("llamacpp:prompt_tokens", TOKENS, "counted at the end of a prompt, without cached tokens"),
  ]),
  concept("generation-tokens", "Generation tokens", "tokens, up", "rate", [
    member("vllm:generation_tokens", TOKENS, BY_STEP),
    member("sglang:generation_tokens", TOKENS, AT_END),
    member("sglang:gen_throughput", "a rate over the last batches", "rate of the last decode batches"),
    member("trtllm:generation_tokens", TOKENS, AT_END),
    member("llamacpp:tokens_predicted", TOKENS, AT_END),
    member("dynamo_frontend_output_tokens", TOKENS, "counted as the frontend streams them"),
  ]),
  concept("finished", "Requests finished", "requests, up", "rate", [
    member("vllm:request_success", REQUESTS, "every end but a rejection, aborted ones included"),
    member("sglang:num_requests", REQUESTS, "every request that ended"),
    member("trtllm:request_success", REQUESTS, "requests that ended without an error"),
    member("tgi_request_success", REQUESTS, "requests that ended without an error"),
    member("dynamo_frontend_requests", REQUESTS, "every request that ended, errors included"),
    member("dynamo_component_requests", REQUESTS, "every request of the worker, errors included"),
    member("nv_inference_request_success", REQUESTS, "requests that ended without an error"),
    member("llm_d_epp_request", "requests as they arrive", "every request received"),
  ]),
  concept("preempted", "Preemptions", "requests, down", "total", [
    member("vllm:num_preemptions", REQUESTS, "preempted: computed again later"),
    member("trtllm:num_preemptions", REQUESTS, "preempted: computed again later"),
    member("sglang:num_retracted_requests", REQUESTS, "retracted: back to the queue, computed again later"),
    member("sglang:num_retracted_reqs", NOW, "retracted by the last step"),
  ]),
];

/** By these the gateways of Kubernetes read Triton with the TensorRT-LLM backend, too. */
export const CONCEPT_SERIES: readonly ConceptSeries[] = [
  { concept: "running", family: "nv_trt_llm_request_metrics", label: ["request_type", "scheduled"] },
  { concept: "waiting", family: "nv_trt_llm_request_metrics", label: ["request_type", "waiting"] },
  { concept: "kv-usage", family: "nv_trt_llm_kv_cache_block_metrics", label: ["kv_cache_block_type", "fraction"] },
];

/** @throws RangeError for an id that the catalogue has not */
export function conceptById(id: ConceptId): Concept {
  const concept = CONCEPTS.find((candidate) => candidate.id === id);
  if (concept === undefined) throw new RangeError(`no concept "${id}" in the catalogue`);
  return concept;
}
