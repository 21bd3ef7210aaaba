export { isUsedByFindings } from "./used-families.js";
export { DEFAULT_THRESHOLDS, thresholdsOf } from "./types.js";
export type { Confidence, Evidence, Finding, FindingId, Thresholds } from "./types.js";
export { insightSteps, runInsights, type Insights } from "./insights.js";
export type { Attribution, LatencyPart } from "./attribution.js";
export {
  insightsJson,
  insightsMarkdown,
  insightsText,
  marksJson,
  movesWithJson,
  movesWithText,
  nothingText,
} from "./report.js";
export { insightSlices, insightStatistics, fineStatistics, ofEndpoint } from "./slices.js";
export { movesWith, type Mover, type MovesWith } from "./moves-with.js";
export type { Capacity } from "./capacity.js";
export { findingChanges, findingChangesLines, type ComparedFinding, type FindingChanges } from "./changes.js";
export { changeResults, changesOf, type SeriesChanges } from "./level-changes.js";
