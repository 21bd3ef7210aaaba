import { randomUUID } from "node:crypto";
import type { JsonObject, Problem } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { StoreError, type PrometheusApi } from "./api.js";
import type { Found } from "./discover.js";
import { readAggregated, type Aggregated } from "./aggregate.js";
import { offersRemoteRead } from "./remote-read.js";
import { offersExport, readSamples, type SampleQuestion } from "./samples.js";
import { storedRun } from "./stored-run.js";
import type { MsRange } from "./time.js";

export interface FetchOptions {
  readonly selectors: readonly string[];
  readonly range: MsRange;
  /** Values every so often, for ranges whose raw samples are gone. */
  readonly stepMs?: number;
  /** Totals over all instances, made by the store every `stepMs` (15 s without it). */
  readonly aggregate?: boolean;
  readonly label?: string;
  readonly sliceDurationSeconds: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number, samples: number) => void;
}

const AGGREGATE_STEP_MS = 15_000;
/** More would not fit into memory: 16 bytes a sample while they are read, and the run beside them. */
const MOST_SAMPLES = 100_000_000;

/**
 * Reads what was found as a run.
 * @throws StoreError; the signal's reason
 */
export async function fetchRun(
  api: PrometheusApi,
  found: Found,
  { selectors, range, label, sliceDurationSeconds, signal, onProgress, ...options }: FetchOptions,
): Promise<{ readonly run: Run; readonly problems: readonly Problem[] }> {
  const aggregate = options.aggregate === true;
  const stepMs = options.stepMs ?? (aggregate ? AGGREGATE_STEP_MS : undefined);
  if (stepMs === undefined && (found.samples ?? 0) > MOST_SAMPLES)
    throw new StoreError(
      `${found.samples} samples are more than one run holds (${MOST_SAMPLES}).`,
      'Choose a shorter time, fewer instances or fewer families: --match \'{job="vllm",__name__=~"vllm:.*"}\'.',
    );
  const context = {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  const by = stepMs === undefined ? await cheapest(api, { selectors, range }, signal) : undefined;
  const summed =
    aggregate && stepMs !== undefined
      ? await readAggregated(api, { selectors, range, stepMs }, found.roles, context)
      : undefined;
  const read =
    summed ??
    (await readSamples(
      api,
      {
        selectors,
        range,
        expected: found.samples,
        ...(by === undefined ? {} : { by }),
        ...(stepMs === undefined ? {} : { stepMs }),
      },
      context,
    ));
  const notes = [
    ...(summed === undefined ? [] : aggregateNotes(summed, found.instances.length, stepMs)),
    ...notesOf(read.nativeHistograms, read.warnings, summed === undefined ? stepMs : undefined),
  ];
  const { run, problems } = storedRun(read.series, found.roles, {
    id: randomUUID(),
    ...(label === undefined ? {} : { label }),
    sliceDurationSeconds,
    storeUrl: api.url,
    source: sourceOf(api.url, selectors, range, { stepMs, aggregate, by }, notes),
  });
  return {
    run,
    problems: [
      ...notes,
      ...found.notes.take().map(({ message }): Problem => ({ severity: "info", reason: message })),
      ...problems,
    ],
  };
}

/** What a store gives raw samples by for less than by range selectors; undefined where it has nothing of the kind. */
async function cheapest(
  api: PrometheusApi,
  question: Pick<SampleQuestion, "selectors" | "range">,
  signal: AbortSignal | undefined,
): Promise<SampleQuestion["by"]> {
  if (await offersExport(api, question, signal)) return "export";
  return (await offersRemoteRead(api, question, signal)) ? "remote-read" : undefined;
}

function sourceOf(
  url: string,
  selectors: readonly string[],
  { startMs, endMs }: MsRange,
  {
    stepMs,
    aggregate,
    by,
  }: {
    readonly stepMs: number | undefined;
    readonly aggregate: boolean;
    readonly by: SampleQuestion["by"];
  },
  notes: readonly Problem[],
): JsonObject {
  return {
    kind: "prometheus",
    url,
    match: selectors,
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    samples: aggregate ? "aggregated" : stepMs === undefined ? "raw" : "stepped",
    ...(by === undefined ? {} : { read_from: by === "export" ? "/api/v1/export" : "/api/v1/read" }),
    ...(stepMs === undefined ? {} : { step_seconds: stepMs / 1000 }),
    ...(notes.length === 0 ? {} : { notes: notes.map(({ reason }) => reason) }),
  };
}

function aggregateNotes({ falls }: Aggregated, instances: number, stepMs = AGGREGATE_STEP_MS): readonly Problem[] {
  const notes: Problem[] = [
    {
      severity: "info",
      reason: `These are totals over ${instances} instances, made by the store every ${stepMs / 1000} s; shares and temperatures are means.`,
      remedy: "--instance NAME in place of --aggregate reads one of them, sample by sample.",
    },
  ];
  if (falls > 0)
    notes.push({
      severity: "warning",
      reason: `Totals fell ${falls} times, as instances restarted or left: they continue from where they were, and the increase of those steps is missing.`,
    });
  return notes;
}

function notesOf(
  nativeHistograms: ReadonlySet<string>,
  warnings: ReadonlySet<string>,
  stepMs: number | undefined,
): readonly Problem[] {
  const notes: Problem[] = [];
  if (stepMs !== undefined)
    notes.push({
      severity: "warning",
      reason: `These are not raw samples but values every ${stepMs / 1000} s (query_range): each repeats the last sample before it, and restarts between two steps may be missed.`,
    });
  if (nativeHistograms.size > 0) {
    const names = [...nativeHistograms].sort();
    notes.push({
      severity: "warning",
      reason: `Native histograms are left out: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}.`,
      remedy: "Let Prometheus keep the classic buckets too (always_scrape_classic_histograms).",
    });
  }
  for (const warning of warnings) notes.push({ severity: "warning", reason: `The store warns: ${warning}.` });
  return notes;
}
