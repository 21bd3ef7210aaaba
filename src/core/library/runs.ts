import type { SweepRun, SweepRuns } from "../sweep/types.js";
import { naturalOrder } from "../text/names.js";
import { formatValue } from "../catalog/display.js";

/** What somebody wrote of a run. It lies beside the runs, in a file that a team shares. */
export interface RunNote {
  /** In place of the label that the run was captured with. */
  readonly label?: string;
  readonly note?: string;
  readonly tags?: readonly string[];
  readonly star?: true;
  /** Not listed unless it is asked for. */
  readonly archived?: true;
}

/** As a user changes it: an empty text, an empty list and false take an entry away. */
export interface NoteEdit {
  readonly label?: string;
  readonly note?: string;
  readonly tags?: readonly string[];
  readonly star?: boolean;
  readonly archived?: boolean;
}

/** What the files of a run tell of it beside its measurements. */
export interface RunAbout {
  readonly benchmarkId: string;
  /** Of its window, milliseconds since the epoch. */
  readonly startMs: number;
  /** Length of its window. */
  readonly seconds: number;
  readonly label?: string;
  readonly endpoints: readonly string[];
  /** What was configured, by its path. */
  readonly configured: Readonly<Record<string, string>>;
  /** Where it came from, by its path: `git.commit`, `servers[0].version`. */
  readonly provenance: Readonly<Record<string, string>>;
}

/** Numbers by name. */
export interface RunValues {
  get(name: string): number | undefined;
  /** Names of all. */
  keys(): Iterable<string>;
}

/** From its lower to its upper end. */
export type Interval = readonly [low: number, high: number];

/** What was measured in a run. */
export interface RunMeasured {
  readonly servers: readonly string[];
  readonly models: readonly string[];
  /** What its servers say of themselves in metrics: `vllm:cache_config_info block_size`. */
  readonly facts: Readonly<Record<string, string>>;
  /** Key figures by their column (`ttft.p99`), and statistics by family and name (`vllm:num_requests_running avg`). */
  readonly values: RunValues;
  /** 95 % intervals of key figures that are estimates, by their column. */
  readonly intervals?: Readonly<Record<string, Interval>>;
  /** What a sweep has of it: of a client's file that holds several loads one each. */
  readonly points: readonly SweepRun[];
}

/** What is computed of a run once a column asks for it: all of its samples are read. */
export interface RunJudged {
  /** How many there are. */
  readonly findings?: number;
  /** Title of the weightiest finding. */
  readonly finding?: string;
  /** Share that meets the objective that is met least. */
  readonly slo?: number;
  /** What differs from the starred run. */
  readonly verdict?: string;
}

/** A run of a folder. */
export interface LibraryRun {
  /** Path below the folder without ending, with "/". */
  readonly id: string;
  /** Absolute paths of its files, the one that tells most first. */
  readonly files: readonly string[];
  /** When one of them was written last, milliseconds since the epoch. */
  readonly modified: number;
  /** Absent where no file could be read, which `problem` says. */
  readonly about?: RunAbout;
  /** Absent until it was read. */
  readonly measured?: RunMeasured;
  readonly judged?: RunJudged;
  readonly note: RunNote;
  readonly problem?: string;
  /** The experiment that it belongs to: its path below the folder, or the folder's name where it is that itself. */
  readonly experiment?: string;
  /** Of an experiment under way, whose id is its path from the folder, and of a capture: how far it is. */
  readonly running?: string;
}

/** Without what is under way: that has nothing yet to be counted, drawn, judged or reported. */
export function finishedRuns(runs: readonly LibraryRun[]): readonly LibraryRun[] {
  return runs.filter(({ running }) => running === undefined);
}

/** A cell: a text, a number in the column's unit, or nothing. */
export type CellValue = string | number | undefined;

/** A note as it is after an edit. */
export function editedNote(note: RunNote, edit: NoteEdit): RunNote {
  const { label = "", note: text = "", tags = [], star = false, archived = false } = { ...note, ...edit };
  return {
    ...(label.trim() === "" ? {} : { label: label.trim() }),
    ...(text.trim() === "" ? {} : { note: text.trim() }),
    ...(tags.length === 0 ? {} : { tags: [...new Set(tags)].sort() }),
    ...(star ? { star } : {}),
    ...(archived ? { archived } : {}),
  };
}

/** What a sweep has of runs, in the order of their ids, and which of them could not be read. */
export function sweepRunsIn(all: readonly LibraryRun[]): SweepRuns {
  const runs = finishedRuns(all).toSorted((a, b) => naturalOrder(a.id, b.id));
  return {
    runs: runs.flatMap(({ measured }) => measured?.points ?? []),
    skipped: runs.flatMap(({ files: [path], measured, problem: reason }) =>
      path === undefined || reason === undefined || (measured?.points ?? []).length > 0 ? [] : [{ path, reason }],
    ),
  };
}

/** The unit of times: milliseconds since the epoch. */
export const TIME = "time";

/** A cell as it is shown: times in UTC, numbers with their unit. */
export function textOfCell(cell: CellValue | null, unit: string | undefined): string {
  if (typeof cell !== "number") return cell ?? "";
  if (unit === TIME) return new Date(cell).toISOString().slice(0, 16).replace("T", " ");
  return formatValue(cell, unit);
}

/** A run's id as it is read: without the usual names of files, and of an experiment's folder without the way to it. */
export function runName(id: string): string {
  return id.replace(/^\.\.\/|\/?(?:server_metrics|profile)_export$/g, "") || id;
}

/** How a table of runs is written for other programs. */
export const LIBRARY_FORMATS = ["csv", "markdown", "parquet"] as const;
export type LibraryFormat = (typeof LIBRARY_FORMATS)[number];

/** What runs share a row by. */
export const GROUPINGS = ["repeats", "experiments"] as const;
export type Grouping = (typeof GROUPINGS)[number];
