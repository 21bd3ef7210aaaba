export { keyFigure } from "./key-figures.js";
export { runSummarySteps, SUMMARY_HEAD, type KnownOfRun } from "./run-summary.js";
export { redacted, REDACTIONS, revealedBy, revealedText, type Redaction } from "./redact.js";
