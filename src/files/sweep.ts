import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { isArtifact, parseArtifactName, unpackedName } from "../core/artifacts/index.js";
import { familyUnit } from "../core/catalog/index.js";
import { readAiperfAggregates, readAiperfRunConfig, type ClientResult } from "../core/client/index.js";
import type { LeftOutFile } from "../core/model/index.js";
import { groupBy } from "../core/math/index.js";
import { messageOf, isFields, parseJson, UserError } from "../core/text/index.js";
import { complete, runStatistics } from "../core/stats/index.js";
import {
  isMeasured,
  loadOf,
  measureClient,
  measureServer,
  needsPercentiles,
  serverLoad,
  sweepOf,
  type SweepLoad,
  type Sweep,
  type SweepOptions,
  type SweepRun,
  type SweepRuns,
} from "../core/sweep/index.js";
import { textOf } from "./bytes.js";
import { withinMemory, type MemoryOptions } from "./memory.js";
import { clientFilesIn, clientRunsIn, readClientRun } from "./open/client.js";
import { Neighbours } from "./open/neighbours.js";
import { quickestFile } from "./open/siblings.js";
import { openArtifact } from "./open/index.js";

/** Of AIPerf's means and configurations. */
const MEANS_LIMIT = 64 * 1024 ** 2;
const DEEPEST = 8;
const MAX_FOLDERS = 5000;
/** What is computed from other runs. */
const AGGREGATES = /^(?:aggregate|sweep_aggregate|node_modules)$/;
/** Parts of a path that tell repeats apart, and no configuration. */
const REPEAT = /^(?:profile_runs|run[_=]\d+|trial_\d+|search_iter_\d+)$/i;
/** A folder of `vllm bench sweep`: what was varied of the server, of the benchmark, and its load. */
const VLLM_PART = /(?:^|-)(?:SERVE|BENCH|WL)--/;
/** Its loads, which the results tell. */
const VLLM_LOAD = /(?:^|-)(?:max[_-]concurrency|request[_-]rate)=[^-]*/g;
/** AIPerf's means over the runs of a sweep, and over repeats of one of its cells. */
const MEANS = [/_aiperf_sweep\.json$/, /_aiperf_aggregate\.json$/];
const RUN_CONFIG = "run_config.json";
const LOAD = /(?:^|[_-])(concurrency|conc|c|request[_-]?rate|rate|qps|rps|streams)[_=-]?(\d+(?:\.\d+)?)(?=$|[_-])/i;

/** What reading may take is of each of its files. */
export interface SweepFolderOptions extends SweepOptions, MemoryOptions {
  readonly onProgress?: (fraction: number) => void;
  /** Called before a run is read: what ends the process or thread meanwhile is known by it. */
  readonly onReading?: (path: string) => void;
  /** Runs that are not read, and why. */
  readonly leftOut?: readonly LeftOutFile[];
}

/** Reads a folder of runs as a sweep. @throws as `readSweep` */
export async function sweepFolder(folder: string, options: SweepFolderOptions = {}): Promise<Sweep> {
  const { runs, skipped } = await readSweep(folder, options);
  return sweepOf(runs, options, skipped);
}

/**
 * Reads the runs of a sweep: each folder or file below the folder that holds a client's results, else the server's
 * statistics. Percentiles that take long to estimate are those of the options.
 * @throws UserError for what is not a folder or holds no run; the signal's reason
 */
export async function readSweep(folder: string, options: SweepFolderOptions = {}): Promise<SweepRuns> {
  const { signal, memoryMiB, onProgress, onReading, leftOut = [], ...shown } = options;
  const reading = { ...(signal === undefined ? {} : { signal }), ...(memoryMiB === undefined ? {} : { memoryMiB }) };
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true)
    throw new UserError(`${folder} is not a folder.`, "Name the folder that holds the runs of the sweep.");
  const found = await candidates(folder, signal);
  if (found.length === 0)
    throw new UserError(
      `${folder} holds no runs: files such as profile_export.jsonl or server_metrics_export.json were expected below it.`,
    );
  const runs: SweepRun[] = [];
  const skipped: LeftOutFile[] = [];
  for (const [i, { path, of }] of found.entries()) {
    signal?.throwIfAborted();
    const known = leftOut.find((one) => one.path === path);
    if (known !== undefined) {
      skipped.push(known);
      continue;
    }
    onReading?.(path);
    try {
      if (of === "server") runs.push(await serverRun(folder, path, shown, reading));
      else if (of === "client") runs.push(...(await clientRuns(folder, path, reading)));
      else runs.push(...(await meansOf(path, reading)));
    } catch (error) {
      signal?.throwIfAborted();
      skipped.push({ path, reason: messageOf(error) });
    }
    onProgress?.((i + 1) / found.length);
  }
  return { runs: named(runs), skipped };
}

