import { constants } from "node:fs";
import { copyFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { UserError } from "../../core/text/errors.js";
import { parseExact, PHASE_MANIFEST } from "../../core/artifacts/index.js";
import type { ClientResult } from "../../core/client/index.js";
import type { TimeRange } from "../../core/model/index.js";
import { parsePhaseList } from "../../core/window/index.js";
import { textOf } from "../../files/bytes.js";
import { describeFileError } from "../../files/index.js";
import { isFolder, makeFolder } from "../../files/folders.js";
import { clientFilesIn, readClientFiles } from "../../files/open/client.js";
import { Neighbours } from "../../files/open/neighbours.js";

/** The command that a capture ran. */
export interface RanCommand {
  readonly args: readonly string[];
  /** Its working directory. */
  readonly cwd: string;
  /** When it began, milliseconds since the epoch. */
  readonly started: number;
}

/** What a command's load generator wrote. */
export interface FoundResults {
  readonly files: readonly string[];
  readonly clients: readonly ClientResult[];
  /** AIPerf's, as its manifest tells it. */
  readonly clientWarmup?: TimeRange;
}

const NOTHING_FOUND: FoundResults = { files: [], clients: [] };
const MAX_KEPT_BYTES = 256 * 1024 ** 2;
const MANIFEST_LIMIT = 1024 ** 2;

/** Where load generators are told to write: AIPerf, GuideLLM, vllm bench. */
const OPTIONS: readonly string[] = [
  "--artifact-dir",
  "--output-artifact-dir",
  "--output",
  "--output-path",
  "--output-dir",
  "--result-dir",
  "--result-filename",
];
/** Folders below the working directory that are looked through at the most, and how deep. */
const MAX_FOLDERS = 500;
const MAX_DEPTH = 6;
const SKIPPED = /^(?:\.|node_modules$|venv$|__pycache__$)/;

/**
 * What the load generator's files say that a command wrote: those beside the capture's artifacts, where its own options
 * point, or else those that it made below the working directory. What cannot be read is noted, and not an error.
 * @param out folder of the capture's artifacts
 * @param note hears it
 */
export async function resultsOf(
  { args, cwd, started }: RanCommand,
  out: string,
  note: (text: string) => void,
): Promise<FoundResults> {
  const named = args.flatMap((arg, i) => placeNamed(arg, args[i + 1]).map((place) => resolve(cwd, place)));
  const places = await Promise.all(named.map(lookedThrough));
  for (const folders of [[{ folder: out, depth: 0 }, ...places], [{ folder: cwd, depth: 0 }]]) {
    const files = new Set<string>();
    const looked = { folders: 0 };
    for (const { folder, depth } of folders)
      for (const file of await madeIn(resolve(folder), started, looked, depth)) files.add(file);
    if (files.size === 0) continue;
    try {
      const clientWarmup = await warmupBeside([...files]);
      return {
        files: [...files],
        clients: (await readClientFiles([...files])).results,
        ...(clientWarmup === undefined ? {} : { clientWarmup }),
      };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      note(`warning: ${error.message} The load is found by the servers' activity instead.`);
      return NOTHING_FOUND;
    }
  }
  return NOTHING_FOUND;
}

/**
 * Copies the load generator's files into the folder of the run's artifacts, so that whoever opens the run later has
 * them with it. What cannot be copied is noted.
 * @param replace files of the same name that are there
 * @param note hears it
 */
export async function keepBeside(
  files: readonly string[],
  out: string,
  replace: boolean,
  note: (text: string) => void,
): Promise<void> {
  const others = files.filter((file) => dirname(file) !== out);
  const bytes = await Promise.all(others.map(async (file) => (await stat(file).catch(() => undefined))?.size ?? 0));
  const advice = "Open the run with --client to see its metrics.";
  if (bytes.reduce((sum, one) => sum + one, 0) > MAX_KEPT_BYTES)
    return note(
      `note: the load generator's files in ${dirname(others[0] ?? out)} are too large to be copied. ${advice}`,
    );
  await makeFolder(out);
  for (const file of others)
    await copyFile(file, join(out, basename(file)), replace ? 0 : constants.COPYFILE_EXCL).catch((error: unknown) => {
      const { message } = describeFileError(join(out, basename(file)), error, "write");
      note(`warning: ${file} was not copied beside the artifacts: ${message} ${advice}`);
    });
}

/** The warm-up of the manifest that lies beside the files of one run; undefined of none, and of several. */
async function warmupBeside(files: readonly string[]): Promise<TimeRange | undefined> {
  const [folder, another] = [...new Set(files.map((file) => dirname(file)))];
  if (folder === undefined || another !== undefined) return undefined;
  try {
    const phases = parsePhaseList(parseExact(await textOf(join(folder, PHASE_MANIFEST), MANIFEST_LIMIT)));
    const warmup = phases.find(({ kind }) => kind === "warmup");
    return warmup?.end === undefined ? undefined : { start: warmup.start, end: warmup.end };
  } catch {
    // Without one there is no warm-up that it could tell.
    return undefined;
  }
}

/** A folder is looked through; of a file, only the folder that it lies in: beside that may be another run's. */
async function lookedThrough(place: string): Promise<{ readonly folder: string; readonly depth: number }> {
  return (await isFolder(place)) ? { folder: place, depth: 0 } : { folder: dirname(place), depth: MAX_DEPTH };
}

/** `--output DIR`, `--output=DIR`, and GuideLLM's `--output kind=json,path=FILE`. */
function placeNamed(arg: string, next: string | undefined): readonly string[] {
  const [option = "", written] = arg.split(/=(.*)/s);
  const value = OPTIONS.includes(option) ? (written ?? next) : undefined;
  if (value === undefined || value.startsWith("--")) return [];
  return [/(?:^|,)path=([^,]+)/.exec(value)?.[1] ?? value];
}

/** The client's files in a folder and those below it that were written since. */
async function madeIn(
  folder: string,
  since: number,
  looked: { folders: number },
  depth: number,
): Promise<readonly string[]> {
  if (looked.folders >= MAX_FOLDERS || depth > MAX_DEPTH) return [];
  looked.folders++;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const below = entries.filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name));
  const changed = await Promise.all(
    entries.map(async (entry) => entry.isFile() && (await isNewer(join(folder, entry.name), since))),
  );
  // A folder without anything new is not read.
  const own = changed.includes(true)
    ? await Promise.all(
        (await clientFilesIn(await Neighbours.in(folder, {}))).map(async (path) =>
          (await isNewer(path, since)) ? [path] : [],
        ),
      )
    : [];
  const others: (readonly string[])[] = [];
  for (const { name } of below) others.push(await madeIn(join(folder, name), since, looked, depth + 1));
  return [...own.flat(), ...others.flat()];
}

async function isNewer(path: string, since: number): Promise<boolean> {
  // Some file systems keep whole seconds.
  const info = await stat(path).catch(() => undefined);
  return info !== undefined && info.mtimeMs >= since - 1000;
}
