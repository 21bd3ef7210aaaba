import { basename, dirname, join } from "node:path";
import { UserError } from "../../core/text/errors.js";
import { CsvRows } from "../../core/artifacts/csv/cut-rows.js";
import { parseArtifactName, unpackedName } from "../../core/artifacts/index.js";
import {
  aiperfResult,
  withoutFarTimes,
  isClientFile,
  isClientRecords,
  isSlicesCsv,
  overlapSeconds,
  placed,
  readAiperfRecord,
  readClientData,
  readClientJson,
  slicesOfRows,
  spanOf,
  type ClientFile,
  type ClientRequest,
  type ClientResult,
} from "../../core/client/index.js";
import { NS_PER_MS, NS_PER_SECOND, type Problem, type TimeRange, warningOf, noteOf } from "../../core/model/index.js";
import { groupBy } from "../../core/math/index.js";
import { headOf, textOf, type ReadOptions, readRecordLines } from "../bytes.js";
import { isFolder } from "../folders.js";
import { Neighbours, TOO_RAW } from "./neighbours.js";
import type { OpenOptions } from "./types.js";
import { noun } from "../../core/text/plural.js";
import { unreadable } from "../failure.js";

const HEAD = 64 * 1024;
/** A string cannot be much longer. */
const LIMIT = 400 * 1024 ** 2;
/** YAML takes many times as long to read as JSON. */
const YAML_LIMIT = 64 * 1024 ** 2;
/** Files looked at in one folder at the most. */
const MAX_FILES = 100;
const CANDIDATE = /(?:\.jsonl?|\.ya?ml|_timeslices\.csv)(?:\.gz|\.zst)?$/i;
/** Written by servers' captures; the warm-up of vLLM's `bench sweep`. */
const OTHERS = /(?:server_metrics|gpu_telemetry|phase_manifest)|^warmup\.json/i;
/** What a report of llm-d was made of, and its version. */
const REPORT = /^benchmark_report(_v0\.2)?,_(.*)\.ya?ml$/;

/** Client results as they were found, with what is to be said about them. */
export interface FoundClient {
  readonly results: readonly ClientResult[];
  readonly notices: readonly Problem[];
}

const NONE: FoundClient = { results: [], notices: [] };

/** AIPerf's files of one run share this: `profile_export` or the prefix that was chosen. */
function stemOf(path: string): string {
  return unpackedName(basename(path))
    .replace(/\.(?:jsonl?|csv|ya?ml)$/i, "")
    .replace(/_timeslices$/, "")
    .replace(/_aiperf$/, "");
}

/** The stem of AIPerf's client files that belong to an artifact by its name. */
function stemFor(artifact: string): string | undefined {
  const named = parseArtifactName(basename(artifact));
  return named === undefined ? undefined : (named.prefix ?? "profile_export");
}

/** Whether a file of this name may be the client's: how it begins tells. */
export function mayBeClientFile(name: string): boolean {
  return CANDIDATE.test(name) && !OTHERS.test(name) && !TOO_RAW.test(name);
}

/** Paths of the client's files in a folder, by how they begin, sorted by name. @throws the signal's reason */
export async function clientFilesIn(folder: Neighbours): Promise<readonly string[]> {
  const names = folder.named(mayBeClientFile).toSorted().slice(0, MAX_FILES);
  const files = await folder.beginning(names, HEAD, isClientFile);
  const found = new Set(files.map((path) => unpackedName(basename(path))));
  return files.filter((path) => !isCopy(unpackedName(basename(path)), found));
}

/** Whether another file holds the same: what a report was made of, its later version, or stages for their summary. */
function isCopy(name: string, others: ReadonlySet<string>): boolean {
  const [, version, source] = REPORT.exec(name) ?? [];
  if (source !== undefined)
    return others.has(source) || (version === undefined && others.has(`benchmark_report_v0.2,_${source}.yaml`));
  const stage = name.replace("summary_lifecycle", "stage_0_lifecycle");
  return stage !== name && others.has(stage);
}

/** The client's files in a folder by run; first the one that is read: AIPerf's records before their summary. */
export async function clientRunFilesIn(folder: Neighbours): Promise<readonly (readonly [string, ...string[]])[]> {
  return [...groupBy(await clientFilesIn(folder), stemOf).values()].flatMap((own) => {
    const read = own.find((file) => /\.jsonl/i.test(file)) ?? own.find((file) => !/_timeslices\./.test(file));
    return read === undefined ? [] : [[read, ...own.filter((file) => file !== read)] as const];
  });
}

