import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { EXPERIMENT_JOURNAL } from "../experiment-folder.js";
import { isJournal } from "../journal/files.js";
import { parseArtifactName, isArtifact, rankOf, RICHEST_FIRST, unpackedName } from "../../core/artifacts/names.js";
import { clientRunFilesIn, mayBeClientFile } from "../open/client.js";
import { Neighbours } from "../open/neighbours.js";

/** How deep folders are looked through. */
export const DEEPEST = 12;
/** Files looked at below one folder at the most. */
const MAX_FILES = 20_000;
/** Files that may be a client's, of which the beginning is read, at the most. */
const MAX_LOOKED_AT = 2000;
/** The format of a benchmark client's files. */
const CLIENT = "client";
/** Folders and files that are asked for at a time. */
const AT_A_TIME = 32;

export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  readonly format: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** A run that lies below a folder. */
export interface FoundRun {
  /** Path below the folder without extension, with "/": stays the same whatever formats are written. */
  readonly id: string;
  /** The one that tells most first. */
  readonly files: readonly FoundFile[];
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** What may tell of it, too, changes with this: the files of a client beside its own. */
  readonly beside: string;
}

/** Whether a run is what a benchmark client wrote, and nothing of its servers. */
export function isClientAlone({ files: [file] }: FoundRun): boolean {
  return file?.format === CLIENT;
}

/** AIPerf's means over the runs of a sweep, and over repeats of one of its cells. */
const MEANS = [/_aiperf_sweep\.json$/, /_aiperf_aggregate\.json$/];

/** Whether a file holds AIPerf's own means of runs. */
export function isMeans(path: string): boolean {
  return MEANS.some((is) => is.test(path));
}

/** What lies below a folder. */
export interface FoundBelow {
  /** The newest first. */
  readonly runs: readonly FoundRun[];
  /** Folders of experiments, absolute. */
  readonly experiments: readonly string[];
  /** Of captures, absolute. */
  readonly journals: readonly string[];
}

/**
 * The runs below a folder of which there are artifacts, the newest first. Links are not followed, hidden folders and
 * node_modules left out.
 */
export async function runsBelow(folder: string): Promise<readonly FoundRun[]> {
  return (await foundBelow(folder)).runs;
}

/**
 * As `runsBelow`, with the folders of experiments and the journals of captures.
 * @param clients also the results of clients in folders without artifacts; where there is no run, AIPerf's means
 */
export async function foundBelow(folder: string, { clients = false } = {}): Promise<FoundBelow> {
  const paths: string[] = [];
  const ofClients: (ClientFolder & { readonly isOfServers: boolean })[] = [];
  const means: string[] = [];
  let left = clients ? MAX_LOOKED_AT : 0;
  const experiments: string[] = [];
  const journals: string[] = [];
  let folders = [folder];
  for (let depth = 0; depth <= DEEPEST && folders.length > 0; depth++) {
    const below: string[] = [];
    for (const { directory, entries } of await mapConcurrently(folders, async (directory) => ({
      directory,
      entries: await readdir(directory, { withFileTypes: true }).catch(() => []),
    }))) {
      const files = entries.filter((entry) => entry.isFile() && isListed(entry.name)).map(({ name }) => name);
      const names = files.filter(mayBeClientFile);
      if (names.length > 0 && left > 0) ofClients.push({ directory, names, isOfServers: files.some(isArtifact) });
      means.push(...names.filter(isMeans).map((name) => join(directory, name)));
      left -= names.length;
      for (const entry of entries) {
        if (entry.isFile() && isJournal(entry.name)) journals.push(join(directory, entry.name));
        if (!isListed(entry.name) || paths.length >= MAX_FILES) continue;
        if (entry.isDirectory()) below.push(join(directory, entry.name));
        else if (entry.name === EXPERIMENT_JOURNAL) experiments.push(directory);
        else if (entry.isFile() && isArtifact(entry.name)) paths.push(join(directory, entry.name));
      }
    }
    folders = below;
  }
  const beside = new Map<string, string>();
  const alone = await mapConcurrently(ofClients, async ({ directory, names, isOfServers }) => {
    const files = await filesOf(names.map((name) => join(directory, name)));
    if (!isOfServers) return clientRuns(folder, directory, files);
    beside.set(directory, stampOf(files));
    return [];
  });
  const runs = [...(await groupedFiles(folder, paths, beside)), ...alone.flat()].sort(newestFirst);
  return { runs: runs.length > 0 || !clients ? runs : await meansIn(folder, means), experiments, journals };
}

