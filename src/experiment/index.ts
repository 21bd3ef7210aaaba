export { readJournal } from "./journal.js";
export { runExperiment, type Outcome } from "./runner.js";