/** Of the client's files in a folder the one of each run that is read. */
export async function clientRunsIn(folder: Neighbours): Promise<readonly string[]> {
  return (await clientRunFilesIn(folder)).map(([read]) => read);
}

/**
 * The results of files or folders that a user named, AIPerf's with what lies beside them.
 * @throws UserError naming what cannot be read; the signal's reason
 */
export async function readClientFiles(paths: readonly string[], signal?: AbortSignal): Promise<FoundClient> {
  const reading = signal === undefined ? {} : { signal };
  const all = await Promise.all(
    [...new Set(paths)].map(async (path): Promise<readonly ToRead[]> => {
      if (!(await isFolder(path))) return [{ path, reading }];
      const folder = await Neighbours.in(path, reading);
      const found = await clientFilesIn(folder);
      if (found.length === 0) throw new UserError(`${path} holds no client results.`, EXPECTED);
      return found.map((file) => ({ path: file, reading: folder.reading }));
    }),
  );
  // One that is named, and lies in a folder that is, is read once.
  return readTogether([...groupBy(all.flat(), ({ path }) => path).values()].flatMap(([first]) => first ?? []));
}

const EXPECTED =
  "Name AIPerf's profile_export.jsonl, GuideLLM's benchmarks.json, a result of vllm bench serve or of inference-perf, or a Benchmark Report of llm-d, or their folder.";

interface ToRead {
  readonly path: string;
  readonly reading: ReadOptions;
}

/** Files that belong together as one result: AIPerf's of one run. */
async function readTogether(files: readonly ToRead[]): Promise<FoundClient> {
  const notices: Problem[] = [];
  const results: ClientResult[] = [];
  const runs = new Map<string, AiperfParts>();
  const partsOf = (path: string) => {
    const key = join(dirname(path), stemOf(path));
    const parts = runs.get(key) ?? {};
    runs.set(key, parts);
    return parts;
  };
  for (const { path, reading } of files) {
    const records = isClientRecords(new TextDecoder().decode(await headOf(path, HEAD, reading)));
    if (records) {
      const read = await readRecords(path, reading);
      partsOf(path).requests = read.requests;
      notices.push(...read.notices);
      continue;
    }
    const file = await readWhole(path, reading);
    if (file.kind === "results") results.push(...file.results);
    else if (file.kind === "aiperf-summary") partsOf(path).summary = file;
    else partsOf(path).slices = file;
  }
  for (const { requests = [], summary, slices } of runs.values())
    results.push(aiperfResult(requests, summary, slices?.file));
  return { results, notices };
}

interface AiperfParts {
  requests?: readonly ClientRequest[];
  summary?: Extract<ClientFile, { kind: "aiperf-summary" }>;
  slices?: Extract<ClientFile, { kind: "aiperf-slices" }>;
}

/** A file that is read at once: JSON, YAML, or the CSV of timeslices. @throws UserError; the signal's reason */
async function readWhole(path: string, reading: ReadOptions): Promise<ClientFile> {
  const isYaml = /\.ya?ml$/i.test(unpackedName(path));
  const text = await textOf(path, isYaml ? YAML_LIMIT : LIMIT, reading);
  try {
    if (isYaml) return readClientData(await parsedYaml(text));
    return isSlicesCsv(text) ? { kind: "aiperf-slices", file: slicesOfRows(rowsOf(text)) } : readClientJson(text);
  } catch (error) {
    throw unreadable(path, "results of a benchmark client", error);
  }
}

/** The package quotes the line that it does not understand. @throws Error, which does not */
async function parsedYaml(text: string): Promise<unknown> {
  // Evaluating the package took a fifth of the time in which the extension's bundle is loaded.
  const { parse, YAMLParseError } = await import("yaml");
  try {
    return parse(text, { logLevel: "error" });
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    throw new Error(`it is not valid YAML${line === undefined ? "" : ` in line ${line}`}`);
  }
}

/** Rows of a CSV without its header. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = [];
  const reader = new CsvRows((row) => {
    if (row.kind === "cells") rows.push(row.cells);
  });
  reader.push(text);
  reader.end();
  return rows.slice(1);
}

async function readRecords(path: string, reading: ReadOptions) {
  const read: { readonly request: ClientRequest; readonly line: number }[] = [];
  const take = (text: string, line: number) => {
    const request = readAiperfRecord(text);
    if (request !== undefined) read.push({ request, line });
  };
  const notice = await readRecordLines(path, take, reading);
  // A clock that was set wrong, or a time in another unit: with it the run would take decades.
  const { together, far } = withoutFarTimes(read, ({ request }) => request);
  const notices: Problem[] = notice === undefined ? [] : [notice];
  const [first] = far;
  if (first !== undefined)
    notices.push(
      warningOf(
        `${far.length} ${noun(far.length, "request")} of ${basename(path)} ${noun(far.length, "is", "are")} left out, the first in line ${first.line}: request_start_ns or request_end_ns lies months away from those of the others.`,
      ),
    );
  return { requests: together.map(({ request }) => request), notices };
}

/**
 * The client results of an artifact's run: those that were named, else those beside it that are of the same time. What
 * lies beside it but cannot be read is reported, and not an error.
 * @throws UserError for files that were named; the signal's reason
 */
