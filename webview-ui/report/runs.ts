import type { LibraryRun } from "../../src/core/library/types.js";
import type { LibraryChoice } from "../../src/core/library/table.js";
import type { ReportedRuns } from "../../src/protocol/index.js";
import { offeredColumns, shownRuns } from "../../src/protocol/shown-runs.js";

/** Answers the questions of a page of runs, any choice of which is made in the page itself. */
export function reportedRuns({ folder, runs }: ReportedRuns): Readonly<Record<string, (params: unknown) => unknown>> {
  const all = runs.map(({ measured, ...run }): LibraryRun => ({
    ...run,
    ...(measured === undefined ? {} : { measured: { ...measured, values: new Map(Object.entries(measured.values)) } }),
  }));
  return {
    libraryRuns: (choice) => shownRuns(folder, all, choice as LibraryChoice),
    libraryColumns: () => offeredColumns(all),
  };
}
