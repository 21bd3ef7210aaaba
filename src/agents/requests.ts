import type { ToolAnswer } from "./tool.js";

export interface AgentCall {
  readonly tool: string;
  readonly input: unknown;
  /** Of the runs, absolute. */
  readonly folder: string;
  /** A folder that this one must really lie in. */
  readonly inside?: string;
  /** Origins that the user named, and those that the user allowed. */
  readonly named?: readonly string[];
  readonly allowed?: readonly string[];
}

/** What an editor asks of the worker thread that answers agents, so that no answer holds up its own loop. */
export interface AgentRequests {
  /** Origins of the servers that a tool contacts; none of one that is called wrongly. */
  contacts: { params: { readonly tool: string; readonly input: unknown }; result: readonly string[] };
  /** Calls a tool. */
  call: { params: AgentCall; result: ToolAnswer };
  /** Ends the captures that agents began and writes their files. */
  stopCaptures: { params: Record<string, never>; result: null };
}
