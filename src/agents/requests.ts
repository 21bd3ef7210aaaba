import type { ToolAnswer } from "./tool.js";

/** What an editor asks of the worker thread that answers agents, so that no answer holds up its own loop. */
export interface AgentRequests {
  /** What the user is asked before a tool runs; null for one that only reads, or is called wrongly. */
  question: { params: { readonly tool: string; readonly input: unknown }; result: string | null };
  /**
   * Calls a tool that the user has agreed to.
   * @param folder of the runs, absolute
   * @param inside a folder that this one must really lie in
   */
  call: {
    params: { readonly tool: string; readonly input: unknown; readonly folder: string; readonly inside?: string };
    result: ToolAnswer;
  };
  /** Ends the captures that agents began and writes their files. */
  stopCaptures: { params: Record<string, never>; result: null };
}
