import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { MAX_LEFT_OUT, OPTION_RANGES, type LeftOutFile } from "../../core/model/index.js";
import { errorCode, isFields, isList, UserError } from "../../core/text/index.js";
import { beginsAsParquet } from "../../core/artifacts/parquet/tail.js";
import { packingOfBytes } from "../../files/growing-file.js";
import { isReadBeside, Neighbours } from "../../files/open/neighbours.js";
import { withFile, type Reach } from "../../files/opener.js";
import { bytesOnDisk, memoryFor } from "../../files/memory.js";
import { splitPhase } from "./artifact.js";
import { ENDING_SIGNALS } from "../capture/child-process.js";
import { inRange } from "../options/numbers.js";
import { grouped } from "../../core/text/plural.js";
import type { LibraryOptions } from "../../files/library/library.js";
import { withProgress } from "../print/terminal.js";

/*
 * A file from elsewhere may be made to need any amount of memory. A command that reads a large or packed one runs in a
 * process of its own, which is watched. However much the file asks for, the command ends with a clear error, and a
 * signal ends it whatever it is busy with.
 */

const MIB = 1024 ** 2;
/** Text below this needs no watching. */
const SMALL = MIB;
/** Files beside an artifact that are looked at. */
const MAX_BESIDE = 100;
/** How long a command may take to end by itself after a signal. To clear a large one away takes a second more. */
const GRACE_MS = 1000;
/** By which the process knows that it is watched, and its limit in bytes. */
const WATCHED = "SERVER_METRICS_WATCHED_MEMORY";
/** The file descriptor on which the process reports that it ends for its memory. */
const REPORTS = 3;
const MEMORY_REPORT = "memory";
/** By which a process that takes the place of one knows which files ended that for their memory, as JSON. */
const LEFT_OUT = "SERVER_METRICS_LEFT_OUT";

interface MemoryFlag {
  readonly memoryLimit?: number;
}

/** Options whose values are files or folders that are read. */
interface ReadFlags {
  readonly client?: readonly string[];
  readonly file?: readonly string[];
  readonly phases?: string;
  readonly history?: string;
}

/** Reads a limit of memory. */
export const memoryMiB = inRange(OPTION_RANGES.memoryLimit);

/** Adds the limit to a command that reads files, and has it run in a watched process where its files call for it. */
export function withMemoryLimit(command: CommandUnknownOpts): CommandUnknownOpts {
  return command
    .option(
      "--memory-limit <MiB>",
      "most memory that reading and printing may take (default: 900, or 9 times the files' size)",
      memoryMiB,
    )
    .hook("preAction", async (_, { args }) => {
      const watched = process.env[WATCHED];
      if (watched !== undefined) return watchMemory(Number(watched));
      const { memoryLimit, client = [], file = [], phases, history }: MemoryFlag & ReadFlags = command.opts();
      const named = [...client, ...file, ...[phases, history].filter((path) => path !== undefined)];
      const sizes = await Promise.all([...args.map(sizeWithBeside), ...named.map(sizeOf)]);
      if (!sizes.some(({ large }) => large)) return;
      const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
      throw await inOwnProcess(memoryLimit === undefined ? memoryFor(bytes) : memoryLimit * MIB, [...args, ...named]);
    });
}

/** The command has run in another process, which has said what there was to say. */
export class ChildExit extends Error {
  override readonly name = "ChildExit";

  constructor(readonly exitCode: number) {
    super("the command has run in another process");
  }
}

/**
 * Says which file of a folder is read now: where this process ends for its memory, the next one leaves it out.
 * @param path "" once all are read
 */
export function reportReading(path: string): void {
  if (isWatched) writeSync(REPORTS, `${path}\0`);
}

/** The files that processes before this one have ended for. */
export function leftOutForMemory(): readonly LeftOutFile[] {
  const listed: unknown = JSON.parse(process.env[LEFT_OUT] ?? "[]");
  return isList(listed)
    ? listed.flatMap((one) =>
        isFields(one) && typeof one["path"] === "string" && typeof one["reason"] === "string"
          ? [{ path: one["path"], reason: one["reason"] }]
          : [],
      )
    : [];
}

/** @returns what ends the command here */
async function inOwnProcess(limit: number, args: readonly string[]): Promise<ChildExit | UserError> {
  const leftOut: LeftOutFile[] = [];
  for (;;) {
    const ended = await runWatched(limit, leftOut);
    if (ended instanceof ChildExit) return ended;
    const mib = Math.round(limit / MIB);
    if (ended.reading === undefined || leftOut.length === MAX_LEFT_OUT) return tooMuch(args, mib);
    const reason = `it needs more than ${grouped(mib)} MiB of memory. If you trust what is in there, allow more with --memory-limit.`;
    leftOut.push({ path: ended.reading, reason });
  }
}

