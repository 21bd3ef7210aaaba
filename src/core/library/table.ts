import { groupRepeats, isRepeat } from "../model/index.js";
import { groupBy, mean } from "../math/index.js";
import { csvLine } from "../text/csv-line.js";
import { documentMarkdown, cellOrder, table, UserError, type Block } from "../text/index.js";
import { cellOf, cellText, defaultColumns, isColumn, titleOf, traitsOf } from "./columns.js";
import { parseFilter } from "./filter.js";
import { together } from "../sweep/intervals.js";
import type { Grouping, LibraryFormat, CellValue, Interval, LibraryRun } from "./runs.js";

/** What of a folder's runs is shown, and how. */
export interface LibraryChoice {
  /** As `parseFilter` reads it; absent: all runs. */
  readonly filter?: string;
  /** As `orderOf` reads it; absent: the newest first. */
  readonly sort?: string;
  /** Absent: those that some run has something in, and changed settings. */
  readonly columns?: readonly string[];
  /** One row for the repeats of a configuration and load, or for all runs of an experiment. */
  readonly grouped?: Grouping;
  /** Also archived runs. */
  readonly archived?: boolean;
}

/** A run, or the repeats of one. */
export interface LibraryRow {
  readonly runs: readonly LibraryRun[];
  /** By column; of repeats the mean of numbers, what the texts share, and the latest time. */
  readonly cells: readonly CellValue[];
  /** Standard deviation between repeats, by column; NaN where there is none, empty where repeats are not grouped. */
  readonly deviations: readonly number[];
  /** 95 % intervals by column: of repeats that of their mean, else of an estimate; empty where none is known. */
  readonly intervals: readonly (Interval | undefined)[];
}

/** Rows of a table of runs. */
export interface LibraryTable {
  readonly columns: readonly string[];
  readonly rows: readonly LibraryRow[];
}

/** Where no order is given. */
const NEWEST_FIRST = "-time";

/**
 * The runs that are chosen, in order.
 * @param always columns that are shown by default also while no run has something in them
 * @throws UserError for a filter that cannot be read, and for unknown columns
 */
export function libraryTable(
  all: readonly LibraryRun[],
  choice: LibraryChoice,
  always: readonly string[] = [],
): LibraryTable {
  const { filter = "", sort, archived = false, grouped } = choice;
  const meets = parseFilter(filter);
  const order = orderOf(sort ?? NEWEST_FIRST);
  const runs = sorted(
    all.filter((run) => (archived || run.note.archived !== true) && meets(run)),
    order,
  );
  const columns = choice.columns ?? defaultColumns(runs, always);
  const unknown = [...columns, ...(sort === undefined ? [] : [order.column])].find((column) => !isColumn(all, column));
  if (unknown !== undefined && all.length > 0)
    throw new UserError(`No run has a column "${unknown}".`, "docs/library.md lists the columns of every run.");
  const groups = grouped === "repeats" ? groupedRuns(runs) : grouped === undefined ? undefined : byExperiment(runs);
  const rows =
    groups?.map((group) => groupRow(group, columns)) ??
    runs.map((run) => ({
      runs: [run],
      cells: columns.map((column) => cellOf(run, column)),
      deviations: [],
      intervals: intervalsOf([run], columns),
    }));
  return { columns, rows };
}

function groupRow(group: RunGroup, columns: readonly string[]): LibraryRow {
  const spreads = columns.map((column) => (column === "time" ? undefined : spreadOf(group, column)));
  const times = group.runs.map((run) => cellOf(run, "time")).filter((time) => typeof time === "number");
  const latest = times.length === 0 ? undefined : Math.max(...times);
  return {
    runs: group.runs,
    cells: columns.map((column, i) => spreads[i]?.mean ?? (column === "time" ? latest : sharedCell(group, column))),
    deviations: spreads.map((spread) => spread?.deviation ?? NaN),
    intervals: intervalsOf(group.runs, columns),
  };
}

function intervalsOf(runs: readonly LibraryRun[], columns: readonly string[]): readonly (Interval | undefined)[] {
  const intervals = columns.map((column) => {
    const own = runs.flatMap((run) => {
      const value = column === "time" ? undefined : cellOf(run, column);
      const interval = run.measured?.intervals?.[column];
      return typeof value === "number" ? [{ value, ...(interval === undefined ? {} : { interval }) }] : [];
    });
    return own.length === 0 ? undefined : together(own).interval;
  });
  return intervals.some((interval) => interval !== undefined) ? intervals : [];
}

/**
 * Heads and cells of a table, those of repeats behind the number of runs.
 * @param isExact names as heads, and numbers without unit
 */
