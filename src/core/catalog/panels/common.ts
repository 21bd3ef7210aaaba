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
}

export type ServerPanels = { readonly [S in ServerId]?: readonly PanelDefinition[] };

/** @param items in the order in which they are shown */
export function panel(id: string, title: string, items: readonly PanelItem[]): PanelDefinition {
  return { id, title, items };
}

/** A panel of the parts of one whole. */
export function stackedPanel(...definition: Parameters<typeof panel>): PanelDefinition {
  return { ...panel(...definition), stacked: true };
}

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
