import { getOrInsert } from "../../core/math/index.js";
import { type Fields, isFields, isList, UserError } from "../../core/text/index.js";
import { type Parameters, type PrometheusApi, eachAtOnce } from "./api.js";
import { remoteRead, type Answered, type SampleRange, type StoredLabels } from "./remote-read.js";
import { seconds, type MsRange } from "./time.js";

/** The samples of one series of a store, in time order, each time once. */
export interface StoredSamples {
  readonly labels: StoredLabels;
  /** Milliseconds since the epoch. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Where the store marks that the series was not there, in any order; absent where it does not tell. */
  readonly missing?: readonly number[];
}

export interface SampleQuestion {
  readonly selectors: readonly string[];
  readonly range: MsRange;
  /** How many samples there are in all, by which the first chunks are cut. */
  readonly expected: number | undefined;
  /** Values every so often instead of raw samples. */
  readonly stepMs?: number | undefined;
  /** How coarse values in steps may be, where the store has downsampled: `stepMs` without it. */
  readonly resolutionMs?: number;
  /** What gives the same samples for less: VictoriaMetrics' export, or Prometheus' remote read. */
  readonly by?: "export" | "remote-read" | undefined;
}

type Store = Pick<PrometheusApi, "ask"> & Partial<Pick<PrometheusApi, "lines" | "remoteRead">>;

export interface ReadSamples {
  readonly series: readonly StoredSamples[];
  /** Names of series that hold native histograms, which are left out. */
  readonly nativeHistograms: ReadonlySet<string>;
  readonly warnings: ReadonlySet<string>;
}

/** Of one question: far below the 50 million of Prometheus' default limit, and 10 to 20 MB of JSON. */
const SAMPLES_PER_CHUNK = 400_000;
/** Where the number of samples is not known. */
const BLIND_CHUNK_MS = 300_000;
const SHORTEST_CHUNK_MS = 1000;
/** Prometheus answers at most 11,000 steps of a series. */
const STEPS_PER_CHUNK = 10_000;

export interface ReadContext {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((fraction: number, samples: number) => void) | undefined;
}

interface Chunk extends MsRange {
  readonly selector: string;
}

/**
 * Reads all samples of a selection: raw ones by range selectors in instant queries, or by what the store has for less,
 * so that times and values are the store's own. Chunks that are too much for the server are halved.
 * @throws UserError; the signal's reason
 */
export async function readSamples(
  api: Store,
  question: SampleQuestion,
  { signal, onProgress }: ReadContext = {},
): Promise<ReadSamples> {
  const { range, stepMs } = question;
  const lengthMs = range.endMs - range.startMs + 1;
  const series = new Map<string, { readonly labels: StoredLabels; readonly parts: SampleRange[] }>();
  const nativeHistograms = new Set<string>();
  /** Names of series that remote read gave without a sample. */
  const silent = new Set<string>();
  const warnings = new Set<string>();
  const queue = chunksOf(question);
  const total = lengthMs * question.selectors.length;
  let doneMs = 0;
  let samples = 0;
  const answersTo = async (chunk: Chunk): Promise<readonly Answered[]> => {
    const by = stepMs === undefined ? question.by : undefined;
    if (by === "remote-read" && api.remoteRead !== undefined) {
      const found = await remoteRead({ remoteRead: api.remoteRead.bind(api) }, chunk, signal);
      if (found !== undefined) return found;
    }
    const exported = by === "export" ? await api.lines?.(...exportOf(chunk, signal)) : undefined;
    const matrix = exported ?? (await ask(api, chunk, question, signal, (warning) => warnings.add(warning)));
    return matrix.map((item) => ({
      labels: labelsOf(item["metric"]),
      part: exported === undefined ? partOf(item["values"], chunk) : exportedPart(item, chunk),
      isNative: isList(item["histograms"]),
    }));
  };
  const read = async (chunk: Chunk) => {
    for (const { labels, part, isNative } of await answersTo(chunk)) {
      const name = labels["__name__"] ?? "";
      if (isNative) nativeHistograms.add(name);
      if (part.times.length === 0 && part.missing === undefined) {
        if (!isNative && question.by === "remote-read") silent.add(name);
        continue;
      }
      const key = keyOf(labels);
      const known = getOrInsert(series, key, () => ({ labels, parts: [] }));
      known.parts.push(part);
      samples += part.times.length;
    }
    doneMs += chunk.endMs - chunk.startMs + 1;
    onProgress?.(doneMs / total, samples);
  };
  await eachAtOnce(queue, async (chunk) => {
    const { startMs, endMs } = chunk;
    try {
      await read(chunk);
    } catch (error) {
      const tooMuch = error instanceof UserError && error.code === "too-much";
      const unit = stepMs ?? 1;
      if (!tooMuch || endMs - startMs < Math.max(SHORTEST_CHUNK_MS, unit)) throw error;
      const half = Math.ceil((endMs - startMs) / 2 / unit) * unit;
      queue.unshift({ ...chunk, endMs: startMs + half - 1 }, { ...chunk, startMs: startMs + half });
    }
  });
  for (const { labels } of series.values()) silent.delete(labels["__name__"] ?? "");
  for (const name of await namesPresent(api, silent, range, signal)) nativeHistograms.add(name);
  const whole = [...series.values()].map(joined);
  return { series: whole.filter(({ times }) => times.length > 0), nativeHistograms, warnings };
}

