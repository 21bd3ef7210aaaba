export { runnerOf } from "./journal.js";
export {
  experimentMarkdown,
  experimentReport,
  readDefinition,
  readExperiment,
  runsFolderOf,
  type RecordedExperiment,
} from "./recorded.js";
export { runExperiment, type Outcome } from "./runner.js";
