export { DEFAULT_THRESHOLDS } from "./types.js";
export type { Confidence, Evidence, Finding, FindingId, Thresholds } from "./types.js";
export { insightsOf, type Insights } from "./insights.js";
export type { Attribution, LatencyPart } from "./attribution.js";
export { insightsJson, insightsMarkdown, insightsText } from "./report.js";
export { insightSlices, insightStatistics } from "./slices.js";
