/** Names of the tools, for those who offer them without loading what answers. */
export const AGENT_TOOL_NAMES = [
  "list_runs",
  "describe_run",
  "query_metric",
  "compare_runs",
  "check_assertions",
  "slo_attainment",
  "start_capture",
  "stop_capture",
] as const;

export type AgentToolName = (typeof AGENT_TOOL_NAMES)[number];
