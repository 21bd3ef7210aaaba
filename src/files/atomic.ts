import { randomBytes } from "node:crypto";
import { link, lstat, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorCode, UserError } from "../core/text/errors.js";
import { describeFileError } from "./failure.js";
import { isFolder, makeFolder } from "./folders.js";
import { processState, OWNER_PATTERN, ownerText, thisOwner } from "./owner.js";

/** A file being written under a temporary name beside its own. */
export interface PendingFile {
  readonly path: string;
  readonly temporary: string;
}

/**
 * A name in the same folder, so that the rename stays within one file system; hidden, so that no view opens it half
 * written; with its process, so that what a killed one leaves is known for that.
 */
export function pendingFile(path: string): PendingFile {
  const suffix = `${ownerText(thisOwner())}-${randomBytes(4).toString("hex")}`;
  return { path, temporary: join(dirname(path), `.${basename(path)}.${suffix}.tmp`) };
}

/** Under which a file waits to be packed into `temporary`. */
export function unpackedTemporary(temporary: string): string {
  return temporary.replace(/\.tmp$/, "-unpacked.tmp");
}

const TEMPORARY = new RegExp(`^\\..+\\.${OWNER_PATTERN}-[0-9a-f]{8}(?:-unpacked)?\\.tmp$`);
/** Where the owner cannot be asked, a file untouched for this long is nobody's. */
const FORGOTTEN_MS = 24 * 3_600_000;

/** Removes the temporary files that killed processes have left in a folder; those of living ones stay. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const match = TEMPORARY.exec(name);
    if (match === null) continue;
    const path = join(directory, name);
    const [, pid, start = "", place = ""] = match;
    const fate = processState({ pid: Number(pid), start, place });
    const forgotten = async () => Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (fate === "dead" || (fate === "unknown" && (await forgotten()) > FORGOTTEN_MS))
      // One that another export removes at the same moment, or that may not be removed, is no trouble of this one.
      await rm(path, { force: true }).catch(() => undefined);
  }
}

/** How one of several files went. */
export type WriteOutcome = { readonly kind: "written" } | { readonly kind: "failed"; readonly error: UserError };

/**
 * Writes all files, then renames those that could be written: what one of them meets does not take the others along.
 * Of each either the whole file is there or, if there was one, the earlier file of that name. Where an earlier file is
 * to be kept, no file that is to keep them gets its name: those of two runs would lie beside each other. What killed
 * processes have left in the folders goes.
 * @throws the signal's reason: then no file has got its name. Nothing temporary is left behind.
 */
export async function writeFiles(
  files: readonly (PendingFile & {
    readonly write: (temporary: string) => Promise<void>;
    readonly check?: (temporary: string) => Promise<void>;
    /** Files of one lane are written one after the other, lanes at the same time; 0 by default. */
    readonly lane?: number;
    /** It fails where there is a file of its name. */
    readonly keepExisting?: boolean;
  })[],
  signal?: AbortSignal,
  onLaneEnd?: (lane: number) => void,
): Promise<readonly WriteOutcome[]> {
  await Promise.all([...new Set(files.map(({ path }) => dirname(path)))].map(removeLeftovers));
  const failures = new Map<string, UserError>();
  const writeLane = async (lane: number) => {
    for (const { path, temporary, write, check } of files.filter((file) => (file.lane ?? 0) === lane)) {
      signal?.throwIfAborted();
      try {
        // What the rename would trip over is found before a long file is written.
        if (await isFolder(path)) throw describeFileError(path, FOLDER_IN_THE_WAY, "write");
        await write(temporary);
        await check?.(temporary);
      } catch (error) {
        signal?.throwIfAborted();
        failures.set(path, failureOf(path, error));
        // On a full disk the others need its room.
        await rm(temporary, { force: true });
      }
    }
    onLaneEnd?.(lane);
  };
  try {
    // None may go on writing when what is temporary is removed.
    const lanes = await Promise.allSettled([...new Set(files.map(({ lane = 0 }) => lane))].map(writeLane));
    signal?.throwIfAborted();
    for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
    const finished = files.filter(({ path }) => !failures.has(path));
    const keeping = finished.filter(({ keepExisting }) => keepExisting === true);
    const taken = await nameWithoutReplacing(keeping);
    if (taken !== undefined) for (const { path } of keeping) failures.set(path, taken);
    for (const { path, temporary, keepExisting } of finished) {
      if (keepExisting === true) continue;
      await renameOver(temporary, path).catch((error: unknown) => failures.set(path, failureOf(path, error)));
    }
  } finally {
    const temporaries = files.flatMap(({ temporary }) => [temporary, unpackedTemporary(temporary)]);
    await Promise.all(temporaries.map((temporary) => rm(temporary, { force: true })));
  }
  return files.map(({ path }) => {
    const error = failures.get(path);
    return error === undefined ? { kind: "written" } : { kind: "failed", error };
  });
}

/** Writes a file in place of the one of that name, whole or not at all. Its folder is made. @throws UserError */
export async function replaceFile(path: string, text: string | Uint8Array): Promise<void> {
  await makeFolder(dirname(path));
  return writeWhole(path, text, false);
}

/** Writes a file where there is none of its name, whole or not at all. @throws UserError */
export function writeNewFile(path: string, text: string): Promise<void> {
  return writeWhole(path, text, true);
}

async function writeWhole(path: string, text: string | Uint8Array, keepExisting: boolean): Promise<void> {
  const [outcome] = await writeFiles([
    { ...pendingFile(path), write: (temporary) => writeFile(temporary, text), keepExisting },
  ]);
  if (outcome?.kind === "failed") throw outcome.error;
}

/**
 * Gives all files their names, or none where another file has one.
 * @returns why none has got its name
 */
async function nameWithoutReplacing(files: readonly PendingFile[]): Promise<UserError | undefined> {
  const named: string[] = [];
  for (const { path, temporary } of files) {
    try {
      await nameNew(temporary, path);
      named.push(path);
    } catch (error) {
      await Promise.all(named.map((one) => rm(one, { force: true })));
      return failureOf(path, error);
    }
  }
  return undefined;
}

/** What Windows says while another program, such as a virus scanner or a viewer, has a file open. */
const HELD = new Set(["EPERM", "EACCES", "EBUSY"]);
const HELD_MS = [20, 50, 100, 200, 400, 800];

/**
 * Renames over a file of that name. Windows refuses that while another program has it open, which is seldom for long:
 * it is tried again for a second and a half.
 * @throws what the last attempt met
 */
export async function renameOver(
  from: string,
  to: string,
  { move = rename, platform = process.platform, waits = HELD_MS } = {},
): Promise<void> {
  for (const ms of platform === "win32" ? waits : []) {
    try {
      return await move(from, to);
    } catch (error) {
      if (!HELD.has(errorCode(error) ?? "")) throw error;
      await setTimeout(ms);
    }
  }
  return move(from, to);
}

/** A link is never made over a file, also not over one that comes at the same moment, as a rename would be. */
async function nameNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch {
    // Some file systems, such as FAT and those of some networks, have no links.
    const isTaken = await lstat(path).catch(() => undefined);
    if (isTaken === undefined) return rename(temporary, path);
    throw new UserError(
      `${path} was written by another run in the meantime, so it was not replaced.`,
      "Give each capture a folder (--out) or a prefix (--prefix) of its own.",
      { code: "export-failed", system: "EEXIST" },
    );
  }
}

function failureOf(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  return describeFileError(path, error, "write");
}

const FOLDER_IN_THE_WAY = Object.assign(new Error("a folder has that name"), { code: "EISDIR" });
