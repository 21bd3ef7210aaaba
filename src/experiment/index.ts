export { runnerOf } from "../files/experiment-folder.js";
export {
  experimentReport,
  readDefinition,
  readExperiment,
  runsFolderOf,
  statusOf,
  type RecordedExperiment,
} from "./recorded.js";
export { runExperiment, type Outcome } from "./runner.js";
