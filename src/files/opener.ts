import { constants, createReadStream, type Stats } from "node:fs";
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { UserError, errorCode } from "../core/text/errors.js";
import { describeFileError } from "./failure.js";
import { createHash } from "node:crypto";

/** How far reading goes. */
export interface Reach {
  /** The real path of a folder that the file has to lie in, without being a link; absent: anywhere. */
  readonly within?: string;
}

/** Longest that is read of what a person named, bytes. */
const MAX_NAMED = 1024 ** 3;

/**
 * A regular file that is open to be read. Everything that is read of a file goes through here, but for what a person
 * names on a command line (`readNamedFile`): a pipe holds the thread that opens it until somebody writes, and there are
 * four of them for all files; a device may never end.
 */
export class RegularFile {
  private constructor(
    readonly path: string,
    /** As it was opened: nothing behind that size is read. */
    readonly stats: Stats,
    private readonly handle: FileHandle,
  ) {}

  /** @throws UserError for what is not there, is no regular file, or lies out of reach */
  static async open(path: string, { within }: Reach = {}): Promise<RegularFile> {
    const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = constants;
    const follow = within === undefined ? 0 : O_NOFOLLOW;
    const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | follow).catch((error: unknown) => {
      throw errorCode(error) === "ELOOP" && within !== undefined
        ? isLink(path)
        : describeFileError(path, error, "read");
    });
    try {
      const file = await RegularFile.of(path, handle);
      if (within !== undefined) await proveWithin(handle, path, within);
      return file;
    } catch (error) {
      await handle.close();
      throw describeFileError(path, error, "read");
    }
  }

  /** A file that this process has open already, as it is now. @throws UserError when it is no regular file */
  static async of(path: string, handle: FileHandle): Promise<RegularFile> {
    const stats = await handle.stat();
    if (stats.isDirectory())
      throw new UserError(`${path} is a folder, not a file.`, "Open one of the artifacts inside.");
    if (!stats.isFile())
      throw new UserError(`${path} is ${kindOf(stats)}, not a file: it was not read.`, "Write its content to a file.");
    return new RegularFile(path, stats, handle);
  }

  get size(): number {
    return this.stats.size;
  }

  /** Fills bytes from a place on. @returns how many there were */
  async read(bytes: Uint8Array, start: number): Promise<number> {
    const length = Math.min(bytes.length, this.size - start);
    return length <= 0 ? 0 : (await this.handle.read(bytes, 0, length, start)).bytesRead;
  }

  /** Bytes from a place on; fewer at the end. */
  async bytesAt(start: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, this.size - start)));
    return bytes.subarray(0, await this.read(bytes, start));
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** What the system says of a file, which is not read. @throws as `RegularFile.open` */
export function statsOf(path: string, reach?: Reach): Promise<Stats> {
  return withFile(path, reach, (file) => Promise.resolve(file.stats));
}

/** Opens a file for as long as it is used. @throws as `RegularFile.open`; what `use` throws */
export async function withFile<T>(
  path: string,
  reach: Reach | undefined,
  use: (file: RegularFile) => Promise<T>,
): Promise<T> {
  const file = await RegularFile.open(path, reach);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/**
 * All bytes of what a person named: a file, a pipe, or "-" for standard input.
 * @throws UserError
 */
export async function readNamedFile(path: string, limit = MAX_NAMED): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of (path === "-" ? process.stdin : createReadStream(path)) as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > limit) throw new UserError(`${path} is longer than ${Math.round(limit / 1024 ** 2)} MiB.`);
      pieces.push(piece);
    }
  } catch (error) {
    throw describeFileError(path, error, "read");
  }
  return Buffer.concat(pieces);
}

/** As `readNamedFile`, of text in UTF-8. @throws UserError */
export async function readNamedText(path: string): Promise<string> {
  return new TextDecoder().decode(await readNamedFile(path));
}

/** Whether a path lies below a folder, by their names. */
export function liesBelow(folder: string, path: string): boolean {
  const to = relative(folder, path);
  return to !== "" && to !== ".." && !to.startsWith(`..${sep}`) && !isAbsolute(to);
}

/**
 * Links may be made and changed while a path is looked at: what counts is where the file lies that is open. Linux tells
 * that. Elsewhere the path has to lead to that very file once it is open.
 * @throws UserError
 */
async function proveWithin(handle: FileHandle, path: string, folder: string): Promise<void> {
  const opened = process.platform === "linux" ? await readlink(`/proc/self/fd/${handle.fd}`).catch(() => "") : "";
  if (opened === "" ? await leadsTo(handle, path, folder) : liesBelow(folder, opened)) return;
  throw new UserError(`${path} lies outside ${folder}: it was not read.`);
}

/** As `proveWithin` has it for a system without /proc. @throws UserError for a link */
export async function leadsTo(handle: FileHandle, path: string, folder: string): Promise<boolean> {
  const options = { bigint: true } as const;
  if ((await lstat(path)).isSymbolicLink()) throw isLink(path);
  const real = await realpath(path);
  const [own, there] = await Promise.all([handle.stat(options), lstat(real, options)]);
  return liesBelow(folder, real) && own.dev === there.dev && own.ino === there.ino;
}

function isLink(path: string): UserError {
  return new UserError(`${path} is a link: it was not read.`, "Open the file that it leads to.");
}

/** What an entry of a folder is, in words; the functions say which kind it is. */
export function kindOf(
  entry: Pick<Stats, "isFIFO" | "isSocket" | "isDirectory" | "isSymbolicLink" | "isFile">,
): string {
  if (entry.isSymbolicLink()) return "a link";
  if (entry.isFIFO()) return "a pipe";
  if (entry.isSocket()) return "a socket";
  return entry.isDirectory() ? "a folder" : entry.isFile() ? "a file" : "a device";
}

const CHUNK = 1 << 20;

/** Size and SHA-256 of a file as it lies on disk, packed or not. @throws UserError; the signal's reason */
export function fingerprintOf(
  path: string,
  { signal, ...reach }: Reach & { readonly signal?: AbortSignal } = {},
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  return withFile(path, reach, async (file) => {
    const hash = createHash("sha256");
    const chunk = new Uint8Array(Math.min(CHUNK, Math.max(1, file.size)));
    for (let at = 0; at < file.size;) {
      signal?.throwIfAborted();
      const length = await file.read(chunk, at);
      if (length === 0) break;
      hash.update(chunk.subarray(0, length));
      at += length;
    }
    return { bytes: file.size, sha256: hash.digest("hex") };
  });
}
