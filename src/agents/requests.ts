import type { ProvenanceOptions } from "../core/model/index.js";
import type { ToolAnswer } from "./tool.js";

export interface AgentCall {
  readonly tool: string;
  readonly input: unknown;
  /** Of the runs, or of the project for a tool that reads experiments. Absolute. */
  readonly folder: string;
  /** A folder that this one must really lie in. */
  readonly inside?: string;
  /** Origins that the user named, and those that the user allowed. */
  readonly named?: readonly string[];
  readonly allowed?: readonly string[];
  /** What a capture records of where it came from; absent: nothing. */
  readonly provenance?: ProvenanceOptions;
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
