import type { ServerId } from "../definition.js";

/**
 * What a panel shows: a concept by its id, which is a quantity under whatever name the server has it, a family by its
 * canonical name, with a row for each value of a label, or a derived metric by its id.
 */
export type PanelItem = string | { readonly family: string; readonly by: string };

/** A part of a server's dashboard. */
export interface PanelDefinition {
  /** Stable, unique within a server. */
  readonly id: string;
  readonly title: string;
  readonly items: readonly PanelItem[];
  /** Its rows are parts of one whole: their averages are shown piled up. */
  readonly stacked?: true;
  /** How to make the server expose it, where that takes a flag. */
  readonly needs?: string;
}

export type ServerPanels = { readonly [S in ServerId]?: readonly PanelDefinition[] };

/** @param items in the order in which they are shown */
export const panel = (
  id: string,
  title: string,
  items: readonly PanelItem[],
  rest: Pick<PanelDefinition, "stacked" | "needs"> = {},
): PanelDefinition => ({ id, title, items, ...rest });

/** What people look at first of any engine. A server shows those whose quantities the catalogue knows of it. */
export const COMMON_PANELS: readonly PanelDefinition[] = [
  panel("requests", "Request rate", ["finished"]),
  panel("tokens", "Tokens", ["prompt-tokens", "generation-tokens"]),
  panel("ttft", "Time to first token", ["ttft"]),
  panel("inter-token", "Inter-token latency", ["inter-token-latency"]),
  panel("e2e", "Request latency", ["e2e-latency"]),
  panel("queue", "Queue time", ["queue-time"]),
  panel("load", "Running and waiting", ["running", "waiting"]),
  panel("kv", "KV cache", ["kv-usage"]),
  panel("prefix", "Prefix cache", ["prefix-hit-rate"]),
  panel("preemptions", "Preemptions", ["preempted"]),
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