export function tableTexts(
  { columns, rows }: LibraryTable,
  isExact: boolean,
): {
  readonly heads: readonly string[];
  readonly cells: readonly (readonly string[])[];
} {
  const grouped = rows.some(({ runs }) => runs.length > 1);
  const exact = ({ cells }: LibraryRow) =>
    columns.map((column, i) => (column === "time" ? cellText(cells[i], column) : String(cells[i] ?? "")));
  return {
    heads: [...(grouped ? ["Runs"] : []), ...columns.map((column) => (isExact ? column : titleOf(column)))],
    cells: rows.map((row) => [
      ...(grouped ? [String(row.runs.length)] : []),
      ...(isExact && !grouped ? exact(row) : rowTexts(row, columns)),
    ]),
  };
}

/** A table as CSV or Markdown. */
export function libraryText(runs: LibraryTable, format: Exclude<LibraryFormat, "parquet">, line = csvLine): string {
  if (format === "markdown") return documentMarkdown(libraryDocument(runs)).trimEnd();
  const { heads, cells } = tableTexts(runs, true);
  return [heads, ...cells].map((row) => line(row)).join("\n");
}

/** A table of runs for readers. */
export function libraryDocument(runs: LibraryTable): readonly Block[] {
  const { heads, cells } = tableTexts(runs, false);
  return [table(heads, cells)];
}

/** Cells as texts: numbers with their unit, of repeats with their standard deviation. */
function rowTexts(
  { cells, deviations }: Pick<LibraryRow, "cells" | "deviations">,
  columns: readonly string[],
): string[] {
  return columns.map((column, i) => {
    const deviation = deviations[i] ?? NaN;
    return cellText(cells[i], column) + (Number.isNaN(deviation) ? "" : ` ± ${cellText(deviation, column)}`);
  });
}

/** How rows are ordered: by a column, the smallest or the first first unless it is turned. */
export interface Order {
  readonly column: string;
  readonly isTurned: boolean;
}

/** `-ttft.p99` is that column turned. */
export function orderOf(text: string): Order {
  return text.startsWith("-") ? { column: text.slice(1), isTurned: true } : { column: text, isTurned: false };
}

/** Runs in order; those that have nothing in the column come last either way. */
export function sorted(runs: readonly LibraryRun[], { column, isTurned }: Order): readonly LibraryRun[] {
  return runs
    .map((run) => ({ run, cell: cellOf(run, column) }))
    .sort((a, b) => {
      if (a.cell === undefined || b.cell === undefined)
        return Number(a.cell === undefined) - Number(b.cell === undefined);
      return (isTurned ? -1 : 1) * cellOrder(a.cell, b.cell);
    })
    .map(({ run }) => run);
}

/** Repeats: runs of the same configuration and load, in no experiment or in the same. */
export interface RunGroup {
  readonly runs: readonly LibraryRun[];
}

/** Values of a column over repeats. */
export interface Spread {
  readonly mean: number;
  /** Standard deviation between the runs; NaN of one. */
  readonly deviation: number;
}

/** Repeats together, in the order of each group's first run; what could not be read is by itself. */
export function groupedRuns(runs: readonly LibraryRun[]): readonly RunGroup[] {
  const read = runs.map((run) => ({ run, traits: run.about === undefined ? undefined : traitsOf(run) }));
  const groups = groupRepeats(
    read,
    (first, { run, traits }) =>
      first.run.experiment === run.experiment &&
      first.traits !== undefined &&
      traits !== undefined &&
      isRepeat(first.traits, traits),
  );
  return groups.map((own) => ({ runs: own.map(({ run }) => run) }));
}

/** The runs of each experiment together, in the order of its first; those of none, and what is under way, alone. */
function byExperiment(runs: readonly LibraryRun[]): readonly RunGroup[] {
  const groups = groupBy(runs, (run) => (run.running === undefined ? (run.experiment ?? run) : run));
  return [...groups.values()].map((own) => ({ runs: own }));
}

/** Mean and spread of a group's numbers in a column; undefined where it has none. */
export function spreadOf({ runs }: RunGroup, column: string): Spread | undefined {
  const values = runs.map((run) => cellOf(run, column)).filter((cell) => typeof cell === "number");
  if (values.length === 0) return undefined;
  const average = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0);
  return { mean: average, deviation: values.length < 2 ? NaN : Math.sqrt(squares / (values.length - 1)) };
}

/** The text that all runs of a group have in a column; of several the number of them. */
export function sharedCell({ runs }: RunGroup, column: string): CellValue {
  const [first, ...others] = new Set(runs.map((run) => cellOf(run, column)));
  return others.length === 0 ? first : `${others.length + 1} values`;
}
