import { mkdir, open, readFile, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { contentOf } from "../files/bytes.js";
import { packingOf, packingOfBytes } from "../files/growing-file.js";
import { makeFolder } from "../files/index.js";
import type { Compression } from "../protocol/index.js";
import { CommandError } from "./exit.js";

/** Longest text that is read whole, bytes. */
const MAX_INPUT = 1024 ** 3;

/** Bytes of a file, unpacked if it is packed, or of standard input for "-". @throws CommandError; FileError */
export async function readInput(path: string): Promise<Uint8Array> {
  // What is read from a pipe cannot be read a second time.
  const about = path === "-" ? undefined : await stat(path).catch(() => undefined);
  if (about?.isFile() === true && (await packingAt(path)) !== undefined) return contentOf(path, MAX_INPUT);
  const bytes = path === "-" ? await buffer(process.stdin) : await fileBytes(path);
  const packing = packingOfBytes(bytes);
  if (packing === undefined) return bytes;
  throw new CommandError(
    `${path === "-" ? "standard input" : path} is packed with ${packing}.`,
    undefined,
    `Unpack it on the way (${packing} -dc), or name the file.`,
  );
}

/** @throws CommandError when it cannot be opened */
async function packingAt(path: string): Promise<Compression | undefined> {
  const file = await open(path).catch((error: unknown) => {
    throw fileTrouble(path, error, "read");
  });
  return packingOf(file).finally(() => file.close());
}

async function fileBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw fileTrouble(path, error, "read");
  }
}

/**
 * Makes a folder for results, and those above it. Work that writes nothing leaves no folder that was not there before.
 * @throws CommandError when it cannot be made; what `work` throws
 */
export async function withFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  const made = await makeFolder(path);
  return work().finally(async () => {
    // One that is not empty refuses.
    if (made !== undefined) await rmdir(path).catch(() => undefined);
  });
}

/**
 * As `withFolder`, in a new folder of that name within `base`: one that is taken, if only this moment by another
 * process, gets a number.
 * @throws as `withFolder`
 */
export async function withNewFolder<T>(base: string, name: string, work: (path: string) => Promise<T>): Promise<T> {
  await makeFolder(base);
  for (let number = 1; ; number++) {
    const path = join(base, number === 1 ? name : `${name}-${number}`);
    const made = await mkdir(path).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
        throw fileTrouble(path, error, "written");
      },
    );
    if (made) return work(path).finally(() => rmdir(path).catch(() => undefined));
  }
}

/** The error for a file that could not be read or written, in words. */
export function fileTrouble(path: string, error: unknown, doing: "read" | "written"): CommandError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const why =
    code === "ENOENT"
      ? "there is no such file or folder"
      : code === "EISDIR"
        ? "it is a folder"
        : code === "EACCES"
          ? "permission denied"
          : code === "EEXIST" || code === "ENOTDIR"
            ? "there is a file where a folder should be"
            : error instanceof Error
              ? error.message
              : String(error);
  return new CommandError(`${path} cannot be ${doing}: ${why}.`);
}
