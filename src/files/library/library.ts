import { basename, dirname, join, resolve } from "node:path";
import { artifactStem } from "../../core/artifacts/names.js";
import {
  editedNote,
  sweepRunsIn,
  type LibraryRun,
  type NoteEdit,
  type RunAbout,
  type RunNote,
} from "../../core/library/index.js";
import type { LeftOutFile } from "../../core/model/index.js";
import { sweepOf, type Sweep, type SweepOptions } from "../../core/sweep/index.js";
import { UserError, messageOf } from "../../core/text/index.js";
import { plural } from "../../core/text/plural.js";
import { runnerOf } from "../experiment-folder.js";
import { artifactPrefixOf, journalFile } from "../journal/files.js";
import type { MemoryOptions } from "../memory.js";
import type { Reach } from "../opener.js";
import { cacheFolder, isFolder } from "../folders.js";
import { readIndex, writeIndex, type Kept } from "./index-file.js";
import { placeName, readNotes, writeNotes, type NotedRun, type NotesPlace } from "./notes.js";
import { aboutRun, readRun } from "./read-run.js";
import { foundBelow, idBelow, mapConcurrently, type FoundBelow, type FoundRun } from "./scan.js";

export interface LibraryOptions {
  /** How far files are read. */
  readonly reach?: Reach;
  /** What reading each run may take, as `MemoryOptions` has it. */
  readonly memoryMiB?: number;
  /** What was kept when the folder was read last; in its place comes what is kept now. */
  readonly kept?: Map<string, Kept>;
  /** Called before a run is read: what ends the process meanwhile is known by it. */
  readonly onReading?: (path: string) => void;
  /** Files that are not read, and why. */
  readonly leftOut?: readonly LeftOutFile[];
  /** Share of the runs to be measured that have been, and all runs as far as they are known; first before any is. */
  readonly onProgress?: (fraction: number, known: () => readonly LibraryRun[]) => void;
  readonly signal?: AbortSignal;
}

/**
 * The runs of a folder, the newest first, with what was noted of them. What was read of a run is kept in the user's
 * cache and read again when its files change; a cache that is lost is made anew.
 * @throws UserError for what is not a folder; the signal's reason
 */
export async function readLibrary(given: string, options: LibraryOptions = {}): Promise<readonly LibraryRun[]> {
  const { reach = {}, memoryMiB, kept: last, onProgress, signal, onReading, leftOut = [] } = options;
  const reading = {
    ...reach,
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(signal === undefined ? {} : { signal }),
  };
  const folder = resolve(given);
  if (!(await isFolder(folder)))
    throw new UserError(`${folder} is not a folder.`, "Name the folder that holds the runs.");
  const path = join(cacheFolder(), "library", `${placeName(folder)}.index`);
  const [below, known, notes] = await Promise.all([
    foundBelow(folder, { clients: true }),
    last === undefined || last.size === 0 ? readIndex(path) : last,
    readNotes(folder, reach),
  ]);
  const { runs: found } = below;
  const runs = new Map<string, Kept>();
  const experiments = await experimentsOf(folder, below.experiments, reach);
  const captures = await capturesOf(folder, below.journals);
  const unread = found.filter((run) => {
    const kept = known.get(run.id);
    if (kept?.stamp !== stampOf(run)) return true;
    runs.set(run.id, kept);
    return kept.measured === undefined && kept.problem === undefined;
  });
  const now = () => [...underWay(found, experiments, captures), ...withNotes(found, runs, notes, experiments)];
  const done = () => {
    last?.clear();
    for (const [id, kept] of runs) last?.set(id, kept);
    return now();
  };
  if (unread.length === 0) return done();
  await mapConcurrently(unread, async (run) => {
    signal?.throwIfAborted();
    if (runs.has(run.id)) return;
    const about = await aboutRun(run, reach).catch(() => undefined);
    runs.set(run.id, { stamp: stampOf(run), ...(about === undefined ? {} : { about }) });
  });
  onProgress?.(0, now);
  for (const [i, run] of unread.entries()) {
    signal?.throwIfAborted();
    const tooLarge = leftOut.find(({ path }) => run.files.some((file) => file.path === path));
    onReading?.(run.files[0]?.path ?? run.id);
    runs.set(run.id, await measuredRun(run, runs.get(run.id), reading, tooLarge));
    onProgress?.((i + 1) / unread.length, now);
  }
  // What could not be read, such as for its memory, is tried again by the next process.
  const read = [...runs].filter(([, { measured, problem }]) => measured !== undefined || problem === undefined);
  await writeIndex(path, new Map(read)).catch(() => undefined);
  return done();
}

