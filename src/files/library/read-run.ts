import { basename, dirname } from "node:path";
import { isArtifact, parseArtifactName, parseExact } from "../../core/artifacts/index.js";
import { readAiperfAggregates, readAiperfRunConfig, type ClientResult } from "../../core/client/index.js";
import { familyUnit } from "../../core/catalog/index.js";
import { clientValues, measuredOf, type RunAbout, type RunMeasured } from "../../core/library/index.js";
import {
  configurationLeaves,
  configuredLabel,
  configuredOf,
  provenanceLeaves,
  provenanceOf,
  NS_PER_MS,
  RecordedUrls,
  type RunStatistics,
} from "../../core/model/index.js";
import {
  scrubConfiguration,
  fieldsOf,
  isFields,
  isList,
  messageOf,
  parseJson,
  UserError,
  type JsonObject,
} from "../../core/text/index.js";
import { complete, runStatistics } from "../../core/stats/index.js";
import {
  isMeasured,
  loadOf,
  measureClient,
  measureServer,
  serverLoad,
  type SweepLoad,
  type SweepRun,
} from "../../core/sweep/index.js";
import { textOf } from "../bytes.js";
import { withinMemory, type MemoryOptions } from "../memory.js";
import { inspectParquet } from "../parquet/file.js";
import { withFile, type Reach } from "../opener.js";
import { clientRunsIn, readClientRun, timesOf } from "../open/client.js";
import { openArtifact } from "../open/index.js";
import { Neighbours } from "../open/neighbours.js";
import { quickestFile } from "../open/siblings.js";
import { readJsonFile } from "../open/statistics.js";
import { placeOf, sweptSettings } from "./place.js";
import { isClientAlone, isMeans, type FoundRun } from "./scan.js";

/** What stands before and behind the metrics of a JSON artifact is read of it at first. */
const HEAD_BYTES = 256 * 1024;
const TAIL_BYTES = 256 * 1024;
/** How AIPerf was set up, beside a run; of that and of its means so much is read. */
const RUN_CONFIG = "run_config.json";
const CONFIG_LIMIT = 64 * 1024 ** 2;
/** Members of a run's configuration that are kept. */
const MOST_SETTINGS = 1000;

type Reading = Reach & MemoryOptions;

/** What one of a run's files tells. */
export interface ReadRun {
  /** Absent where the file does not tell: a CSV has no times. */
  readonly about?: RunAbout;
  readonly measured: RunMeasured & { readonly values: ReadonlyMap<string, number> };
  /** Why nothing was measured of it as one run. */
  readonly problem?: string;
}

/** What a run is, without its measurements. Undefined where only `readRun` tells. @throws UserError */
export async function aboutRun(run: FoundRun, reach: Reach): Promise<RunAbout | undefined> {
  if (isClientAlone(run)) return undefined;
  const pathOf = (ending: string) => run.files.find(({ path }) => path.endsWith(ending))?.path;
  const [json, parquet] = [pathOf(".json"), pathOf(".parquet")];
  return (
    (json === undefined ? undefined : await aboutJson(json, reach)) ??
    (parquet === undefined ? undefined : await aboutParquet(parquet, reach))
  );
}

async function aboutParquet(path: string, reach: Reach): Promise<RunAbout | undefined> {
  const { metadata } = await inspectParquet(path, reach);
  const json = (key: string): unknown => parseExact(metadata.get(key) ?? "null");
  const [start, end] = ["start", "end"].map(
    (edge) => Number(metadata.get(`aiperf.time_filter_${edge}_ns`)) / NS_PER_MS,
  );
  return aboutOf({
    benchmarkId: metadata.get("aiperf.benchmark_id"),
    startMs: start,
    endMs: end,
    urls: json("aiperf.endpoint_urls"),
    config: json("aiperf.input_config"),
  });
}

/**
 * By the beginning and the end of a JSON: a long one is read in a millisecond. Undefined where it is laid out
 * otherwise.
 */
