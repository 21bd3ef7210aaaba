import { randomBytes } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { UserError } from "../../core/text/errors.js";
import { processState, isRunning, OWNER_PATTERN, ownerText, thisOwner } from "../owner.js";

/** A journal left behind, as a list of them shows it. */
export interface JournalFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Another process that is still writing it. */
  readonly ownerPid?: number;
}

/** A journal that is being written is touched this often, whether there is something to write or not. */
export const HEARTBEAT_MS = 5000;
/** Where its process cannot be asked for, a journal untouched for this long has been left behind. */
const SILENT_MS = 2 * 60_000;
/** The same of one whose name tells the number of its process only: it was not touched between scrapes. */
const EARLIER_SILENT_MS = 10 * 60_000;

const NAME = new RegExp(`^\\.?[\\w-]*journal-${OWNER_PATTERN}-[0-9a-f]{8}\\.jsonl\\.gz$`);
const EARLIER_NAME = /^\.?[\w-]*journal[\w-]*?-(\d+)(?:-[\w-]+)?\.jsonl\.gz$/;

/**
 * A name that no other journal has: it tells the process that writes it, so that a later one knows whether that still
 * runs, and ends by chance, because processes in containers have the same numbers.
 * @param prefix before "journal"
 */
export function journalName(prefix = ""): string {
  return `${prefix}journal-${ownerText(thisOwner())}-${randomBytes(4).toString("hex")}.jsonl.gz`;
}

/** Of a capture whose journal lies beside its artifacts: hidden, with the prefix of these. */
export function hiddenJournalName(prefix?: string): string {
  return journalName(journalPrefix(prefix));
}

/** What the names of such journals begin with. @param prefix of the artifacts */
export function journalPrefix(prefix = ""): string {
  return prefix === "" ? ".server_metrics_" : `.${prefix}_server_metrics_`;
}

/** The prefix of a journal's artifacts, "" without one. */
export function artifactPrefixOf(name: string): string {
  return name.replace(/^\.|_?(?:server_metrics_)?journal-.*$/g, "");
}

/** The journals of a folder, newest first; none when there is no such folder. */
export async function listJournals(directory: string): Promise<readonly JournalFile[]> {
  const names = await readdir(directory).catch(() => []);
  const files = await Promise.all(names.map(async (name) => journalFile(join(directory, name), name)));
  return files.flatMap((file) => (file === undefined ? [] : [file])).sort((a, b) => b.modifiedMs - a.modifiedMs);
}

/**
 * Deletes a journal whose run has been written or is not wanted. One that is gone already is no trouble.
 * @throws UserError when another process is writing it
 */
export async function deleteJournal(path: string): Promise<void> {
  const file = await journalFile(path);
  if (file?.ownerPid !== undefined)
    throw new UserError(
      `${path} is being written by process ${file.ownerPid}: it was not deleted.`,
      "Stop that capture first.",
      { code: "in-use" },
    );
  await rm(path, { force: true });
}

/** Whether a file is a journal, by its name. */
export function isJournal(name: string): boolean {
  return NAME.test(name) || EARLIER_NAME.test(name);
}

/** A journal by its path; undefined for other files, and for one that is gone. */
export async function journalFile(path: string, name = basename(path)): Promise<JournalFile | undefined> {
  const match = NAME.exec(name) ?? EARLIER_NAME.exec(name);
  const info = match === null ? undefined : await stat(path).catch(() => undefined);
  if (match === null || info === undefined) return undefined;
  const [, pid, start, place] = match;
  const owner = Number(pid);
  const silentMs = Date.now() - info.mtimeMs;
  const fate = start === undefined || place === undefined ? undefined : processState({ pid: owner, start, place });
  const { pid: own, place: here } = thisOwner();
  const isOwn = owner === own && (place === undefined || place === here);
  const isWritten =
    !isOwn &&
    (fate === undefined
      ? isRunning(owner) && silentMs <= EARLIER_SILENT_MS
      : fate === "alive" || (fate === "unknown" && silentMs <= SILENT_MS));
  return { path, bytes: info.size, modifiedMs: info.mtimeMs, ...(isWritten ? { ownerPid: owner } : {}) };
}