async function measuredRun(
  run: FoundRun,
  before: Kept | undefined,
  reading: Reach & MemoryOptions,
  tooLarge: LeftOutFile | undefined,
): Promise<Kept> {
  const stamp = stampOf(run);
  if (tooLarge !== undefined) return { ...before, stamp, problem: tooLarge.reason };
  try {
    const { about: told, ...read } = await readRun(run, reading);
    const about = before?.about ?? told;
    return { stamp, ...(about === undefined ? {} : { about }), ...read };
  } catch (error) {
    reading.signal?.throwIfAborted();
    return { ...before, stamp, problem: messageOf(error) };
  }
}

interface ExperimentFolder {
  /** Path below the folder, with "/"; "../" and its name of the folder itself. */
  readonly id: string;
  readonly name: string;
  /** Ids of its runs begin with it. */
  readonly prefix: string;
  readonly runs: boolean;
}

/** The files of a run as they are: what is kept of it holds for these. */
function stampOf({ files, beside }: FoundRun): string {
  return [...files.map(({ format, size, modified }) => `${format} ${size} ${Math.round(modified)}`), beside].join(", ");
}

function withNotes(
  found: readonly FoundRun[],
  runs: ReadonlyMap<string, Kept>,
  notes: ReadonlyMap<string, NotedRun>,
  experiments: readonly ExperimentFolder[],
): readonly LibraryRun[] {
  const aboutOf = ({ id }: FoundRun) => runs.get(id)?.about;
  // Another run may have taken a noted one's place.
  const isReplaced = (note: NotedRun | undefined, about: RunAbout | undefined) =>
    note?.benchmarkId !== undefined && about !== undefined && note.benchmarkId !== about.benchmarkId;
  const inPlace = new Set(found.flatMap((run) => (isReplaced(notes.get(run.id), aboutOf(run)) ? [] : [run.id])));
  const elsewhere = new Map(
    [...notes.values()].flatMap((note) =>
      note.benchmarkId === undefined || inPlace.has(note.run) ? [] : [[note.benchmarkId, note]],
    ),
  );
  const left = new Map(notes);
  const noteFor = (run: FoundRun): NotedRun | undefined => {
    const note = inPlace.has(run.id) ? notes.get(run.id) : undefined;
    return note ?? elsewhere.get(aboutOf(run)?.benchmarkId ?? "");
  };
  for (const run of found) {
    const note = noteFor(run);
    if (note !== undefined) left.delete(note.run);
  }
  const listed = found.map((run): LibraryRun => {
    const { id, files, modified } = run;
    const { about, measured, problem = replaced(left.get(id)) } = runs.get(id) ?? {};
    const experiment = experimentOf(id, experiments)?.name;
    const note = noteFor(run) ?? left.get(id);
    return {
      id,
      files: files.map(({ path }) => path),
      modified,
      note: noteOf(note),
      ...(experiment === undefined ? {} : { experiment }),
      ...(about === undefined ? {} : { about }),
      ...(measured === undefined ? {} : { measured }),
      ...(problem === undefined ? {} : { problem }),
    };
  });
  for (const { id } of found) left.delete(id);
  // Of a run that was deleted nothing is noted any more.
  const noted = [...left.values()].filter((note) => Object.keys(noteOf(note)).length > 0);
  const missing = noted.map((note) => ({
    id: note.run,
    files: [],
    modified: Date.parse(note.changed) || 0,
    note: noteOf(note),
    problem: "Its files are missing: they were moved out of the folder, or deleted.",
  }));
  return [...listed, ...missing];
}

