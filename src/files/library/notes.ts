import { createHash } from "node:crypto";
import { access, appendFile, constants } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RunNote } from "../../core/library/index.js";
import { isFields, isList, parseJson } from "../../core/text/index.js";
import { replaceFile } from "../atomic.js";
import { textOf } from "../bytes.js";
import { describeFileError } from "../failure.js";
import type { Reach } from "../opener.js";
import { isThere, dataFolder } from "../folders.js";

/** The file beside the runs that holds what was written of them: a line a run, in order. */
export const NOTES_FILE = "server-metrics-notes.jsonl";
const MAX_BYTES = 64 * 1024 ** 2;

/** A line of the file. */
export interface NotedRun extends RunNote {
  readonly run: string;
  /** By which a run is found that has been moved. */
  readonly benchmarkId?: string;
  /** ISO 8601. Where Git has kept two lines of a run, the later one's entries count. */
  readonly changed: string;
}

/** Where notes of a folder's runs are written, and why not beside them. */
export interface NotesPlace {
  readonly path: string;
  /** Absent where they lie beside the runs. */
  readonly reason?: string;
}

/** Notes by run: those beside the runs, then the user's own. What cannot be read is none. */
export async function readNotes(folder: string, reach: Reach = {}): Promise<ReadonlyMap<string, NotedRun>> {
  const texts = await Promise.all([
    textOf(join(folder, NOTES_FILE), MAX_BYTES, reach).catch(() => ""),
    textOf(ownFile(folder), MAX_BYTES).catch(() => ""),
  ]);
  const lines = texts.flatMap(linesOf).sort((a, b) => (a.changed < b.changed ? -1 : a.changed > b.changed ? 1 : 0));
  const notes = new Map<string, NotedRun>();
  for (const line of lines) notes.set(line.run, { ...notes.get(line.run), ...line });
  return notes;
}

/**
 * Writes what is noted of some runs, in place of what was. Beside the runs, so that a team shares it, where the folder
 * is in a Git repository or has notes already; else in the user's own folder.
 * @throws UserError
 */
export async function writeNotes(folder: string, changed: readonly NotedRun[]): Promise<NotesPlace> {
  const place = await notesPlace(folder);
  const known = linesOf(await textOf(place.path, MAX_BYTES).catch(() => ""));
  const runs = new Set(changed.map(({ run }) => run));
  const lines = [...known.filter(({ run }) => !runs.has(run)), ...changed].sort((a, b) =>
    a.run < b.run ? -1 : a.run > b.run ? 1 : 0,
  );
  try {
    await replaceFile(place.path, lines.map((line) => `${textLine(line)}\n`).join(""));
    if (place.reason === undefined) await mergeInGit(folder);
    return place;
  } catch (error) {
    throw describeFileError(place.path, error, "write");
  }
}

/** Where `writeNotes` writes. */
export async function notesPlace(folder: string): Promise<NotesPlace> {
  const beside = join(folder, NOTES_FILE);
  const own = ownFile(folder);
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return { path: own, reason: `${folder} is read-only` };
  if ((await isThere(beside)) || (await isInGit(folder))) return { path: beside };
  return { path: own, reason: `${folder} is in no Git repository` };
}

function ownFile(folder: string): string {
  return join(dataFolder(), "notes", `${placeName(folder)}.jsonl`);
}

/** A name for what is kept of a folder elsewhere. */
export function placeName(folder: string): string {
  return createHash("sha256").update(folder).digest("hex").slice(0, 24);
}

async function isInGit(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isThere(join(at, ".git"))) return true;
    if (dirname(at) === at) return false;
  }
}

/** Has Git keep the lines of both sides where two people noted something. */
async function mergeInGit(folder: string): Promise<void> {
  if (!(await isInGit(folder))) return;
  const path = join(folder, ".gitattributes");
  const text = await textOf(path, MAX_BYTES).catch(() => "");
  if (text.includes(NOTES_FILE)) return;
  await appendFile(path, `${text === "" || text.endsWith("\n") ? "" : "\n"}${NOTES_FILE} merge=union\n`);
}

function textLine({ run, benchmarkId, changed, label, note, tags, star, archived }: NotedRun): string {
  return JSON.stringify({
    run,
    ...(benchmarkId === undefined ? {} : { benchmark_id: benchmarkId }),
    ...(label === undefined ? {} : { label }),
    ...(note === undefined ? {} : { note }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
    ...(star === undefined ? {} : { star }),
    ...(archived === undefined ? {} : { archived }),
    changed,
  });
}

/** Lines that are none, such as marks of a conflict, are passed over. */
function linesOf(text: string): readonly NotedRun[] {
  return text.split("\n").flatMap((line): NotedRun[] => {
    let parsed: unknown;
    try {
      parsed = line.trim() === "" ? undefined : parseJson(line);
    } catch {
      return [];
    }
    if (!isFields(parsed)) return [];
    const { run, benchmark_id: benchmarkId, changed, label, note, tags, star, archived } = parsed;
    if (typeof run !== "string") return [];
    return [
      {
        run,
        changed: typeof changed === "string" ? changed : "",
        ...(typeof benchmarkId === "string" ? { benchmarkId } : {}),
        ...(typeof label === "string" ? { label } : {}),
        ...(typeof note === "string" ? { note } : {}),
        ...(isList(tags) ? { tags: tags.map(String) } : {}),
        ...(star === true ? { star } : {}),
        ...(archived === true ? { archived } : {}),
      },
    ];
  });
}
