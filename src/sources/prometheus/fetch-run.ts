import { randomUUID } from "node:crypto";
import type { JsonObject, Problem } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { StoreError, type PrometheusApi } from "./api.js";
import type { Found } from "./discover.js";
import { readSamples } from "./samples.js";
import { storedRun } from "./stored-run.js";
import type { MsRange } from "./time.js";

export interface FetchOptions {
  readonly selectors: readonly string[];
  readonly range: MsRange;
  /** Values every so often, for ranges whose raw samples are gone. */
  readonly stepMs?: number;
  readonly label?: string;
  readonly sliceDurationSeconds: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number, samples: number) => void;
}

/** More would not fit into memory: 16 bytes a sample while they are read, and the run beside them. */
const MOST_SAMPLES = 100_000_000;

/**
 * Reads what was found as a run.
 * @throws StoreError; the signal's reason
 */
export async function fetchRun(
  api: PrometheusApi,
  found: Found,
  { selectors, range, stepMs, label, sliceDurationSeconds, signal, onProgress }: FetchOptions,
): Promise<{ readonly run: Run; readonly problems: readonly Problem[] }> {
  if (stepMs === undefined && (found.samples ?? 0) > MOST_SAMPLES)
    throw new StoreError(
      `${found.samples} samples are more than one run holds (${MOST_SAMPLES}).`,
      'Choose a shorter time, fewer instances or fewer families: --match \'{job="vllm",__name__=~"vllm:.*"}\'.',
    );
  const read = await readSamples(
    api,
    { selectors, range, expected: found.samples, ...(stepMs === undefined ? {} : { stepMs }) },
    {
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
    },
  );
  const notes = notesOf(read.nativeHistograms, read.warnings, stepMs);
  const { run, problems } = storedRun(read.series, found.roles, {
    id: randomUUID(),
    ...(label === undefined ? {} : { label }),
    sliceDurationSeconds,
    storeUrl: api.url,
    source: sourceOf(api.url, selectors, range, stepMs, notes),
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

function sourceOf(
  url: string,
  selectors: readonly string[],
  { startMs, endMs }: MsRange,
  stepMs: number | undefined,
  notes: readonly Problem[],
): JsonObject {
  return {
    kind: "prometheus",
    url,
    match: selectors,
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    samples: stepMs === undefined ? "raw" : "stepped",
    ...(stepMs === undefined ? {} : { step_seconds: stepMs / 1000 }),
    ...(notes.length === 0 ? {} : { notes: notes.map(({ reason }) => reason) }),
  };
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