interface Candidate {
  readonly path: string;
  readonly of: "client" | "server" | "means";
}

/**
 * Of each folder the client's results, which are exact; else the artifacts of servers, one of each run. Where the runs
 * themselves are not there, AIPerf's means over them.
 */
async function candidates(folder: string, signal: AbortSignal | undefined): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  const means: string[] = [];
  let folders = 0;
  const walk = async (directory: string, depth: number, computed: boolean): Promise<void> => {
    signal?.throwIfAborted();
    if (++folders > MAX_FOLDERS) return;
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    means.push(...names.filter((name) => MEANS.some((is) => is.test(name))).map((name) => join(directory, name)));
    if (!computed) {
      const clients = await clientRunsIn(await Neighbours.in(directory, signal === undefined ? {} : { signal }));
      if (clients.length > 0) found.push(...clients.map((path) => ({ path, of: "client" as const })));
      else found.push(...artifactsOf(directory, names).map((path) => ({ path, of: "server" as const })));
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1)))
      if (entry.isDirectory() && depth < DEEPEST && !entry.name.startsWith("."))
        await walk(join(directory, entry.name), depth + 1, computed || AGGREGATES.test(entry.name));
  };
  await walk(folder, 0, false);
  if (found.length > 0) return found;
  const [ofSweep = [], ofCells = []] = MEANS.map((is) => means.filter((path) => is.test(path)));
  return (ofSweep.length > 0 ? ofSweep : ofCells).map((path) => ({ path, of: "means" }));
}

function artifactsOf(directory: string, names: readonly string[]): readonly string[] {
  const byStem = groupBy(names.filter(isArtifact), (name) => parseArtifactName(name)?.stem);
  return [...byStem.values()].flatMap(
    (own) => quickestFile(own.map((name) => ({ path: join(directory, name) })))?.path ?? [],
  );
}

async function clientRuns(folder: string, path: string, reading: MemoryOptions): Promise<readonly SweepRun[]> {
  const { results } = await withinMemory(path, reading, (within) => readClientRun(path, within));
  if (results.length === 0) throw new Error("it holds no result");
  const place = placeOf(folder, path);
  const shown = await runBeside(path);
  return results.map((result) => clientPoint(shown, result, place));
}

/** AIPerf's own means, of runs that are not there. */
async function meansOf(path: string, reading: MemoryOptions): Promise<readonly SweepRun[]> {
  const file = parseJson(await textOf(path, MEANS_LIMIT, reading));
  if (!isFields(file)) throw new Error("it is no aggregate of AIPerf");
  return readAiperfAggregates(file).map((result) => clientPoint(path, result, { configuration: "" }));
}

function clientPoint(path: string, result: ClientResult, place: ReturnType<typeof placeOf>): SweepRun {
  const load = loadOf(result) ?? place.load;
  const settings = settingsOf(result);
  // AIPerf names the folder of a cell by its settings, too.
  const own = place.configuration.split("/").filter((part) => !settings.includes(part.replaceAll("_", " ")));
  return {
    path,
    configuration: [own.join("/"), ...settings].filter((text) => text !== "").join(", "),
    ...(load === undefined ? {} : { load }),
    ...measureClient(result),
  };
}

/** What is opened for a point: the server's artifact with the client beside it, where there is one. */
async function runBeside(path: string): Promise<string> {
  const directory = dirname(path);
  const folder = await Neighbours.in(directory, {});
  const [artifact, second] = artifactsOf(directory, folder.named(isArtifact));
  const only = (await clientFilesIn(folder)).length > 0 && second === undefined;
  return artifact !== undefined && only ? artifact : path;
}

function settingsOf({ configuration }: ClientResult): readonly string[] {
  return Object.entries(configuration).map(([name, value]) => `${name.split(".").at(-1) ?? name} ${value}`);
}

