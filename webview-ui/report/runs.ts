import type { LibraryChoice } from "../../src/core/library/table.js";
import type { ReportedRuns } from "../../src/protocol/index.js";
import { offeredColumns, reportedLibrary, shownRuns, shownSweep } from "../../src/protocol/shown-runs.js";

/** Answers the questions of a page of runs, any choice of which is made in the page itself. */
export function reportedRuns(reported: ReportedRuns): Readonly<Record<string, (params: unknown) => unknown>> {
  const all = reportedLibrary(reported);
  return {
    // Nothing is written in its cells: an empty column says nothing.
    libraryRuns: (choice) => shownRuns(reported.folder, all, choice as LibraryChoice, []),
    libraryColumns: () => offeredColumns(all),
    sweepRuns: (asked) => shownSweep(all, (asked as { readonly choice: LibraryChoice }).choice),
  };
}
