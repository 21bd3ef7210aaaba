import type { ServerId } from "../definition.js";
import type { PanelDefinition } from "./definition.js";

/** What people look at first of any engine. A server shows those whose quantities the catalogue knows of it. */
export const COMMON_PANELS: readonly PanelDefinition[] = [
  { id: "requests", title: "Request rate", items: [{ concept: "finished" }] },
  { id: "tokens", title: "Tokens", items: [{ concept: "prompt-tokens" }, { concept: "generation-tokens" }] },
  { id: "ttft", title: "Time to first token", items: [{ concept: "ttft" }] },
  { id: "inter-token", title: "Inter-token latency", items: [{ concept: "inter-token-latency" }] },
  { id: "e2e", title: "Request latency", items: [{ concept: "e2e-latency" }] },
  { id: "queue", title: "Queue time", items: [{ concept: "queue-time" }] },
  { id: "load", title: "Running and waiting", items: [{ concept: "running" }, { concept: "waiting" }] },
  { id: "kv", title: "KV cache", items: [{ concept: "kv-usage" }] },
  { id: "prefix", title: "Prefix cache", items: [{ concept: "prefix-hit-rate" }] },
  { id: "preemptions", title: "Preemptions", items: [{ concept: "preempted" }] },
];

const DYNAMO_FLAG = "--publish-metrics (in older versions --publish-events-and-metrics)";

export const TRTLLM_NEEDS =
  "Use a recent TensorRT-LLM, and set return_perf_metrics: true and enable_iter_perf_stats: true in the YAML file that " +
  `--config names. Under Dynamo, start the worker with ${DYNAMO_FLAG}.`;

const WORKER_NEEDS = `Of a TensorRT-LLM worker: start it with ${DYNAMO_FLAG}; of one with SGLang: with --enable-metrics.`;

/** How to make a server expose what a common panel shows, by the panel's id, where that takes a flag. */
export const COMMON_NEEDS: { readonly [S in ServerId]?: Readonly<Record<string, string>> } = {
  trtllm: { tokens: TRTLLM_NEEDS, load: TRTLLM_NEEDS, kv: TRTLLM_NEEDS, prefix: TRTLLM_NEEDS },
  "dynamo-component": { kv: WORKER_NEEDS, prefix: WORKER_NEEDS },
};