/** @returns how the process has ended, or which file of a folder it was reading when it ended for its memory */
function runWatched(
  limit: number,
  leftOut: readonly LeftOutFile[],
): Promise<ChildExit | { readonly reading: string | undefined }> {
  const mib = Math.round(limit / MIB);
  return new Promise((resolve, reject) => {
    const [script = "", ...words] = process.argv.slice(1);
    const reports: Buffer[] = [];
    let ended: NodeJS.Signals | undefined;
    const end = (signal: NodeJS.Signals) => {
      ended ??= signal;
      child.kill(signal);
      setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
    };
    // Before there is a process: a signal would end this one alone, and leave the other reading.
    for (const signal of ENDING_SIGNALS) process.on(signal, end);
    const child = spawn(process.execPath, [...process.execArgv, `--max-old-space-size=${mib}`, script, ...words], {
      stdio: ["inherit", "inherit", "inherit", "pipe"],
      // Both processes together stay below the limit.
      env: {
        ...process.env,
        [WATCHED]: String(limit - process.memoryUsage.rss()),
        [LEFT_OUT]: JSON.stringify(leftOut),
      },
    });
    // One that could not be started has no streams.
    child.once("spawn", () => child.stdio[REPORTS]?.on("data", (data: Buffer) => reports.push(data)));
    child.once("error", (error) => {
      const why =
        errorCode(error) === "EMFILE" ? "too many files are open. Raise the limit (ulimit -n)" : error.message;
      reject(new UserError(`The process that reads could not be started: ${why}.`));
    });
    child.once("close", (code, signal) => {
      for (const ending of ENDING_SIGNALS) process.off(ending, end);
      // Where the system is short of memory, it ends the process; V8 does where it can clear none.
      const [memory = "", reading] = Buffer.concat(reports).toString().split("\0").reverse();
      const isShort =
        memory === MEMORY_REPORT || (ended === undefined && (signal === "SIGKILL" || signal === "SIGABRT"));
      if (isShort) resolve({ reading: reading === "" ? undefined : reading });
      else resolve(new ChildExit(code ?? 128 + constants.signals[ended ?? signal ?? "SIGTERM"]));
    });
  });
}

function tooMuch(args: readonly string[], mib: number): UserError {
  const what = args.length === 1 ? `${args[0] ?? ""} needs` : `${args.length} files need`;
  return new UserError(
    `${what} more than ${grouped(mib)} MiB of memory, so the command was ended.`,
    "If you trust what is in there, allow more with --memory-limit.",
  );
}

let isWatched = false;

/** Ends this process, from a thread that nothing holds up, once it uses more. */
function watchMemory(limit: number): void {
  // Nothing that this process starts is watched by it.
  delete process.env[WATCHED];
  isWatched = true;
  new Worker(WATCH, {
    eval: true,
    workerData: { limit, pid: process.pid, reports: REPORTS, word: MEMORY_REPORT },
  }).unref();
}

const WATCH = `
const { workerData: { limit, pid, reports, word } } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() < limit) return;
  require("node:fs").writeSync(reports, word);
  process.kill(pid, "SIGKILL");
}, 15);
`;

interface Size {
  readonly bytes: number;
  /** Or packed, so that nobody knows how large. */
  readonly large: boolean;
}

/** Of a file or folder; of anything else the command itself says what is wrong. */
async function sizeOf(argument: string): Promise<Size> {
  if (argument === "-") return { bytes: 0, large: true };
  const { path } = await splitPhase(argument);
  const about = await stat(path).catch(() => undefined);
  if (about?.isDirectory() === true) {
    const inside = await readdir(path, { recursive: true });
    const sizes = await Promise.all(inside.map((name) => stat(join(path, name)).catch(() => undefined)));
    // Its runs are read one after the other. Whether one of them is packed is seen when it is read.
    return {
      bytes: sizes.reduce((most, one) => Math.max(most, one?.isFile() === true ? bytesOnDisk(one) : 0), 0),
      large: true,
    };
  }
  if (about?.isFile() !== true) return { bytes: 0, large: false };
  return { bytes: bytesOnDisk(about), large: await isLarge(path).catch(() => false) };
}

/**
 * As `sizeOf`. What is read besides a file has the command watched too, but does not raise its limit: whatever else
 * lies in a folder, and however large, was not asked for.
 */
async function sizeWithBeside(argument: string): Promise<Size> {
  const { path } = await splitPhase(argument);
  const about = await stat(path).catch(() => undefined);
  const named = await sizeOf(argument);
  if (about?.isFile() !== true || named.large) return named;
  const neighbours = await Neighbours.of(path, {});
  const others = await neighbours.look(neighbours.named(isReadBeside).slice(0, MAX_BESIDE), isLarge);
  return { bytes: named.bytes, large: others.some((large) => large === true) };
}

/** Also where its size says nothing of what it holds. @throws UserError */
function isLarge(path: string, reach: Reach = {}): Promise<boolean> {
  return withFile(path, reach, async (file) => {
    const head = await file.bytesAt(0, 4);
    return file.size >= SMALL || packingOfBytes(head) !== undefined || beginsAsParquet(head);
  });
}

interface FolderReading extends Pick<LibraryOptions, "onReading" | "leftOut"> {
  readonly onProgress: (fraction: number) => void;
}

/** Reads the runs of a folder: with a progress line, and without the files that processes before this one ended for. */
export async function readFolder<T>(doing: string, read: (reading: FolderReading) => Promise<T>): Promise<T> {
  const leftOut = leftOutForMemory();
  const found = await withProgress(doing, (onProgress) => read({ onProgress, onReading: reportReading, leftOut }));
  reportReading("");
  return found;
}
