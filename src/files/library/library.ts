import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  KEY_FIGURES,
  type LibraryRun,
  type NoteChange,
  type RunAbout,
  type RunMeasured,
  type RunNote,
  type RunValues,
} from "../../core/library/index.js";
import type { LeftOutFile } from "../../core/model/index.js";
import { isFields, UserError } from "../../core/text/index.js";
import { replaceFile } from "../atomic.js";
import { textOf } from "../bytes.js";
import type { Reach } from "../opener.js";
import { cacheFolder } from "../user-folders.js";
import { placeName, readNotes, writeNotes, type NotedRun, type NotesPlace } from "./notes.js";
import { aboutRun, measuredFile, readRun } from "./read-run.js";
import { runsBelow, mapConcurrently, type FoundRun } from "./scan.js";

const VERSION = 2;
const MAX_INDEX_BYTES = 1024 ** 3;
export interface LibraryOptions {
  /** How far files are read. */
  readonly reach?: Reach;
  /** False: only what is known of measurements already. */
  readonly measure?: boolean;
  /** Called before a run is read: what ends the process meanwhile is known by it. */
  readonly onReading?: (path: string) => void;
  /** Files that are not read, and why. */
  readonly leftOut?: readonly LeftOutFile[];
  /** Share of the runs that have been read, and the runs as far as they are known. */
  readonly onProgress?: (fraction: number, known: () => readonly LibraryRun[]) => void;
  /** The runs as far as they are known: once before any is measured, where some are not known yet. */
  readonly onFirst?: (runs: readonly LibraryRun[]) => void;
  readonly signal?: AbortSignal;
}

/** What is kept of a run: it holds as long as its files are what they were. */
interface Kept {
  readonly stamp: string;
  readonly about?: RunAbout;
  readonly measured?: RunMeasured;
  readonly problem?: string;
  /** Of `measured.values`, as its line has it. */
  readonly values?: string;
}

/**
 * The runs of a folder, the newest first, with what was noted of them. What was read of a run is kept in the user's
 * cache and read again when its files change; a cache that is lost is made anew.
 * @throws UserError for what is not a folder; the signal's reason
 */
export async function readLibrary(given: string, options: LibraryOptions = {}): Promise<readonly LibraryRun[]> {
  const { reach = {}, measure = true, onProgress, onFirst, signal, onReading, leftOut = [] } = options;
  const folder = resolve(given);
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true)
    throw new UserError(`${folder} is not a folder.`, "Name the folder that holds the runs.");
  const path = join(cacheFolder(), "library", `${placeName(folder)}.jsonl`);
  const [found, known, notes] = await Promise.all([runsBelow(folder), readIndex(path), readNotes(folder, reach)]);
  const runs = new Map<string, Kept>();
  const unread = found.filter((run) => {
    const kept = known.get(run.id);
    if (kept?.stamp !== stampOf(run)) return true;
    runs.set(run.id, kept);
    return kept.measured === undefined && kept.problem === undefined;
  });
  const now = () => withNotes(found, runs, notes);
  if (unread.length === 0) return now();
  await mapConcurrently(unread, async (run) => {
    signal?.throwIfAborted();
    if (runs.has(run.id)) return;
    const about = await aboutRun(run, reach).catch(() => undefined);
    runs.set(run.id, { stamp: stampOf(run), ...(about === undefined ? {} : { about }) });
  });
  onFirst?.(now());
  if (measure)
    for (const [i, run] of unread.entries()) {
      signal?.throwIfAborted();
      const tooLarge = leftOut.find(({ path }) => run.files.some((file) => file.path === path));
      onReading?.(measuredFile(run));
      runs.set(run.id, await measuredRun(run, runs.get(run.id), reach, tooLarge));
      onProgress?.((i + 1) / unread.length, now);
    }
  await writeIndex(path, runs).catch(() => undefined);
  return now();
}

