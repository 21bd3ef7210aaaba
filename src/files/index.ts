export {
  deleteJournal,
  hiddenJournalName,
  journalName,
  journalPrefix,
  listJournals,
  type JournalFile,
} from "./journal/files.js";
export { recoverJournal, type Recovered } from "./journal/recover.js";
export { JournalWriter, type JournalOptions } from "./journal/writer.js";
export { exportArtifacts, withIdleParts, refuseOwnFile } from "./export/export.js";
export { writeSummary } from "./export/summary.js";
export { describeFileError, PartialExport } from "./failure.js";
export { makeFolder, newFolder, runFolderName } from "./folders.js";
export { withinMemory } from "./memory.js";
export { canCompress, withoutZstd } from "./packed.js";
export { replayScrapeLog, type Replayed, type ReplayOptions } from "./replay.js";
export { VERSION } from "./version.js";
export { sweepFolder } from "./library/library.js";
