export { readJournal } from "./journal.js";
export { measuredRuns } from "./measured-runs.js";
export { runExperiment, type Outcome } from "./runner.js";
