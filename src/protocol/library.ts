import { GROUPINGS, LIBRARY_FORMATS } from "../core/library/runs.js";
import type { CellValue, Interval, LibraryChoice, LibraryFormat, NoteEdit, RunNote } from "../core/library/index.js";
import type { Objective } from "../core/catalog/objectives.js";
import type { LeftOutFile } from "../core/model/index.js";
import { SWEEP_LATENCIES, SWEEP_STATISTICS, type SweepRuns } from "../core/sweep/types.js";
import {
  answered,
  flag,
  list,
  none,
  object,
  oneOf,
  shape,
  text,
  type Guard,
  type Passed,
  type RequestsIn,
} from "./guards.js";
import type { ReportedRuns } from "./report.js";
import { columnWidths, HOST_REQUESTS } from "./view-requests.js";

export type { LibraryChoice, NoteEdit } from "../core/library/index.js";

/*
 * What the panel of a folder's runs may ask. The engine that reads the folder answers, or the host; runs are named by
 * their ids.
 */

/** A run as a row has it. */
export interface ShownRun {
  readonly id: string;
  readonly note: RunNote;
  /** Why it could not be read, or that its files are gone. */
  readonly problem?: string;
  /** An experiment under way: it has no files, and runs of their own. */
  readonly isRunning?: true;
}

/** A run, or the repeats of one. */
export interface ShownRow {
  readonly runs: readonly ShownRun[];
  /** By column; null where it has nothing. */
  readonly cells: readonly Exclude<CellValue | null, undefined>[];
  /** Standard deviation between repeats, by column; NaN where there is none, empty where repeats are not grouped. */
  readonly deviations: readonly number[];
  /** 95 % intervals by column, as `LibraryRow` has them; null where none is known: JSON has no undefined in lists. */
  readonly intervals: readonly (Interval | null)[];
}

export interface ShownColumn {
  readonly name: string;
  readonly title: string;
  /** As `textOfCell` takes it. */
  readonly unit?: string;
}

/** The runs that were asked for. */
export interface ShownRuns {
  readonly folder: string;
  readonly columns: readonly ShownColumn[];
  readonly rows: readonly ShownRow[];
  /** Runs of the folder, those left out by the choice among them. */
  readonly total: number;
  /** Share of the runs that have been read; absent once all have been. */
  readonly reading?: number;
  /** Share of the runs whose findings or verdicts, which a column shows, have been computed. */
  readonly judging?: number;
  /** What a column waits for. */
  readonly hints?: readonly string[];
  /** Why notes are not written beside the runs. */
  readonly notesElsewhere?: string;
}

/** A column that can be chosen. */
export interface OfferedColumn extends ShownColumn {
  /** "Runs", "Settings" or "Metrics". */
  readonly group: string;
}

/** A place in the course of a metric from which on it was another. */
export interface HistoryStep {
  /** Of the first run after it. */
  readonly at: number;
  /** Levels on both sides, in the column's unit. */
  readonly before: number;
  readonly after: number;
  readonly verdict: "better" | "worse" | "differs";
  /** "120 ms → 150 ms, +25 %, worse (p 0.001)". */
  readonly text: string;
  /** Since the run before, the newest first. */
  readonly commits: readonly string[];
}

/** The courses of the metrics shown over the runs shown. */
export interface ShownHistory {
  /** The oldest first; milliseconds since the epoch. */
  readonly runs: readonly { readonly id: string; readonly time: number }[];
  readonly courses: readonly {
    readonly column: ShownColumn;
    /** Of each run; NaN where it has none. */
    readonly values: readonly number[];
    readonly steps: readonly HistoryStep[];
  }[];
}

const libraryChoice: Guard<LibraryChoice> = object<LibraryChoice>(
  {},
  { filter: text, sort: text, columns: list(text), grouped: oneOf(...GROUPINGS), archived: flag },
);
const noteEdit = object<NoteEdit>({}, { label: text, note: text, tags: list(text), star: flag, archived: flag });

/** Columns that are drawn against each other. */
const libraryPlot = shape(
  { x: text, y: text },
  {
    color: text,
    /** Absent: a scatter plot of `x` and `y`. */
    kind: oneOf("sweep", "parallel", "history"),
    /** What a sweep shows against throughput; absent: its default. */
    latency: oneOf(...SWEEP_LATENCIES),
    statistic: oneOf(...SWEEP_STATISTICS),
    /** Of parallel coordinates; absent: columns shown whose values differ. */
    axes: list(text),
  },
);
export type LibraryPlot = Passed<typeof libraryPlot>;

/** That of **Open Sweep…**. */
export const SWEEP_PLOT: LibraryPlot = { x: "load", y: "ttft.p99", kind: "sweep" };