/** What tells a series from the others. */
export function keyOf(labels: StoredLabels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Which of these names have anything in that time. Remote read of Prometheus before 2.43 gives the series of native
 * histograms without samples, as it gives those that have none.
 */
async function namesPresent(
  api: Store,
  names: ReadonlySet<string>,
  { startMs, endMs }: MsRange,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (names.size === 0) return [];
  const selector = `{__name__=~${JSON.stringify([...names].join("|"))}}`;
  const parameters: Parameters = [
    ["query", `group by (__name__) (last_over_time(${selector}[${endMs - startMs + 1}ms]))`],
    ["time", seconds(endMs)],
  ];
  const data = await api.ask("/query", parameters, { signal });
  const result = isFields(data) && isList(data["result"]) ? data["result"].filter(isFields) : [];
  return result.flatMap(({ metric }) => labelsOf(metric)["__name__"] ?? []);
}

/** Whether a store has VictoriaMetrics' export; asks for one moment of it. @throws UserError; the signal's reason */
export async function offersExport(
  api: Pick<PrometheusApi, "lines">,
  { selectors: [selector = ""], range: { endMs } }: Pick<SampleQuestion, "selectors" | "range">,
  signal?: AbortSignal,
): Promise<boolean> {
  return (await api.lines(...exportOf({ selector, startMs: endMs, endMs }, signal))) !== undefined;
}

function exportOf(
  { selector, startMs, endMs }: Chunk,
  signal: AbortSignal | undefined,
): [path: string, parameters: Parameters, options: { readonly signal?: AbortSignal | undefined }] {
  const parameters: Parameters = [
    ["match[]", selector],
    ["start", seconds(startMs)],
    ["end", seconds(endMs)],
  ];
  return ["/export", parameters, { signal }];
}

/** Of a line of the export; marks of staleness and NaN are null there. */
function exportedPart({ timestamps, values }: Fields, { startMs, endMs }: MsRange): SampleRange {
  const list = isList(timestamps) && isList(values) ? timestamps : [];
  const times = new Float64Array(list.length);
  const numbers = new Float64Array(list.length);
  const missing: number[] = [];
  let n = 0;
  list.forEach((time, i) => {
    const value = isList(values) ? values[i] : undefined;
    if (typeof time !== "number" || !(time >= startMs && time <= endMs)) return;
    if (value === null) {
      missing.push(time);
      return;
    }
    times[n] = time;
    numbers[n++] = typeof value === "number" ? value : typeof value === "string" ? valueOf(value) : NaN;
  });
  const part = { startMs: times[0] ?? startMs, times: times.subarray(0, n), values: numbers.subarray(0, n) };
  return missing.length === 0 ? part : { ...part, missing };
}

/** Chunks share no millisecond; each holds both of its ends. */
function chunksOf({ selectors, range, expected, stepMs }: SampleQuestion): Chunk[] {
  const lengthMs = range.endMs - range.startMs + 1;
  const most =
    stepMs !== undefined
      ? stepMs * STEPS_PER_CHUNK
      : expected === undefined
        ? BLIND_CHUNK_MS
        : expected <= SAMPLES_PER_CHUNK
          ? lengthMs
          : Math.max(SHORTEST_CHUNK_MS, Math.floor((lengthMs * SAMPLES_PER_CHUNK) / expected));
  const chunks: Chunk[] = [];
  for (let startMs = range.startMs; startMs <= range.endMs; startMs += most)
    for (const selector of selectors)
      chunks.push({ selector, startMs, endMs: Math.min(range.endMs, startMs + most - 1) });
  return chunks;
}

async function ask(
  api: Pick<PrometheusApi, "ask">,
  { selector, startMs, endMs }: Chunk,
  { stepMs, resolutionMs = stepMs }: Pick<SampleQuestion, "stepMs" | "resolutionMs">,
  signal: AbortSignal | undefined,
  onWarning: (text: string) => void,
): Promise<readonly Fields[]> {
  // Versions differ in whether a range holds its own start: one millisecond more is asked for, and cut off.
  const parameters: Parameters =
    stepMs === undefined
      ? [
          ["query", `${selector}[${endMs - startMs + 1}ms]`],
          ["time", seconds(endMs)],
          // A Thanos may be set to answer instant queries by what it has downsampled; others do not know the parameter.
          ["max_source_resolution", "0"],
        ]
      : [
          ["query", selector],
          ["start", seconds(startMs)],
          ["end", seconds(endMs)],
          ["step", seconds(stepMs)],
          // What it has downsampled Thanos gives to those only who allow it.
          ["max_source_resolution", seconds(resolutionMs ?? stepMs)],
        ];
  const path = stepMs === undefined ? "/query" : "/query_range";
  const data = await api.ask(path, parameters, { onWarning, signal });
  if (!isFields(data) || data["resultType"] !== "matrix" || !isList(data["result"]))
    throw new UserError(
      `${selector} selects no series: give a plain selector such as {job="vllm"}, without a function or range.`,
    );
  return data["result"].filter(isFields);
}

function labelsOf(metric: unknown): StoredLabels {
  if (!isFields(metric)) return {};
  return Object.fromEntries(
    Object.entries(metric).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function partOf(values: unknown, { startMs, endMs }: MsRange): SampleRange {
  const list = isList(values) ? values : [];
  const times = new Float64Array(list.length);
  const numbers = new Float64Array(list.length);
  let n = 0;
  for (const pair of list) {
    if (!isList(pair)) continue;
    const time = Math.round(Number(pair[0]) * 1000);
    if (!(time >= startMs && time <= endMs)) continue;
    times[n] = time;
    numbers[n++] = valueOf(String(pair[1]));
  }
  return { startMs, times: times.subarray(0, n), values: numbers.subarray(0, n) };
}

function valueOf(text: string): number {
  const value = Number(text);
  if (!Number.isNaN(value)) return value;
  return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : NaN;
}

/** One after the other; what two selectors both selected is kept once. */
function joined({ labels, parts }: { readonly labels: StoredLabels; readonly parts: SampleRange[] }): StoredSamples {
  parts.sort((a, b) => a.startMs - b.startMs);
  const most = parts.reduce((sum, { times }) => sum + times.length, 0);
  const times = new Float64Array(most);
  const values = new Float64Array(most);
  let n = 0;
  for (const part of parts)
    part.times.forEach((time, i) => {
      if (n > 0 && time <= (times[n - 1] ?? 0)) return;
      times[n] = time;
      values[n++] = part.values[i] ?? NaN;
    });
  const missing = parts.flatMap((part) => part.missing ?? []);
  const samples = { labels, times: times.subarray(0, n), values: values.subarray(0, n) };
  return missing.length === 0 ? samples : { ...samples, missing };
}