/** Those of sweeps, else those of cells. */
async function meansIn(folder: string, means: readonly string[]): Promise<readonly FoundRun[]> {
  const [ofSweeps = [], ofCells = []] = MEANS.map((is) => means.filter((path) => is.test(path)));
  const files = await filesOf(ofSweeps.length > 0 ? ofSweeps : ofCells);
  return files.map((file) => clientRun(folder, [file])).sort(newestFirst);
}

/** Which files are whose run, as long as the folder's are what they were: else each is looked into at every change. */
const known = new Map<string, { readonly stamp: string; readonly runs: readonly (readonly [string, ...string[]])[] }>();

async function clientRuns(
  folder: string,
  directory: string,
  infos: readonly FoundFile[],
): Promise<readonly FoundRun[]> {
  const stamp = stampOf(infos);
  if (known.get(directory)?.stamp !== stamp) {
    if (known.size >= MAX_LOOKED_AT) known.clear();
    known.set(directory, { stamp, runs: await clientRunFilesIn(await Neighbours.in(directory, {})) });
  }
  return (known.get(directory)?.runs ?? []).map((paths) =>
    clientRun(
      folder,
      paths.flatMap((path) => infos.find((info) => info.path === path) ?? []),
    ),
  );
}

function clientRun(folder: string, files: readonly FoundFile[]): FoundRun {
  const id = idBelow(folder, unpackedName(files[0]?.path ?? "").replace(/\.\w+$/, ""));
  return { id, files, modified: Math.max(...files.map((file) => file.modified)), beside: "" };
}

async function filesOf(paths: readonly string[]): Promise<readonly FoundFile[]> {
  return mapConcurrently(paths, async (path): Promise<FoundFile> => {
    const { size = 0, mtimeMs: modified = 0 } = (await lstat(path).catch(() => undefined)) ?? {};
    return { path, format: CLIENT, size, modified };
  });
}

function stampOf(files: readonly FoundFile[]): string {
  return files.map(({ path, size, modified }) => `${path} ${size} ${modified}`).join("\n");
}

interface ClientFolder {
  readonly directory: string;
  /** Of files that may be a client's. */
  readonly names: readonly string[];
}

const newestFirst = (a: FoundRun, b: FoundRun) => b.modified - a.modified || (a.id < b.id ? -1 : 1);

/**
 * Artifacts by the run that their names tell, the newest first.
 * @param beside by their folders: `FoundRun.beside`
 */
export async function groupedFiles(
  folder: string,
  paths: readonly string[],
  beside: ReadonlyMap<string, string> = new Map(),
): Promise<readonly FoundRun[]> {
  const runs = new Map<string, { files: FoundFile[]; modified: number }>();
  const infos = await mapConcurrently(paths.toSorted(), async (path) => ({
    path,
    info: await lstat(path).catch(() => undefined),
  }));
  for (const { path, info } of infos) {
    const artifact = parseArtifactName(basename(path));
    if (artifact === undefined || info?.isFile() !== true) continue;
    const id = idBelow(folder, join(dirname(path), artifact.stem));
    const run = runs.get(id) ?? { files: [], modified: 0 };
    run.files.push({ path, format: artifact.format, size: info.size, modified: info.mtimeMs });
    run.modified = Math.max(run.modified, info.mtimeMs);
    runs.set(id, run);
  }
  const rank = ({ path }: FoundFile) => rankOf(basename(path), RICHEST_FIRST);
  return [...runs]
    .map(([id, { files, modified }]) => ({
      id,
      files: files.sort((a, b) => rank(a) - rank(b)),
      modified,
      beside: beside.get(dirname(files[0]?.path ?? "")) ?? "",
    }))
    .sort(newestFirst);
}

/** A path below a folder, with "/". */
export function idBelow(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}

/** Whether an entry of a folder is looked at. */
export function isListed(name: string): boolean {
  return name === "" || !(name.startsWith(".") || name === "node_modules");
}

/** Several at a time, in order. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  atATime = AT_A_TIME,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) {
      const item = items[i];
      if (item !== undefined) results[i] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  return results;
}
