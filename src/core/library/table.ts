import { groupBy, isOfConfiguration, mean } from "../model/index.js";
import { naturalOrder } from "../text/index.js";
import { cellOf } from "./columns.js";
import type { CellValue, LibraryRun } from "./types.js";

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
      return (isTurned ? -1 : 1) * compared(a.cell, b.cell);
    })
    .map(({ run }) => run);
}

function compared(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : naturalOrder(String(a), String(b));
}

/** Repeats: runs of the same configuration and load. */
export interface RunGroup {
  readonly runs: readonly LibraryRun[];
}

/** Values of a column over repeats. */
export interface Spread {
  readonly mean: number;
  /** Standard deviation between the runs; NaN of one. */
  readonly deviation: number;
}

/** What of their origin makes runs ones of other configurations. */
const OF_CONFIGURATION = /^servers\[\d+\]\.(?:version|models|settings)\b/;

/** Runs by their configuration and load, in the order of each group's first run. */
export function groupedRuns(runs: readonly LibraryRun[]): readonly RunGroup[] {
  return [...groupBy(runs, configurationOf).values()].map((own) => ({ runs: own }));
}

function configurationOf(run: LibraryRun): string {
  const { about, measured } = run;
  if (about === undefined) return `unread ${run.id}`;
  const kept = (all: Readonly<Record<string, string>>, isKept: (path: string) => boolean) =>
    Object.entries(all)
      .filter(([path]) => isKept(path))
      .sort();
  return JSON.stringify([
    kept(about.configured, isOfConfiguration),
    kept(about.provenance, (path) => OF_CONFIGURATION.test(path)),
    kept(measured?.facts ?? {}, () => true),
    measured?.servers,
    measured?.models,
    cellOf(run, "load"),
  ]);
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
