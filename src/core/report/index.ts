export { keyFigure } from "./key-figures.js";
export { runSummarySteps, SUMMARY_HEAD } from "./run-summary.js";