async function measuredRun(
  run: FoundRun,
  before: Kept | undefined,
  reach: Reach,
  tooLarge: LeftOutFile | undefined,
): Promise<Kept> {
  const stamp = stampOf(run);
  if (tooLarge !== undefined) return { ...before, stamp, problem: tooLarge.reason };
  try {
    const { about: told, measured } = await readRun(run, reach);
    const about = before?.about ?? told;
    const values = JSON.stringify(Object.fromEntries(measured.values), rounded);
    return { stamp, ...(about === undefined ? {} : { about }), measured, values };
  } catch (error) {
    return { ...before, stamp, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The files of a run as they are: what is kept of it holds for these. */
function stampOf({ files }: FoundRun): string {
  return files.map(({ format, size, modified }) => `${format} ${size} ${Math.round(modified)}`).join(", ");
}

function withNotes(
  found: readonly FoundRun[],
  runs: ReadonlyMap<string, Kept>,
  notes: ReadonlyMap<string, NotedRun>,
): readonly LibraryRun[] {
  const left = new Map(notes);
  for (const { id } of found) left.delete(id);
  const moved = new Map(
    [...left.values()].flatMap((note) => (note.benchmarkId === undefined ? [] : [[note.benchmarkId, note]])),
  );
  const listed = found.map(({ id, files, modified }): LibraryRun => {
    const { about, measured, problem } = runs.get(id) ?? {};
    const note = notes.get(id) ?? moved.get(about?.benchmarkId ?? "");
    if (note !== undefined) left.delete(note.run);
    return {
      id,
      files: files.map(({ path }) => path),
      modified,
      note: noteOf(note),
      ...(about === undefined ? {} : { about }),
      ...(measured === undefined ? {} : { measured }),
      ...(problem === undefined ? {} : { problem }),
    };
  });
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

function noteOf(note: NotedRun | undefined): RunNote {
  if (note === undefined) return {};
  const { run: _, benchmarkId: __, changed: ___, ...own } = note;
  return own;
}

/**
 * Notes something of runs.
 * @returns where it was written
 * @throws UserError
 */
export async function noteRuns(
  given: string,
  runs: readonly LibraryRun[],
  change: (note: RunNote) => NoteChange,
): Promise<NotesPlace> {
  const changed = new Date().toISOString();
  return writeNotes(
    resolve(given),
    runs.map(({ id, about, note }) => ({
      run: id,
      ...(about === undefined ? {} : { benchmarkId: about.benchmarkId }),
      ...Object.fromEntries(Object.entries({ ...note, ...change(note) }).filter(([, value]) => value !== undefined)),
      changed,
    })),
  );
}

/** Values of a run: key figures are at hand, all others are parsed once one of them is asked for. */
class KeptValues implements RunValues {
  private all: ReadonlyMap<string, number> | undefined;

  constructor(
    private readonly key: Readonly<Record<string, number>>,
    private readonly text: string,
  ) {}

  get(name: string): number | undefined {
    // Statistics are named by a family and a word; settings are asked for here, too.
    if (!name.includes(" ")) return Object.hasOwn(this.key, name) ? this.key[name] : undefined;
    return this.parsed().get(name);
  }

  keys(): Iterable<string> {
    return this.parsed().keys();
  }

  private parsed(): ReadonlyMap<string, number> {
    return (this.all ??= new Map(Object.entries(numbersOf(JSON.parse(this.text)))));
  }
}

function numbersOf(value: unknown): Readonly<Record<string, number>> {
  const entries = Object.entries(isFields(value) ? value : {});
  return Object.fromEntries(entries.flatMap(([name, item]) => (typeof item === "number" ? [[name, item]] : [])));
}

/** Six digits are more than any view shows. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(6)) : value;
}

/** Two lines a run: what it is, with its key figures, and all its values. */
async function writeIndex(path: string, runs: ReadonlyMap<string, Kept>): Promise<void> {
  const lines = [JSON.stringify({ version: VERSION })];
  for (const [id, { values = "{}", measured, ...kept }] of runs) {
    const key = measured && { ...measured, values: keyFigures(measured.values) };
    lines.push(JSON.stringify({ id, ...kept, ...(key === undefined ? {} : { measured: key }) }), values);
  }
  await replaceFile(path, `${lines.join("\n")}\n`);
}

function keyFigures(values: RunValues): Readonly<Record<string, unknown>> {
  return Object.fromEntries(KEY_FIGURES.map((name) => [name, rounded(name, values.get(name))]));
}

/** It is this program's own; one of another version, or that is damaged, is none. */
async function readIndex(path: string): Promise<ReadonlyMap<string, Kept>> {
  const text = await textOf(path, MAX_INDEX_BYTES).catch(() => "");
  const [first = "", ...lines] = text.split("\n");
  const known = new Map<string, Kept>();
  if (first !== JSON.stringify({ version: VERSION })) return known;
  try {
    for (let i = 0; i + 1 < lines.length; i += 2) {
      const [line = "", values = ""] = [lines[i], lines[i + 1]];
      const { id, ...kept } = JSON.parse(line) as Kept & { readonly id: string };
      const { measured } = kept;
      known.set(id, {
        ...kept,
        values,
        ...(measured === undefined
          ? {}
          : { measured: { ...measured, values: new KeptValues(numbersOf(measured.values), values) } }),
      });
    }
  } catch {
    return new Map();
  }
  return known;
}
