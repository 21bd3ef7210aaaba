export { keyFigure } from "./key-figures.js";
export { runSummarySteps, SUMMARY_HEAD, type KnownOfRun } from "./run-summary.js";