function aboutJson(path: string, reach: Reach): Promise<RunAbout | undefined> {
  return withFile(path, reach, async (file) => {
    try {
      const head = new TextDecoder().decode(await file.bytesAt(0, HEAD_BYTES));
      const end = head.search(/\n {2}"(?:metrics|warmup_metrics)": \{/);
      if (end < 0) return undefined;
      const from = Math.max(0, file.size - TAIL_BYTES);
      const tail = new TextDecoder().decode(await file.bytesAt(from, TAIL_BYTES));
      const begin = tail.lastIndexOf('\n  "input_config": ');
      const before = head.slice(0, end).replace(/,\s*$/, "");
      const behind = begin < 0 ? "" : `,${tail.slice(begin).trimEnd().replace(/\}$/, "")}`;
      const { benchmark_id: benchmarkId, summary, input_config: config } = fieldsOf(parseExact(`${before}${behind}}`));
      const { start_time, end_time, endpoints_successful: urls, phase_time_ranges: phases } = fieldsOf(summary);
      const { start_ns: startNs, end_ns: endNs } = fieldsOf(fieldsOf(phases)["profiling"]);
      const ms = (ns: unknown, iso: unknown) =>
        typeof ns === "bigint" ? Number(ns) / NS_PER_MS : Date.parse(String(iso));
      return aboutOf({ benchmarkId, startMs: ms(startNs, start_time), endMs: ms(endNs, end_time), urls, config });
    } catch (error) {
      // Whoever reads the whole file says what is wrong with it.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  });
}

/**
 * What was measured in a run, by its servers and its client, and what the file says it is.
 * @throws UserError for what cannot be read, or needs more memory than it may; the signal's reason
 */
export function readRun(run: FoundRun, options: Reading): Promise<ReadRun> {
  return withinMemory(run.files[0]?.path ?? "", options, (reading) =>
    isClientAlone(run) ? readClient(run, reading) : readServersAndClient(run, reading),
  );
}

async function readServersAndClient(run: FoundRun, reading: Reading): Promise<ReadRun> {
  const read = await readServers(run, reading);
  const neighbours = await Neighbours.in(dirname(run.files[0]?.path ?? ""), reading);
  const clients = await clientRunsIn(neighbours);
  if (clients.length === 0) return read;
  // What clients measured is exact: it is what a sweep has of this folder, once.
  const [first, ...others] = new Set(
    neighbours
      .named(isArtifact)
      .toSorted()
      .map((name) => parseArtifactName(name)?.stem),
  );
  if (first !== parseArtifactName(basename(run.files[0]?.path ?? ""))?.stem) return withPoints(read, []);
  try {
    const found = await Promise.all(
      clients.map(async (path) => ({ path, results: (await readClientRun(path, neighbours.reading)).results })),
    );
    const points = found.flatMap(({ path, results }) =>
      results.map((result) => clientPoint(run, path, others.length === 0, result)),
    );
    const [only, another] = found.flatMap(({ results }) => results);
    const [point] = points;
    if (only === undefined || point === undefined || another !== undefined || others.length > 0)
      return withPoints(read, points);
    const { values, intervals } = clientValues(only, point.figures);
    const { measured } = read;
    return {
      ...read,
      measured: {
        ...measured,
        values: new Map([...measured.values, ...values]),
        intervals: { ...measured.intervals, ...intervals },
        points,
      },
    };
  } catch (error) {
    reading.signal?.throwIfAborted();
    return { ...withPoints(read, []), problem: messageOf(error) };
  }
}

function withPoints(read: ReadRun, points: readonly SweepRun[]): ReadRun {
  return { ...read, measured: { ...read.measured, points } };
}

/** A client's result in a sweep. @param isOfRun the run's own files are opened for it */
function clientPoint(run: FoundRun, path: string, isOfRun: boolean, result: ClientResult): SweepRun {
  const place = placeOf(run.id, path);
  const load = loadOf(result) ?? place.load;
  const settings = Object.entries(result.configuration).map(
    ([name, value]) => `${name.split(".").at(-1) ?? name} ${value}`,
  );
  // AIPerf names the folder of a cell by its settings, too.
  const own = place.configuration.split("/").filter((part) => !settings.includes(part.replaceAll("_", " ")));
  return {
    path: isOfRun ? (quickestFile(run.files)?.path ?? path) : path,
    configuration: [own.join("/"), ...settings].filter((text) => text !== "").join(", "),
    ...(load === undefined ? {} : { load }),
    figures: measureClient(result),
    source: "client",
  };
}

/** A run of which there is nothing but what its client wrote. @throws UserError */
async function readClient(run: FoundRun, reading: Reading): Promise<ReadRun> {
  const path = run.files[0]?.path ?? "";
  const results = isMeans(path) ? await readMeans(path, reading) : (await readClientRun(path, reading)).results;
  const points = results.map((result) => clientPoint(run, path, true, result));
  const [[result], [point]] = [results, points];
  if (result === undefined || point === undefined) throw new UserError(`${path} holds no result.`);
  const { benchmarkId = run.id, label, configuration } = result;
  const times = results.map(timesOf);
  const starts = times.flatMap(({ startMs }) => startMs ?? []);
  // A row is a file, which is opened and compared as one. Its loads are runs of their own: no figure is of all of them.
  const isSweep = results.length > 1;
  const { values, intervals } = isSweep ? { values: [], intervals: {} } : clientValues(result, point.figures);
  return {
    about: {
      benchmarkId,
      startMs: starts.length === 0 ? run.modified : Math.min(...starts),
      seconds: times.reduce((sum, { seconds }) => sum + seconds, 0),
      ...(label === undefined || isSweep ? {} : { label }),
      endpoints: [],
      configured: { ...sweptSettings(dirname(run.id)), ...configuration },
      provenance: {},
    },
    measured: {
      servers: [],
      models: [...new Set(results.flatMap(({ model }) => model ?? []))],
      facts: {},
      values: new Map(values),
      intervals,
      points,
    },
    ...(isSweep
      ? {
          problem: `It holds ${results.length} results: server-metrics sweep shows them as throughput against latency.`,
        }
      : {}),
  };
}

/** AIPerf's own means, of runs that are not there. @throws UserError */
async function readMeans(path: string, reading: Reading): Promise<readonly ClientResult[]> {
  const file = parseJson(await textOf(path, CONFIG_LIMIT, reading));
  if (!isFields(file)) throw new UserError(`${path} is no aggregate of AIPerf.`);
  return readAiperfAggregates(file);
}

async function readServers(run: FoundRun, reading: Reading): Promise<ReadRun> {
  const { path = "", format } = quickestFile(run.files) ?? {};
  const isKept = (name: string) => isMeasured(name) || name.endsWith("_info");
  const opened =
    format === "json" ? await readJsonFile(path, reading) : await openArtifact(path, { ...reading, only: isKept });
  if ("statistics" in opened) return readOf(run, opened.statistics, reading);
  const { label } = opened.run.metadata;
  const only = ({ name }: { readonly name: string }) => isKept(name);
  const statistics = complete(runStatistics(opened.run, { unitOf: familyUnit, only }));
  const inputConfig = { ...(label === undefined ? {} : { label }), ...statistics.inputConfig };
  return readOf(run, { ...statistics, inputConfig }, reading);
}

async function readOf(run: FoundRun, statistics: RunStatistics, reading: Reading): Promise<ReadRun> {
  const { benchmarkId, startNs, endNs, endpointsSuccessful: urls, inputConfig: config } = statistics;
  const [startMs, endMs] = [Number(startNs) / NS_PER_MS, Number(endNs) / NS_PER_MS];
  const about = aboutOf({ benchmarkId, startMs, endMs, urls, config });
  const { path = "" } = quickestFile(run.files) ?? {};
  const place = placeOf(run.id, path);
  const load = place.load ?? (await configuredLoad(dirname(path), reading)) ?? serverLoad(statistics);
  const figures = measureServer(statistics);
  const own = { path, ...place, ...(load === undefined ? {} : { load }) };
  return {
    ...(about === undefined ? {} : { about }),
    measured: { ...measuredOf(statistics, figures), points: [{ ...own, figures, source: "server" }] },
  };
}

/** The load that AIPerf was set to for a run whose own results are not there. */
async function configuredLoad(directory: string, reading: Reading): Promise<SweepLoad | undefined> {
  const path = (await Neighbours.in(directory, reading)).firstOf([RUN_CONFIG], "info");
  if (path === undefined) return undefined;
  try {
    const file = parseJson(await textOf(path, CONFIG_LIMIT, reading));
    return isFields(file) ? loadOf(readAiperfRunConfig(file)) : undefined;
  } catch {
    reading.signal?.throwIfAborted();
    return undefined;
  }
}

/** Undefined for what does not tell which run it is of, and when that was. */
function aboutOf(found: {
  readonly benchmarkId: unknown;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly urls: unknown;
  readonly config: unknown;
}): RunAbout | undefined {
  const { benchmarkId, startMs = NaN, endMs = NaN, urls, config } = found;
  if (typeof benchmarkId !== "string" || !(startMs > 0) || !(endMs >= startMs)) return undefined;
  const inputConfig = scrubConfiguration(isObject(config) ? config : {});
  const label = configuredLabel(inputConfig);
  const recorded = new RecordedUrls();
  return {
    benchmarkId,
    startMs,
    seconds: (endMs - startMs) / 1000,
    ...(label === undefined ? {} : { label }),
    endpoints: isList(urls) ? urls.map((url) => recorded.of(String(url))) : [],
    configured: kept(configurationLeaves(configuredOf(inputConfig))),
    provenance: kept(provenanceLeaves(provenanceOf(inputConfig) ?? {})),
  };
}

function kept(leaves: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...leaves].slice(0, MOST_SETTINGS));
}

function isObject(value: unknown): value is JsonObject {
  return isFields(value);
}
