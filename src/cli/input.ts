import { mkdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { makeFolder } from "../files/index.js";
import { CommandError } from "./exit.js";

/** Bytes of a file, or of standard input for "-". @throws CommandError */
export async function readInput(path: string): Promise<Uint8Array> {
  if (path === "-") return buffer(process.stdin);
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
