export { deleteJournal, journalName, listJournals, type JournalFile } from "./files.js";
export { recoverJournal, type Recovered } from "./recover.js";
export { JournalWriter, type JournalOptions } from "./writer.js";
