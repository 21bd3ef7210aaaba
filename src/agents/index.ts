import type { AgentTool } from "./tool.js";
import { startCapture, stopCapture } from "./tools/captures.js";
import { checkAssertions } from "./tools/check-assertions.js";
import { compareRuns } from "./tools/compare-runs.js";
import { describeRun } from "./tools/describe-run.js";
import { experimentResult, experimentStatus, planExperiment } from "./tools/experiments.js";
import { exportReport } from "./tools/export-report.js";
import { listRuns } from "./tools/list-runs.js";
import { queryMetric } from "./tools/query-metric.js";
import { sloAttainment } from "./tools/slo-attainment.js";

export { ANSWER_BYTES } from "./answer.js";
export { AgentCaptures } from "./captures.js";
export { RunFolder } from "./folder.js";
export { READING_MEMORY, READING_SECONDS_VARIABLE, RunReader } from "./reader.js";
export { callTool, failedAnswer, type AgentContext, type AgentTool, type Consent, type ToolAnswer } from "./tool.js";

/** Every tool, however it is offered, in the order in which they are usually called. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  listRuns,
  describeRun,
  queryMetric,
  compareRuns,
  checkAssertions,
  sloAttainment,
  planExperiment,
  experimentStatus,
  experimentResult,
  exportReport,
  startCapture,
  stopCapture,
];
