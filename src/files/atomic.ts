import { randomBytes } from "node:crypto";
import { open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describeFileError, FileError } from "./failure.js";

/** A file being written under a temporary name beside its own. */
export interface PendingFile {
  readonly path: string;
  readonly temporary: string;
}

/**
 * A name in the same folder, so that the rename stays within one file system; hidden, so that no view opens it half
 * written.
 */
export function pendingFile(path: string): PendingFile {
  return { path, temporary: join(dirname(path), `.${basename(path)}.${randomBytes(4).toString("hex")}.tmp`) };
}

/**
 * Writes all files, then renames all of them: either every file is there in full or none is.
 * @throws FileError; the signal's reason. Nothing temporary is left behind, and files of those names stay as they were.
 */
export async function writeAll(
  files: readonly (PendingFile & {
    readonly write: (temporary: string) => Promise<void>;
    readonly check?: (temporary: string) => Promise<void>;
  })[],
  signal?: AbortSignal,
): Promise<void> {
  // What a rename would trip over is found before the first one: those done could not be taken back.
  for (const { path } of files) if (await isFolder(path)) throw describeFileError(path, FOLDER_IN_THE_WAY, "write");
  try {
    for (const { path, temporary, write, check } of files) {
      signal?.throwIfAborted();
      await write(temporary).catch((error: unknown) => {
        throw isFileSystemError(error) ? describeFileError(path, error, "write") : error;
      });
      await check?.(temporary);
    }
    signal?.throwIfAborted();
    for (const { path, temporary } of files) {
      await rename(temporary, path).catch((error: unknown) => {
        throw describeFileError(path, error, "write");
      });
    }
  } finally {
    await Promise.all(files.map(({ temporary }) => rm(temporary, { force: true })));
  }
}

const FOLDER_IN_THE_WAY = Object.assign(new Error("a folder has that name"), { code: "EISDIR" });

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

function isFileSystemError(error: unknown): boolean {
  return !(error instanceof FileError) && error instanceof Error && "syscall" in error;
}

/** Bytes gathered before they are handed to the disk. */
const BUFFER_CHARACTERS = 1 << 18;

/** Streams text into a file and makes sure that it has reached the disk. @throws the signal's reason when aborted */
export async function writeText(path: string, pieces: Iterable<string>, signal?: AbortSignal): Promise<void> {
  const file = await open(path, "w");
  try {
    let waiting: string[] = [];
    let length = 0;
    for (const piece of pieces) {
      waiting.push(piece);
      length += piece.length;
      if (length < BUFFER_CHARACTERS) continue;
      await append(file, waiting.join(""));
      signal?.throwIfAborted();
      waiting = [];
      length = 0;
    }
    await append(file, waiting.join(""));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function append(file: FileHandle, text: string): Promise<void> {
  if (text !== "") await file.appendFile(text);
}
