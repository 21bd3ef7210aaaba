export { exportArtifacts, type ExportContext } from "./export.js";
export { FileError, PartialExport } from "./failure.js";
export {
  journalName,
  JournalWriter,
  listJournals,
  recoverJournal,
  type JournalFile,
  type JournalOptions,
  type Recovered,
} from "./journal.js";
export { replayScrapeLog, type Replayed, type ReplayOptions } from "./replay.js";
export { runFolderName } from "./run-folder.js";
export { VERSION } from "./version.js";
