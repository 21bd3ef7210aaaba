import path from "node:path";
import { FileSystemError, FileType, workspace } from "vscode";
import { grouped } from "../core/text/plural.js";
import { UserError, messageOf } from "../core/text/errors.js";
import { fileUri } from "./file-uri.js";
import type { Disk, DiskEntry } from "./disk.js";

const MIB = 1024 ** 2;
/** A file is in memory as a whole, since the workbench reads no part of one. */
const MAX_FILE_MIB = 256;
/** Files that were read lately stay in memory up to this, beside the last. */
const KEPT_BYTES = 64 * MIB;

interface Kept {
  readonly stamp: string;
  readonly bytes: Promise<Uint8Array>;
  readonly size: number;
}

/** The last read comes last. */
const kept = new Map<string, Kept>();

/** The files of the workspace, as the workbench gives them to extensions. @throws UserError with a system's code */
export const workspaceDisk: Disk = {
  statFile: ({ path: file }) => statOf(file),
  readFolder: async ({ path: folder }) => {
    const entries = await asked(folder, workspace.fs.readDirectory(fileUri(folder)));
    return entries.map(([name, type]) => ({ name, kind: kindOf(type) }));
  },
  readPart: async ({ path: file, start, length }) => {
    const known = kept.get(file) ?? (await readWhole(file));
    // The last read is the last to be forgotten.
    kept.delete(file);
    kept.set(file, known);
    return (await known.bytes).slice(start, start + length);
  },
};

async function statOf(file: string) {
  const { type, size, mtime } = await asked(file, workspace.fs.stat(fileUri(file)));
  if (kept.get(file)?.stamp !== stampOf(mtime, size)) kept.delete(file);
  return { name: path.basename(file), kind: kindOf(type), size, mtimeMs: mtime };
}

async function readWhole(file: string): Promise<Kept> {
  const { size, mtimeMs } = await statOf(file);
  if (size > MAX_FILE_MIB * MIB)
    throw new UserError(
      `${file} has ${grouped(Math.ceil(size / MIB))} MiB: in the browser, files of up to ${MAX_FILE_MIB} MiB are read.`,
      "Open it in VS Code on a desktop or a remote.",
      { code: "EFBIG" },
    );
  // A node Buffer of a larger pool would be sent whole.
  const bytes = asked(file, workspace.fs.readFile(fileUri(file)));
  const own: Kept = { stamp: stampOf(mtimeMs, size), bytes, size };
  bytes.catch(() => kept.delete(file));
  let room = KEPT_BYTES - size;
  for (const [name, other] of [...kept].reverse()) if ((room -= other.size) < 0) kept.delete(name);
  return own;
}

function stampOf(mtime: number, size: number): string {
  return `${mtime} ${size}`;
}

function kindOf(type: FileType): DiskEntry["kind"] {
  if ((type & FileType.SymbolicLink) !== 0) return "link";
  if ((type & FileType.File) !== 0) return "file";
  return (type & FileType.Directory) !== 0 ? "folder" : "other";
}

const REASONS: Readonly<Record<string, readonly [code: string, what: string]>> = {
  FileNotFound: ["ENOENT", "there is no such file or folder"],
  FileNotADirectory: ["ENOTDIR", "a part of its path is a file, not a folder"],
  FileIsADirectory: ["EISDIR", "it is a folder"],
  NoPermissions: ["EACCES", "permission denied"],
};

async function asked<T>(file: string, asking: Thenable<T>): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    const name = error instanceof FileSystemError ? error.code : "";
    const [code, what] = REASONS[name] ?? ["EIO", messageOf(error)];
    throw new UserError(`${file} cannot be read: ${what}.`, undefined, { code });
  }
}
