import { KEY_FIGURES } from "../../core/library/columns.js";
import type { LibraryRun, RunMeasured } from "../../core/library/runs.js";
import type { ReportedRuns } from "../../protocol/index.js";

/** The runs of a folder with their key figures, as plain data. */
export function reportedRuns(folder: string, runs: readonly LibraryRun[]): ReportedRuns {
  return {
    folder,
    runs: runs.map(({ measured, ...run }) => ({
      ...run,
      ...(measured === undefined ? {} : { measured: { ...measured, values: keyFiguresOf(measured) } }),
    })),
  };
}

function keyFiguresOf({ values }: RunMeasured): Readonly<Record<string, number>> {
  return Object.fromEntries(
    KEY_FIGURES.flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
