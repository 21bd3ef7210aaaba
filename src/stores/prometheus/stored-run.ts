import {
  displayName,
  durationNs,
  epochNs,
  urlOfInstance,
  type Problem,
  type SampleBatch,
  type Scrape,
  warningOf,
} from "../../core/model/index.js";
import { getOrInsert } from "../../core/math/index.js";
import type { JsonObject } from "../../core/text/index.js";
import type { SampleRoles } from "../../core/exposition/index.js";
import { Run, type ScrapeReading, type SeriesCells, type Store } from "../../core/store/index.js";
import type { StoredSamples } from "./samples.js";
import { sparseProblem } from "./sparse.js";
import { StoredTarget, type StoredScrape } from "./target.js";

export interface StoredRunAbout {
  readonly id: string;
  readonly label: string | undefined;
  readonly sliceDurationSeconds: number;
  /** Of all instances, those without samples too. */
  readonly urls: readonly string[];
  /** What `input_config` says of where the run comes from. */
  readonly source: JsonObject;
  /** What was noticed as it was read; kept with the source. */
  readonly problems: readonly Problem[];
}

const NOTHING: SampleBatch = { defs: [], ids: new Int32Array(0), values: new Float64Array(0), length: 0 };

/**
 * What a store holds as scrapes and their samples: an endpoint for each `instance`, a scrape for each time that has
 * samples. The scrapes of all endpoints are in time order, as a capture would have made them.
 * @param rawFromMs before it are values in steps
 */
export function storedReading(
  series: readonly StoredSamples[],
  roles: SampleRoles,
  storeUrl: string,
  rawFromMs = -Infinity,
): ScrapeReading {
  const targets = new Map<string, StoredTarget>();
  for (const samples of series) {
    const url = endpointOf(samples, storeUrl);
    const target = getOrInsert(targets, url, () => new StoredTarget(url));
    target.add(samples, roles);
  }
  const rows = [...targets.values()].flatMap((target) =>
    target.scrapes(rawFromMs).map((scrape) => ({ target, ...scrape })),
  );
  rows.sort((a, b) => a.timeMs - b.timeMs);
  const times = new Map<StoredTarget, number[]>();
  for (const { target, timeMs } of rows) getOrInsert(times, target, () => []).push(timeMs);
  return { scrapes: rows.map(scrapeOf), series: cellsOf(times) };
}

function* cellsOf(times: ReadonlyMap<StoredTarget, readonly number[]>): Generator<SeriesCells, void> {
  for (const [target, own] of times) yield* target.cells(Float64Array.from(own));
}

function scrapeOf({ target, timeMs, latencyNs, failure }: StoredScrape & { readonly target: StoredTarget }): Scrape {
  const time = epochNs(BigInt(timeMs) * 1_000_000n);
  return {
    endpointUrl: target.url,
    time,
    latency: durationNs(latencyNs),
    requestSent: time,
    outcome:
      failure === undefined
        ? { kind: "samples", batch: NOTHING }
        : { kind: "failed", error: { type: "other", message: failure } },
  };
}

/** The endpoint that a series is recorded under: that of its instance, else the store itself. */
export function endpointOf({ labels: { instance } }: StoredSamples, storeUrl: string): string {
  return instance === undefined ? `${storeUrl}/metrics` : urlOfInstance(instance);
}

/** Makes a run of what was read, which keeps in its `input_config` what there is to say of it. */
export function storedRun(
  store: Store,
  { id, label, urls, sliceDurationSeconds, source, problems }: StoredRunAbout,
): { readonly run: Run; readonly problems: readonly Problem[] } {
  const runOf = (about: JsonObject) => {
    const labelled = label === undefined ? {} : { label };
    const inputConfig = { server_metrics: urls, ...labelled, source: about };
    const run = new Run(
      { benchmarkId: id, ...labelled, endpointsConfigured: urls, sliceDurationSeconds, inputConfig },
      store,
    );
    run.endWithLastScrape();
    return run;
  };
  const sparse = sparseProblem(runOf(source));
  const kept = [...problems, ...(sparse === undefined ? [] : [sparse])];
  const notes = kept.map(({ severity, reason, remedy }) => ({ severity, reason, remedy }));
  const run = runOf(notes.length === 0 ? source : { ...source, notes });
  return { run, problems: [...kept, ...gapProblems(run)] };
}

function gapProblems({ store }: Run): readonly Problem[] {
  return store.endpoints
    .filter(({ failures }) => failures > 0)
    .map(({ url, failures, rows }) =>
      warningOf(
        `${displayName(url)}: ${failures} of ${rows} scrapes failed or are missing in the store; they are gaps.`,
      ),
    );
}
