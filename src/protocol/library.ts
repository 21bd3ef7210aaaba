import type { Cell, LibraryChoice, LibraryFormat, NoteEdit, RunNote } from "../core/library/index.js";
import type { Objective } from "../core/catalog/objectives.js";
import type { LeftOutFile } from "../core/model/index.js";
import { flag, finite, list, object, oneOf, question, record, text, type Question } from "./guards.js";
import type { HostRequests } from "./view-requests.js";

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
}

/** A run, or the repeats of one. */
export interface ShownRow {
  readonly runs: readonly ShownRun[];
  /** By column; null where it has nothing. */
  readonly cells: readonly Exclude<Cell | null, undefined>[];
  /** Standard deviation between repeats, by column; NaN where there is none. */
  readonly deviations: readonly number[];
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

/** What the page is left with, kept for the workspace. */
export interface LibraryLayout {
  readonly choice: LibraryChoice;
  /** Pixels by column. */
  readonly widths: Readonly<Record<string, number>>;
}

const choice = object<LibraryChoice>(
  {},
  { filter: text, sort: text, columns: list(text), grouped: flag, archived: flag },
);
type Nothing = Record<never, never>;
const nothing = object<Nothing>({}, {});
const runs = list(text);
const ofRuns = object<{ readonly runs: readonly string[] }>({ runs }, {});
type Runs = { readonly runs: readonly string[] };

/** Asked of the engine. */
const ENGINE = {
  /** Rejects with what is wrong with the folder or the filter. */
  libraryRuns: question<LibraryChoice, ShownRuns>(choice),
  /** All columns that some run has something in. */
  libraryColumns: question<Nothing, readonly OfferedColumn[]>(nothing),
  /** Notes something of runs. */
  noteRuns: question<Runs & { readonly edit: NoteEdit }, null>(
    object<Runs & { readonly edit: NoteEdit }>(
      {
        runs,
        edit: object<NoteEdit>({}, { label: text, note: text, tags: list(text), star: flag, archived: flag }),
      },
      {},
    ),
  ),
};

/** Asked of the host. */
const HOST = {
  openRuns: question<Runs, null>(ofRuns),
  /** Repeats among them become sets. */
  compareRuns: question<Runs, null>(ofRuns),
  /** Asks where to. */
  saveRuns: question<{ readonly format: LibraryFormat; readonly choice: LibraryChoice }, null>(
    object({ format: oneOf("csv", "markdown"), choice }, {}),
  ),
  /** Asks whether they are meant. */
  deleteRuns: question<Runs, null>(ofRuns),
  /** Copies a command, or opens DuckDB with the views of the folder's runs. */
  querySql: question<{ readonly how: "copy" | "open" }, null>(object({ how: oneOf("copy", "open") }, {})),
  loadLibraryLayout: question<Nothing, LibraryLayout | null>(nothing),
  saveLibraryLayout: question<LibraryLayout, null>(object<LibraryLayout>({ choice, widths: record(finite) }, {})),
};

type Answered<Questions> = {
  [K in keyof Questions]: Questions[K] extends Question<infer P, infer R> ? { params: P; result: R } : never;
};

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
export interface LibraryEngineRequests extends OfFolder<Omit<Answered<typeof ENGINE>, "libraryRuns">> {
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
    result: string;
  };
  /** Files of runs, of each the one that tells most first. */
  filesOfRuns: { params: FolderOfRuns & Runs; result: readonly (readonly string[])[] };
  /** Statements that make the views of SQL. */
  libraryViews: { params: FolderOfRuns; result: string };
}

/** All that a page of runs may ask. */
export type LibraryViewRequests = Answered<typeof ENGINE> & Answered<typeof HOST> & Pick<HostRequests, "copy">;
export const LIBRARY_QUESTIONS = { ...ENGINE, ...HOST };

/** Pushed to the page, at most a few times a second. */
export interface LibraryEvents {
  /** Runs were read, came, went or changed: what is shown is to be asked for again. */
  libraryChanged: Record<string, never>;
}

/** What a page keeps for the panel that VS Code brings back. */
export interface LibraryPageState {
  readonly folder: string;
}
