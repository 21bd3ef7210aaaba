import { randomUUID } from "node:crypto";
import { displayName, isoTextOfMs, type Problem, noteOf, warningOf } from "../../core/model/index.js";
import { type JsonObject, UserError } from "../../core/text/index.js";
import { fillFrom, Store, type Run } from "../../core/store/index.js";
import type { PrometheusApi } from "./api.js";
import type { StoreContents } from "./discover.js";
import { readAggregated, type Aggregated } from "./aggregate.js";
import { aboutBeginning, readBeginning } from "./beginning.js";
import { offersRemoteRead } from "./remote-read.js";
import { offersExport, readSamples, type ReadSamples, type SampleQuestion, type StoredSamples } from "./samples.js";
import { endpointOf, storedReading, storedRun } from "./stored-run.js";
import type { MsRange } from "./time.js";
import { plural, noun } from "../../core/text/plural.js";

export interface FetchOptions {
  readonly selectors: readonly string[];
  readonly range: MsRange;
  /** Values every so often, for ranges whose raw samples are gone. */
  readonly stepMs?: number;
  /** Totals over all instances, made by the store every `stepMs` (the found step without it). */
  readonly aggregate?: boolean;
  readonly label?: string;
  readonly sliceDurationSeconds: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (fraction: number, samples: number) => void;
}

/** More would not fit into memory: 16 bytes a sample while they are read, and the run beside them. */
const MAX_SAMPLES = 100_000_000;

/**
 * Reads what was found as a run.
 * @throws UserError; the signal's reason
 */
export async function fetchRun(
  api: PrometheusApi,
  found: StoreContents,
  options: FetchOptions,
): Promise<{ readonly run: Run; readonly problems: readonly Problem[] }> {
  const { selectors, range, label, sliceDurationSeconds, signal, onProgress } = options;
  const aggregate = options.aggregate === true;
  const stepMs = options.stepMs ?? (aggregate ? found.totalsStepMs : undefined);
  if (stepMs === undefined && (found.samples ?? 0) > MAX_SAMPLES)
    throw new UserError(
      `${found.samples} samples are more than one run holds (${MAX_SAMPLES}).`,
      'Choose a shorter time, fewer instances or fewer families, by a selector such as {job="vllm",__name__=~"vllm:.*"}.',
    );
  const context = { signal, onProgress };
  const by = stepMs === undefined ? await cheapest(api, { selectors, range }, signal) : undefined;
  const summed =
    aggregate && stepMs !== undefined
      ? await readAggregated(api, { selectors, range, stepMs, scrapeMs: found.scrapeMs }, found.roles, context)
      : undefined;
  const read = summed ?? (await readSamples(api, { selectors, range, expected: found.samples, by, stepMs }, context));
  const beginning =
    summed === undefined
      ? await readBeginning(
          api,
          { selectorsAt: () => selectors, range, apartMs: Math.max(stepMs ?? 0, found.scrapeMs) },
          read,
          // Steps that are finer than what the store has downsampled find nothing of it.
          { fill: stepMs === undefined || read.series.length === 0, signal },
        )
      : summed.beginning;
  const series = summed?.series ?? beginning?.series ?? read.series;
  const store = new Store();
  fillFrom(store, storedReading(series, found.roles, api.url, beginning?.rawFromMs));
  return storedRun(store, {
    id: randomUUID(),
    label,
    urls: [...new Set(series.map((samples) => endpointOf(samples, api.url)))].sort(),
    sliceDurationSeconds,
    source: {
      ...sourceOf(api.url, options, { stepMs, by, instances: found.instances }),
      ...(beginning === undefined ? {} : aboutBeginning(beginning, summed !== undefined)),
    },
    problems: [
      ...(beginning === undefined ? [] : [beginning.note]),
      ...(summed === undefined ? [] : aggregateNotes(summed, found.instances.length, stepMs)),
      ...notesOf(
        [found, read, ...(beginning === undefined ? [] : [beginning])],
        summed === undefined && read.series.length > 0 ? stepMs : undefined,
      ),
      ...found.notes.take().map(({ message }): Problem => noteOf(message)),
      ...(summed === undefined ? withoutInstance(series, api.url) : []),
    ],
  });
}

function withoutInstance(series: readonly StoredSamples[], url: string): readonly Problem[] {
  const count = series.filter(({ labels }) => labels["instance"] === undefined).length;
  if (count === 0) return [];
  const reason = `${count} series ${noun(count, "has", "have")} no instance label and ${noun(count, "is", "are")} listed under ${displayName(url)}.`;
  return [noteOf(reason)];
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
  { selectors, range: { startMs, endMs }, aggregate }: Pick<FetchOptions, "selectors" | "range" | "aggregate">,
  how: {
    readonly stepMs: number | undefined;
    readonly by: SampleQuestion["by"];
    readonly instances: readonly string[];
  },
): JsonObject {
  const { stepMs, by, instances } = how;
  return {
    kind: "prometheus",
    url,
    match: selectors,
    start: isoTextOfMs(startMs),
    end: isoTextOfMs(endMs),
    samples: aggregate === true ? "aggregated" : stepMs === undefined ? "raw" : "stepped",
    ...(aggregate === true ? { instances } : {}),
    ...(by === undefined ? {} : { read_from: by === "export" ? "/api/v1/export" : "/api/v1/read" }),
    ...(stepMs === undefined ? {} : { step_seconds: stepMs / 1000 }),
  };
}

function aggregateNotes(
  { breaks, beginning }: Aggregated,
  instances: number,
  wantedMs: number | undefined,
): readonly Problem[] {
  const stepMs = (beginning?.rawFromMs === undefined ? beginning?.stepMs : undefined) ?? wantedMs ?? 0;
  const notes: Problem[] = [
    noteOf(
      `These are totals over ${plural(instances, "instance")}, made by the store every ${stepMs / 1000} s; shares and temperatures are means.`,
      "One of them alone (--instance NAME in place of --aggregate) is read sample by sample.",
    ),
  ];
  if (breaks > 0)
    notes.push(
      warningOf(
        `At ${breaks} ${noun(breaks, "step")} series restarted, joined or left: totals of counters continue from where they were, and the increase of ${breaks === 1 ? "that step" : "those steps"} is missing.`,
      ),
    );
  return notes;
}

function notesOf(
  read: readonly (Pick<ReadSamples, "warnings"> & Partial<Pick<ReadSamples, "nativeHistograms">>)[],
  stepMs: number | undefined,
): readonly Problem[] {
  const nativeHistograms = new Set(read.flatMap((one) => [...(one.nativeHistograms ?? [])]));
  const warnings = new Set(read.flatMap((one) => [...one.warnings]));
  const notes: Problem[] = [];
  if (stepMs !== undefined)
    notes.push(
      warningOf(
        `These are not raw samples but values every ${stepMs / 1000} s (query_range): each repeats the last sample before it, and restarts between two steps may be missed.`,
      ),
    );
  if (nativeHistograms.size > 0) {
    const names = [...nativeHistograms].sort();
    notes.push(
      warningOf(
        `Native histograms are left out: ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}.`,
        "Let Prometheus keep the classic buckets too (always_scrape_classic_histograms).",
      ),
    );
  }
  for (const warning of warnings) notes.push(storeWarning(warning));
  return notes;
}

/** What a store says may be missing, such as Thanos where a part of it did not answer. */
export function storeWarning(text: string): Problem {
  return warningOf(`The store warns: ${text}.`);
}
