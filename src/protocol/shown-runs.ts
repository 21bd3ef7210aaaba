import { isColumn, libraryColumns, titleOf, unitOf } from "../core/library/columns.js";
import { libraryTable, orderOf, type LibraryChoice } from "../core/library/table.js";
import { sweepRunsIn, finishedRuns, type LibraryRun } from "../core/library/runs.js";
import type { SweepRuns } from "../core/sweep/types.js";
import type { ReportedRuns } from "./report.js";
import type { OfferedColumn, ShownColumn, ShownRun, ShownRuns } from "./library.js";

/** A capture under way has the first two before there is any run; the others are written in the table. */
const ALWAYS: readonly string[] = ["time", "duration", "label", "tags", "note"];

/**
 * The chosen runs as a page shows them.
 * @param always columns that have their place also while they are empty
 * @throws UserError for a filter that cannot be read
 */
export function shownRuns(
  folder: string,
  runs: readonly LibraryRun[],
  choice: LibraryChoice,
  always = ALWAYS,
): ShownRuns {
  // What only runs that are gone had is no error on a page that remembers its columns.
  const chosen = choice.columns?.filter((column) => isColumn(runs, column));
  const { sort, ...others } = choice;
  const { columns, rows } = libraryTable(
    runs,
    {
      ...others,
      ...(chosen === undefined ? {} : { columns: chosen }),
      ...(sort === undefined || !isColumn(runs, orderOf(sort).column) ? {} : { sort }),
    },
    always,
  );
  return {
    folder,
    columns: columns.map(shownColumn),
    rows: rows.map(({ runs: own, cells, deviations, intervals }) => ({
      runs: own.map(({ id, note, problem, running }): ShownRun => ({
        id,
        note,
        ...(problem === undefined ? {} : { problem }),
        ...(running === undefined ? {} : { isRunning: true }),
      })),
      cells: cells.map((cell) => cell ?? null),
      deviations,
      intervals: intervals.map((interval) => interval ?? null),
    })),
    total: finishedRuns(runs).length,
  };
}

/** The runs that the choice leaves, as a sweep has them. @throws UserError for a filter that cannot be read */
export function shownSweep(runs: readonly LibraryRun[], choice: LibraryChoice): SweepRuns {
  const { sort: _, columns: __, ...chosen } = choice;
  return sweepRunsIn(libraryTable(runs, chosen).rows.flatMap((row) => row.runs));
}

/** The runs of a report. */
export function reportedLibrary({ runs }: ReportedRuns): readonly LibraryRun[] {
  return runs.map(({ measured, ...run }) => ({
    ...run,
    ...(measured === undefined ? {} : { measured: { ...measured, values: new Map(Object.entries(measured.values)) } }),
  }));
}

/** The columns that a page offers. */
export function offeredColumns(runs: readonly LibraryRun[]): readonly OfferedColumn[] {
  return libraryColumns(runs).map(([name, group]) => ({ ...shownColumn(name), group }));
}

/** What heads a column. */
export function shownColumn(name: string): ShownColumn {
  const unit = unitOf(name);
  return { name, title: titleOf(name), ...(unit === undefined ? {} : { unit }) };
}
