import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { UserError, errorCode } from "../core/text/errors.js";
import { describeFileError } from "./failure.js";
import { homedir } from "node:os";

/** Longer than any disk takes; a network folder whose server is gone never answers. */
const ANSWER_MS = 10_000;

/**
 * Makes a folder and those above it, one by one: node's own recursion never ends where a parent exists that takes no
 * folders, such as /proc.
 * @returns the outermost folder that was made; undefined when it was there
 * @throws UserError
 */
export async function makeFolder(path: string): Promise<string | undefined> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      made(path),
      wait(ANSWER_MS, undefined, { signal: stop.signal }).then(() => {
        throw new UserError(`${path} does not respond: it could not be created within ${ANSWER_MS / 1000} s.`);
      }),
    ]);
  } catch (error) {
    throw describeFileError(path, error, "write");
  } finally {
    stop.abort();
  }
}

/**
 * Makes a folder of that name in another one: a name that is taken, if only this moment by another process, gets a
 * number.
 * @throws UserError
 */
export async function newFolder(base: string, name: string): Promise<string> {
  await makeFolder(base);
  for (let number = 1; ; number++) {
    const path = join(base, number === 1 ? name : `${name}-${number}`);
    try {
      await mkdir(path);
      return path;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw describeFileError(path, error, "write");
    }
  }
}

/** @param whereFile the error where a file stands there: of a folder above it is another one */
async function made(path: string, whereFile: "EEXIST" | "ENOTDIR" = "EEXIST"): Promise<string | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isDirectory() === true) return undefined;
  if (info !== undefined) throw Object.assign(new Error("there is a file"), { code: whereFile });
  const above = dirname(path);
  const outermost = above === path ? undefined : await made(above, "ENOTDIR");
  try {
    await mkdir(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (errorCode(error) !== "EEXIST") throw error;
    if (!(await stat(path)).isDirectory()) throw error;
    return outermost;
  }
  return outermost ?? path;
}

/** Whether there is a folder of this path, as far as this process may see. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** Whether there is a file or folder of this path, as far as this process may see. */
export function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A path that is not taken. @param pathOf of a suffix: none, then -2, -3 */
export async function freePath(pathOf: (suffix: string) => string): Promise<string> {
  for (let number = 1; ; number++) {
    const path = pathOf(number === 1 ? "" : `-${number}`);
    if (!(await isThere(path))) return path;
  }
}

/** Characters no file system takes in a name, white space, and what nobody sees. */
const UNSAFE = /[<>:"/\\|?*\s\p{Cc}\p{DI}]+/gu;

/** `2025-11-21_07-15-30[-label]` in local time: sorts by date, and is a valid name on every file system. */
export function runFolderName(startedAt: Date, label: string | undefined): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${startedAt.getFullYear()}-${two(startedAt.getMonth() + 1)}-${two(startedAt.getDate())}`;
  const time = `${two(startedAt.getHours())}-${two(startedAt.getMinutes())}-${two(startedAt.getSeconds())}`;
  const safe = (label ?? "")
    .replace(UNSAFE, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  return safe === "" ? `${date}_${time}` : `${date}_${time}-${safe}`;
}

/** The user's folder for what can be found out again. */
export function cacheFolder(): string {
  return join(userFolder("XDG_CACHE_HOME", ["Library", "Caches"], ".cache"), "server-metrics");
}

/** The user's folder for what cannot. */
export function dataFolder(): string {
  return join(
    userFolder("XDG_DATA_HOME", ["Library", "Application Support"], join(".local", "share")),
    "server-metrics",
  );
}

function userFolder(variable: string, mac: readonly string[], other: string): string {
  const { [variable]: xdg, LOCALAPPDATA: windows } = process.env;
  if (xdg !== undefined && xdg !== "") return xdg;
  if (process.platform === "win32" && windows !== undefined) return windows;
  return process.platform === "darwin" ? join(homedir(), ...mac) : join(homedir(), other);
}