/** What is under way of what was found in a folder, as `readLibrary` lists it, without reading any run. */
export async function runsUnderWay(
  folder: string,
  { runs, experiments, journals }: FoundBelow,
  reach: Reach,
): Promise<readonly LibraryRun[]> {
  return underWay(runs, await experimentsOf(folder, experiments, reach), await capturesOf(folder, journals));
}

/** Innermost first, as `experimentOf` takes them. */
async function experimentsOf(folder: string, paths: readonly string[], reach: Reach) {
  const experiments = await mapConcurrently(paths, async (path): Promise<ExperimentFolder> => {
    const runner = await runnerOf(path, reach);
    const below = idBelow(folder, path);
    return {
      id: below || `../${basename(folder)}`,
      name: below || basename(folder),
      prefix: below && `${below}/`,
      runs: runner?.state === "alive",
    };
  });
  return experiments.sort((a, b) => b.prefix.length - a.prefix.length);
}

/** The innermost experiment that a run lies in. */
function experimentOf(id: string, experiments: readonly ExperimentFolder[]): ExperimentFolder | undefined {
  return experiments.find(({ prefix }) => id.startsWith(prefix));
}

/** Captures of other processes, by the ids that their runs will have. */
async function capturesOf(folder: string, journals: readonly string[]): Promise<readonly LibraryRun[]> {
  const files = await mapConcurrently(journals, async (path) => journalFile(path));
  return files.flatMap((file) => {
    if (file?.ownerPid === undefined) return [];
    const { path, modifiedMs: modified } = file;
    return {
      id: idBelow(folder, join(dirname(path), artifactStem(artifactPrefixOf(basename(path))))),
      files: [path],
      modified,
      note: {},
      running: "capturing",
    };
  });
}

function underWay(
  found: readonly FoundRun[],
  experiments: readonly ExperimentFolder[],
  captures: readonly LibraryRun[],
): readonly LibraryRun[] {
  const alive = experiments.filter((one) => one.runs);
  // What an experiment captures is told by its own row.
  const others = captures.filter(({ id }) => !alive.some(({ prefix }) => id.startsWith(prefix)));
  const rows = alive.map((one) =>
    runningRow(
      one,
      found.filter(({ id }) => experimentOf(id, experiments) === one),
    ),
  );
  return [...rows, ...others];
}

/** An experiment under way, in whose place come the runs that it makes. */
function runningRow({ id, name }: ExperimentFolder, made: readonly FoundRun[]): LibraryRun {
  const modified = Math.max(...made.map((run) => run.modified), 0) || Date.now();
  return { id, files: [], modified, note: {}, experiment: name, running: `running, ${plural(made.length, "run")}` };
}

function replaced(note: NotedRun | undefined): string | undefined {
  return note === undefined || Object.keys(noteOf(note)).length === 0
    ? undefined
    : "Its files are those of another run than the one that was noted here.";
}

function noteOf(note: NotedRun | undefined): RunNote {
  if (note === undefined) return {};
  const { run: _, benchmarkId: __, changed: ___, ...own } = note;
  return own;
}

/** Reads a folder of runs as a sweep. @throws as `readLibrary`; UserError for a folder that holds no run */
export async function sweepFolder(folder: string, options: LibraryOptions & SweepOptions = {}): Promise<Sweep> {
  const all = await readLibrary(folder, options);
  if (all.length === 0)
    throw new UserError(
      `${folder} holds no runs: files such as profile_export.jsonl or server_metrics_export.json were expected below it.`,
    );
  const { runs, skipped } = sweepRunsIn(all);
  return sweepOf(runs, options, skipped);
}

/**
 * Notes something of runs.
 * @returns where it was written
 * @throws UserError
 */
export async function noteRuns(
  given: string,
  runs: readonly LibraryRun[],
  change: (note: RunNote) => NoteEdit,
): Promise<NotesPlace> {
  const changed = new Date().toISOString();
  return writeNotes(
    resolve(given),
    runs.map(({ id, about, note }) => ({
      run: id,
      ...(about === undefined ? {} : { benchmarkId: about.benchmarkId }),
      ...editedNote(note, change(note)),
      changed,
    })),
  );
}