export async function clientOf(
  path: string,
  frame: TimeRange,
  options: OpenOptions,
  folder?: Neighbours,
): Promise<FoundClient> {
  const { client, clientOffsetSeconds, signal } = options;
  const named = client !== undefined && client.length > 0;
  const found = named ? await readClientFiles(client, signal) : await resultsBeside(path, folder);
  const results = found.results.map((result) => place(result, frame, clientOffsetSeconds));
  const notices = [...found.notices];
  const kept = results.filter((result) => {
    const span = spanOf(result.requests);
    // A CSV does not tell its window.
    if (span === undefined || frame.end === 0n || overlapSeconds(span, frame) >= 0) return true;
    if (named)
      notices.push(
        warningOf(
          `The requests of ${result.tool} are ${Math.round(-overlapSeconds(span, frame))} s outside the run: client and server do not overlap in time.`,
          "Check that both files are from one run, or move the client's times with --client-offset.",
        ),
      );
    return named;
  });
  for (const result of kept) notices.push(...result.notices);
  if (kept.length > 0)
    notices.push(
      noteOf(
        `Metrics of the client (${[...new Set(kept.map(({ tool }) => tool))].join(", ")}, ${kept.reduce((sum, { requests }) => sum + requests.length, 0)} requests) are shown beside the server's.`,
      ),
    );
  return { results: kept, notices };
}

/** Times of an unknown zone on the wall clock, moved as the user asked. */
function place(result: ClientResult, frame: TimeRange | undefined, offsetSeconds: number | undefined): ClientResult {
  return placed(result, { frame, zoneSeconds: zoneSeconds(result), offsetSeconds });
}

/** Seconds east of UTC that this machine has at the time of the benchmark. */
function zoneSeconds({ localEnd }: ClientResult): number {
  return localEnd === undefined ? 0 : -60 * new Date(Number(localEnd / 1_000_000n)).getTimezoneOffset();
}

/** When a result was measured, milliseconds since the epoch, and for how long, as far as it tells. */
export function timesOf(result: ClientResult): { readonly startMs: number | undefined; readonly seconds: number } {
  const { requests, localEnd, durationSeconds: seconds = NaN } = result;
  const span = spanOf(requests);
  if (span !== undefined)
    return { startMs: Number(span.start) / NS_PER_MS, seconds: Number(span.end - span.start) / NS_PER_SECOND };
  const endMs = localEnd === undefined ? NaN : Number(localEnd) / NS_PER_MS - 1000 * zoneSeconds(result);
  const startMs = endMs - 1000 * seconds;
  return { startMs: startMs > 0 ? startMs : undefined, seconds };
}

/** Results on the wall clock that stand for themselves. @throws as `readClientFiles` */
export async function readClientRun(path: string, options: OpenOptions): Promise<FoundClient> {
  const stem = stemOf(path);
  const folder = await Neighbours.of(path, options);
  const files = (await clientFilesIn(folder)).filter((file) => stemOf(file) === stem);
  const { onProgress: _, ...reading } = options;
  const { results, notices } = await readTogether([
    { path, reading },
    ...files.map((file) => ({ path: file, reading: folder.reading })),
  ]);
  const whole = results.map((result) => place(result, undefined, options.clientOffsetSeconds));
  return { results: whole, notices: [...notices, ...whole.flatMap((result) => result.notices)] };
}

async function resultsBeside(path: string, folder: Neighbours | undefined): Promise<FoundClient> {
  const own = stemFor(path);
  // Files of any other name may lie anywhere: nothing is looked for beside them.
  if (own === undefined || folder === undefined) return NONE;
  const files = await clientFilesIn(folder);
  const same = files.filter((file) => stemOf(file) === own);
  try {
    const found = await readTogether(
      (same.length > 0 ? same : files).map((file) => ({ path: file, reading: folder.reading })),
    );
    if (same.length > 0) return found;
    // Of several without times and without the name nothing says which belongs to this run.
    return found.results.length === 1
      ? found
      : { ...found, results: found.results.filter(({ requests }) => requests.length > 0) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { results: [], notices: [warningOf(error.message)] };
  }
}
