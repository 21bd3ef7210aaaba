import {
  displayName,
  durationNs,
  epochNs,
  urlOfInstance,
  type JsonObject,
  type Problem,
  type SampleBatch,
  type Scrape,
} from "../../core/model/index.js";
import type { Roles } from "../../core/exposition/index.js";
import { Run, type EndpointAxis, type Reading, type SeriesCells, type Store } from "../../core/store/index.js";
import type { StoredSamples } from "./samples.js";
import { StoredTarget, type StoredScrape } from "./target.js";

export interface StoredRunAbout {
  readonly id: string;
  readonly label?: string;
  readonly sliceDurationSeconds: number;
  /** Of all instances, those without samples too. */
  readonly urls: readonly string[];
  /** What `input_config` says of where the run comes from. */
  readonly source: JsonObject;
}

const NOTHING: SampleBatch = { defs: [], ids: new Int32Array(0), values: new Float64Array(0), length: 0 };

/**
 * What a store holds as scrapes and their samples: an endpoint for each `instance`, a scrape for each time that has
 * samples. The scrapes of all endpoints are in time order, as a capture would have made them.
 */
export function storedReading(series: readonly StoredSamples[], roles: Roles, storeUrl: string): Reading {
  const targets = new Map<string, StoredTarget>();
  for (const samples of series) {
    const url = endpointOf(samples, storeUrl);
    let target = targets.get(url);
    if (target === undefined) targets.set(url, (target = new StoredTarget(url)));
    target.add(samples, roles);
  }
  const rows = [...targets.values()].flatMap((target) => target.scrapes().map((scrape) => ({ target, ...scrape })));
  rows.sort((a, b) => a.timeMs - b.timeMs);
  const times = new Map<StoredTarget, number[]>();
  for (const { target, timeMs } of rows) {
    const known = times.get(target);
    if (known === undefined) times.set(target, [timeMs]);
    else known.push(timeMs);
  }
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

/** Makes a run of what was read. */
export function storedRun(
  store: Store,
  { id, label, urls, sliceDurationSeconds, source }: StoredRunAbout,
): { readonly run: Run; readonly problems: readonly Problem[] } {
  const run = new Run(
    {
      benchmarkId: id,
      ...(label === undefined ? {} : { label }),
      endpointsConfigured: urls,
      sliceDurationSeconds,
      inputConfig: { server_metrics: urls, ...(label === undefined ? {} : { label }), source },
    },
    store,
  );
  run.endWithLastScrape();
  return { run, problems: problemsOf(run) };
}

/** From here on a run is reported as sparse. */
const SPARSE_SECONDS = 2;

/** The usual time between two scrapes; 0 of a single one. */
function secondsApart({ times, rows }: EndpointAxis): number {
  const steps = Array.from({ length: Math.max(0, rows - 1) }, (_, i) => times.at(i + 1) - times.at(i));
  steps.sort((a, b) => a - b);
  return (steps[Math.floor(steps.length / 2)] ?? 0) / 1e9;
}

function problemsOf({ store }: Run): readonly Problem[] {
  const problems: Problem[] = [];
  const apart = Math.max(0, ...store.endpoints.map(secondsApart));
  if (apart >= SPARSE_SECONDS)
    problems.push({
      severity: "info",
      reason: `Scrapes in the store are ${apart.toFixed(0)} s apart (333 ms in a capture): estimates and verdicts rest on few scrapes, so their intervals are wide.`,
    });
  for (const axis of store.endpoints)
    if (axis.failures > 0)
      problems.push({
        severity: "warning",
        reason: `${displayName(axis.url)}: ${axis.failures} of ${axis.rows} scrapes failed or are missing in the store; they are gaps.`,
      });
  return problems;
}
