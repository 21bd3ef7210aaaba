import { type Problem, warningOf, noteOf } from "../../core/model/index.js";
import { describeFileError } from "../failure.js";
import { noun } from "../../core/text/plural.js";

/** What a journal has to say of itself. */
export const journalNotices = {
  memoryFull: (bytes: number): Problem => ({
    severity: "warning",
    reason: `The journal cannot be written, and ${mib(bytes)} MiB of it are waiting. The capture continues and keeps every scrape in memory for its artifacts; new scrapes will be missing from the journal.`,
    remedy: "Make room on the disk, or stop the capture to write its artifacts elsewhere.",
    offer: "moveJournal",
  }),

  limitReached: (bytes: number): Problem =>
    warningOf(
      `The journal has reached its limit of ${mib(bytes)} MiB: the capture continues, but scrapes from now on cannot be recovered after a crash.`,
      "Stop the capture to write its artifacts, or raise the journal limit for the next one.",
    ),

  refused: (path: string, error: unknown): Problem => {
    const { message, remedy } = describeFileError(path, error, "write");
    return {
      severity: "warning",
      reason: `The journal is waiting: ${message} The capture continues and keeps everything in memory; the journal catches up as soon as it can be written. Until then a crash loses new scrapes.`,
      remedy,
      offer: "moveJournal",
    };
  },

  /** @param missing scrapes that were passed over */
  recovered: (path: string, missing: number): Problem =>
    noteOf(
      `${path} can be written again: the journal has caught up, and ${missing === 0 ? "nothing is" : `${missing} ${noun(missing, "scrape")} that did not fit in memory ${noun(missing, "is", "are")}`} missing in it.`,
    ),

  restored: (path: string): Problem =>
    warningOf(`${path} was removed during the capture: it was created again with its whole content.`),
};

function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
