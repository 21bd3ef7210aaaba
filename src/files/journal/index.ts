export {
  deleteJournal,
  hiddenJournalName,
  journalName,
  journalPrefix,
  listJournals,
  type JournalFile,
} from "./files.js";
export { recoverJournal, type Recovered } from "./recover.js";
export { JournalWriter, type JournalOptions } from "./writer.js";