/** What the page is left with, kept for the workspace: what was chosen, and the plot that is open. */
const libraryLayout = shape({ choice: libraryChoice, widths: columnWidths }, { plot: libraryPlot });
export type LibraryLayout = Passed<typeof libraryLayout>;

const ofRuns = shape({ runs: list(text) });

/** Asked of the engine. */
const ENGINE_QUESTIONS = {
  /** All columns that some run has something in. */
  libraryColumns: answered<readonly OfferedColumn[]>()(shape({})),
  /** Of the metrics among the columns chosen. */
  libraryHistory: answered<ShownHistory>()(shape({ choice: libraryChoice })),
  /** The runs chosen as a sweep has them, as far as they are read. Rejects with what is wrong with the folder. */
  sweepRuns: answered<SweepRuns>()(shape({ choice: libraryChoice })),
  /** Notes something of runs. */
  noteRuns: answered()(shape({ runs: list(text), edit: noteEdit })),
};

/** All that a page of runs may ask, by the guards of it. */
export const LIBRARY_GUARDS = {
  ...ENGINE_QUESTIONS,
  /** Rejects with what is wrong with the folder or the filter. */
  libraryRuns: answered<ShownRuns>()(libraryChoice),
  openRuns: answered()(ofRuns),
  /** Shows a file in an editor of its own. */
  openFile: answered()(shape({ path: text })),
  /** Repeats among them become sets. */
  compareRuns: answered()(ofRuns),
  /** Writes an experiment that repeats them with the commands that they recorded, the baseline first. */
  repeatRuns: answered()(ofRuns),
  /** Asks where to. */
  saveRuns: answered()(shape({ format: oneOf(...LIBRARY_FORMATS), choice: libraryChoice })),
  exportReport: HOST_REQUESTS.exportReport,
  /** Asks whether they are meant. */
  deleteRuns: answered()(ofRuns),
  /** The capture of this window that goes on; `LibraryHostEvents` has its changes. */
  capturing: answered<RunningCapture | null>()(none),
  showCapture: answered()(none),
  /** Copies a command, or opens DuckDB with the views of the folder's runs. */
  querySql: answered()(shape({ how: oneOf("copy", "open") })),
  loadLibraryLayout: answered<LibraryLayout | null>()(none),
  saveLibraryLayout: answered()(libraryLayout),
  copy: HOST_REQUESTS.copy,
};
export type LibraryViewRequests = RequestsIn<typeof LIBRARY_GUARDS>;

/** Of every request on a folder of runs. */
export interface FolderOfRuns {
  readonly folder: string;
  /** Files that ended an engine before this one, and why. */
  readonly leftOut?: readonly LeftOutFile[];
}

type OfFolder<Requests> = {
  [K in keyof Requests]: Requests[K] extends { params: infer P; result: infer R }
    ? { params: P & FolderOfRuns; result: R }
    : never;
};

/** What the host asks of the engine. "work" has the path of the run that is read. */
export interface LibraryEngineRequests extends OfFolder<RequestsIn<typeof ENGINE_QUESTIONS>> {
  /** @param judging by what runs are judged, where a column shows it */
  libraryRuns: {
    params: FolderOfRuns & {
      readonly choice: LibraryChoice;
      readonly judging: {
        readonly thresholds: Readonly<Record<string, number>>;
        readonly objectives: readonly Objective[];
      };
    };
    result: ShownRuns;
  };
  /** The chosen runs as text. @param csvSafe as `report` of a comparison */
  libraryText: {
    params: FolderOfRuns & {
      readonly choice: LibraryChoice;
      readonly format: LibraryFormat;
      readonly csvSafe: boolean;
    };
    result: string | Uint8Array;
  };
  /** All runs, for a report. */
  reportedRuns: { params: FolderOfRuns; result: ReportedRuns };
  /** Files of runs, of each the one that tells most first. */
  filesOfRuns: { params: FolderOfRuns & { readonly runs: readonly string[] }; result: readonly (readonly string[])[] };
  /** Statements that make the views of SQL. */
  libraryViews: { params: FolderOfRuns; result: string };
}

/** A capture that goes on: what is known of it by column. */
export type RunningCapture = Readonly<Record<string, string | number>>;

/** Pushed by the host. */
export interface LibraryHostEvents {
  /** Null: none goes on. */
  capturing: RunningCapture | null;
  /** The plot of a sweep is to be shown. */
  sweepAsked: Record<string, never>;
}

/** Pushed to the page, at most a few times a second. */
export interface LibraryEvents {
  /** Runs were read, came, went or changed: what is shown is to be asked for again. */
  libraryChanged: Record<string, never>;
}

/** What a page keeps for the panel that VS Code brings back. */
export interface LibraryPageState {
  readonly folder: string;
}
