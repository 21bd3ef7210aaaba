/** Names of the tools, for those who offer them without loading what answers. */
export const AGENT_TOOL_NAMES = [
  "list_runs",
  "describe_run",
  "query_metric",
  "compare_runs",
  "check_assertions",
  "slo_attainment",
  "plan_experiment",
  "experiment_status",
  "experiment_result",
  "export_report",
  "start_capture",
  "stop_capture",
] as const;

export type AgentToolName = (typeof AGENT_TOOL_NAMES)[number];

/**
 * They know of captures under way and open no file. All others open files from elsewhere, which may need any amount of
 * memory: those are answered by a thread that may come to its end.
 */
const OF_CAPTURES: readonly string[] = ["list_runs", "start_capture", "stop_capture"];

/** Whether a tool reads files, so that it is answered by a thread of its own. */
export function opensFiles(tool: string): boolean {
  return !OF_CAPTURES.includes(tool);
}

/** Whether a tool reads experiments, which lie in the folder of the project, not in that of its runs. */
export function readsExperiments(tool: string): boolean {
  return tool.includes("experiment");
}
