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