async function serverRun(folder: string, path: string, shown: SweepOptions, reading: MemoryOptions): Promise<SweepRun> {
  const opened = await openArtifact(path, { only: isMeasured, ...reading });
  if (opened.kind === "snapshot") throw new Error("it is a single scrape");
  const statistics =
    opened.kind === "statistics"
      ? opened.statistics
      : complete(
          runStatistics(opened.run, {
            unitOf: familyUnit,
            only: ({ name }) => isMeasured(name),
            estimated: ({ name }) => needsPercentiles(name, shown),
          }),
        );
  const place = placeOf(folder, path);
  const config = await runConfigOf(dirname(path), reading);
  const load = place.load ?? (config === undefined ? undefined : loadOf(config)) ?? serverLoad(statistics);
  return {
    path,
    configuration: place.configuration,
    ...(load === undefined ? {} : { load }),
    ...measureServer(statistics),
  };
}

/** How AIPerf was set up for a run whose own results are not there. */
async function runConfigOf(directory: string, reading: MemoryOptions): Promise<ClientResult | undefined> {
  const path = (await Neighbours.in(directory, reading)).firstOf([RUN_CONFIG], "info");
  if (path === undefined) return undefined;
  const text = await textOf(path, MEANS_LIMIT, reading).catch(() => undefined);
  try {
    const file = text === undefined ? undefined : parseJson(text);
    return isFields(file) ? readAiperfRunConfig(file) : undefined;
  } catch {
    return undefined;
  }
}

/** Names that every run's file has, and of inference-perf's stages, each of which is a load. */
const OF_ANY_RUN =
  /^(?:profile_export(?:_aiperf)?|benchmarks|result|(?:benchmark_report(?:_v0\.2)?,_)?(?:stage_\d+|summary)(?:_lifecycle_metrics)?)$/i;

/** What a file's name says beside its kind. */
function ownName(file: string): string {
  const artifact = parseArtifactName(file);
  if (artifact !== undefined) return artifact.prefix ?? "";
  const name = unpackedName(file).replace(/(?:\.jsonl?|\.ya?ml)+$/i, "");
  return OF_ANY_RUN.test(name) ? "" : name.replace(/_aiperf$/i, "");
}

/** What the folders and the file's name say of a run: its load, and what else tells it from others. */
function placeOf(folder: string, path: string): { readonly configuration: string; readonly load?: SweepLoad } {
  const parts = [...relative(folder, dirname(path)).split(sep), ownName(basename(path))].filter(
    (part) => part !== "" && !REPEAT.test(part),
  );
  let load: SweepLoad | undefined;
  const rest = parts.flatMap((part) => {
    if (VLLM_PART.test(part)) return vllmSettings(part);
    const match = LOAD.exec(part);
    if (match === null) return [part];
    const [whole, word = "", value] = match;
    load = { kind: /^(?:c|conc|streams)/i.test(word) ? "concurrency" : "request rate", value: Number(value) };
    const left = part.replace(whole, "").replace(/^[_-]+|[_-]+$/g, "");
    return left === "" ? [] : [left];
  });
  return { configuration: rest.join("/"), ...(load === undefined ? {} : { load }) };
}

/** A setting in such a name; its value may have a hyphen. */
const VLLM_SETTING = /(?<=^|-)([A-Za-z_][\w.]*)=(.*?)(?=-[A-Za-z_][\w.]*=|-(?:SERVE|BENCH|WL)-|$)/g;

/** What `vllm bench sweep` varied besides the load, by the path of its folder; of other folders nothing. */
export function sweptSettings(folder: string): Readonly<Record<string, string>> {
  const part = folder.split("/").findLast((one) => VLLM_PART.test(one)) ?? "";
  const found = part.replace(VLLM_LOAD, "").matchAll(VLLM_SETTING);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, value]));
}

/** "max_num_seqs=32-dtype=auto, random_input_len=200" of a folder's name, which vLLM joins by "-". */
function vllmSettings(name: string): readonly string[] {
  const parts = name.split(VLLM_PART).map((part) => part.replace(VLLM_LOAD, "").replace(/^-/, ""));
  const settings = parts.filter((part) => part !== "").join(", ");
  return settings === "" ? [] : [settings];
}

/** A configuration without any name of its own is the sweep's only one. */
function named(runs: readonly SweepRun[]): readonly SweepRun[] {
  return runs.map((run) => (run.configuration === "" ? { ...run, configuration: "all runs" } : run));
}
