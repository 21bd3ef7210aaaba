export { DEFAULT_THRESHOLDS, thresholdsOf } from "./types.js";
export type { Confidence, Evidence, Finding, FindingId, Thresholds } from "./types.js";
export { insightsOf, type Insights } from "./insights.js";
export type { Attribution, LatencyPart } from "./attribution.js";
export { insightsJson, insightsMarkdown, insightsText, movesWithJson, movesWithText } from "./report.js";
export { insightSlices, insightStatistics, movesStatistics } from "./slices.js";
export { movesWith, type Mover, type MovesWith } from "./moves-with.js";
export type { Capacity } from "./capacity.js";
export { findingChanges, findingChangesText, type ComparedFinding, type FindingChanges } from "./changes.js";
