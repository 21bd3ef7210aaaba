export { setsOfRepeats } from "./matching/repeats.js";
export { setLabel } from "./matching/set-label.js";
export { headlines } from "./report/headline.js";
export { comparisonCsv, comparisonJson, comparisonMarkdown, markdownNames } from "./report/formats.js";
export { firstRequest } from "./slices/anchors.js";
export { compareRuns } from "./compare.js";
export { differenceTrack, type Track } from "./slices/difference-track.js";
export { earlierRunsOf } from "./earlier-runs.js";
export { firstFamilies } from "./matching/first-families.js";
export { gateMarkdown, gateOf, gateSummary, guardedText, type Gate, type Guarded } from "./gates/gate.js";
export { MIN_RUNS, historyGate, historyOf, sparkline, type Course, type History } from "./gates/history.js";
export { KnownResults } from "./known-results.js";
export { directionOf } from "./direction.js";
export { measure, measureShare, shareError } from "./measured.js";
export { DEFAULT_LABEL_RULES, ENDPOINT } from "./matching/labels.js";
export { longRunVariance } from "./inference/long-run-variance.js";
export {
  intervalText,
  isDecided,
  quantityText,
  Reasons,
  rowName,
  shareText,
  sideText,
  titleOfRow,
  undecidedText,
  verdictCounts,
  VERDICT_TEXT,
  wholeQuantityText,
  withheldText,
} from "./report/report.js";
export { AssertionError, ASSERTED, type Assertion, type LabelSelector, type Operator } from "./gates/assertion.js";
export { parseWithPatterns } from "./matching/pattern.js";
export {
  assertedFamily,
  checkAssertion,
  statisticOf,
  type CheckableFamily,
  type CheckedSeries,
  type CheckResult,
} from "./gates/check.js";
export type { EarlierRuns } from "./single-runs.js";
export { sourceOf, type MeasuredRun } from "./source.js";
export { rowSide, seriesBehind, type RowSide } from "./report/sides.js";
export * from "./types.js";
