/*
 * What the extension itself reads of run files: a bundle of its own, loaded when a folder is opened or runs are
 * compared. With it go the Parquet reader, the catalog and the statistics, two thirds of what a starting workbench had
 * to load.
 */

export { artifactOf } from "../files/open/phases.js";
export { distinctRuns, runFilesOf } from "../files/open/siblings.js";
export {
  hiding,
  readReportParts,
  reportHtml,
  reportMarkdown,
  reportOfComparison,
  reportOfRun,
  reportOfRuns,
} from "../engine/report/index.js";
