export { firstRequest } from "./anchors.js";
export { compareRuns } from "./compare.js";
export { differenceTrack, type Track } from "./difference-track.js";
export { earlierRunsOf } from "./earlier-runs.js";
export { firstFamilies } from "./first-families.js";
export { gateMarkdown, gateOf, gateSummary, guardedText, type Gate, type Guarded } from "./gate.js";
export { MIN_RUNS, historyGate, historyOf, sparkline, type Course, type History } from "./history.js";
export { KnownResults, type KnownPart } from "./known-results.js";
export { measuredAhead } from "./measured-ahead.js";
export { DEFAULT_LABEL_RULES, ENDPOINT } from "./labels.js";
export { longRunVariance } from "./long-run-variance.js";
export {
  comparisonCsv,
  comparisonJson,
  comparisonMarkdown,
  intervalText,
  isDecided,
  markdownNames,
  quantityText,
  Reasons,
  rowName,
  shareText,
  sideText,
  titleOfRow,
  undecidedText,
  verdictCounts,
  VERDICT_TEXT,
  withheldText,
} from "./report.js";
export {
  AssertionError,
  parseAssertion,
  ASSERTED,
  type Assertion,
  type LabelSelector,
  type Operator,
} from "./assertion.js";
export {
  assertedFamily,
  checkAssertion,
  statisticOf,
  type CheckableFamily,
  type CheckedSeries,
  type CheckResult,
} from "./check.js";
export type { EarlierRuns } from "./single-runs.js";
export { rowSide, seriesBehind, type RowSide } from "./sides.js";
export * from "./types.js";
