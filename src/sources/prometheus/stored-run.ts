import {
  displayName,
  durationNs,
  epochNs,
  urlOfInstance,
  type JsonObject,
  type Problem,
  type SampleBatch,
} from "../../core/model/index.js";
import type { Roles } from "../../core/exposition/index.js";
import { Run, Store, type EndpointAxis } from "../../core/store/index.js";
import type { StoredSamples } from "./samples.js";
import { StoredTarget } from "./target.js";

export interface StoredRunAbout {
  readonly id: string;
  readonly label?: string;
  readonly sliceDurationSeconds: number;
  /** What `input_config` says of where the run comes from. */
  readonly source: JsonObject;
  /** Endpoint of series that have no `instance`, such as those of recording rules. */
  readonly storeUrl: string;
}

const NOTHING: SampleBatch = { defs: [], ids: new Int32Array(0), values: new Float64Array(0), length: 0 };

/** Makes a run of what a store holds: an endpoint for each `instance`, a scrape for each time that has samples. */
export function storedRun(
  series: readonly StoredSamples[],
  roles: Roles,
  { id, label, sliceDurationSeconds, source, storeUrl }: StoredRunAbout,
): { readonly run: Run; readonly problems: readonly Problem[] } {
  const targets = new Map<string, StoredTarget>();
  let withoutInstance = 0;
  for (const samples of series) {
    const { instance } = samples.labels;
    if (instance === undefined) withoutInstance++;
    const url = instance === undefined ? `${storeUrl}/metrics` : urlOfInstance(instance);
    let target = targets.get(url);
    if (target === undefined) targets.set(url, (target = new StoredTarget(url)));
    target.add(samples, roles);
  }
  const urls = [...targets.keys()].sort();
  const store = new Store();
  append(store, [...targets.values()]);
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
  return { run, problems: problemsOf(run, withoutInstance, storeUrl) };
}

/** The scrapes of all endpoints in time order, as a capture would have appended them, and then their samples. */
function append(store: Store, targets: readonly StoredTarget[]): void {
  const rows = targets.flatMap((target) => target.scrapes().map((scrape) => ({ url: target.url, ...scrape })));
  rows.sort((a, b) => a.timeMs - b.timeMs);
  const times = new Map<string, number[]>(targets.map(({ url }) => [url, []]));
  for (const { url, timeMs, latencyNs, failure } of rows) {
    const time = epochNs(BigInt(timeMs) * 1_000_000n);
    times.get(url)?.push(timeMs);
    store.append({
      endpointUrl: url,
      time,
      latency: durationNs(latencyNs),
      requestSent: time,
      outcome:
        failure === undefined
          ? { kind: "samples", batch: NOTHING }
          : { kind: "failed", error: { type: "other", message: failure } },
    });
  }
  for (const target of targets) target.fill(store, Float64Array.from(times.get(target.url) ?? []));
}

/** From here on a run is reported as sparse. */
const SPARSE_SECONDS = 2;

/** The usual time between two scrapes; 0 of a single one. */
function secondsApart({ times, rows }: EndpointAxis): number {
  const steps = Array.from({ length: Math.max(0, rows - 1) }, (_, i) => times.at(i + 1) - times.at(i));
  steps.sort((a, b) => a - b);
  return (steps[Math.floor(steps.length / 2)] ?? 0) / 1e9;
}

function problemsOf({ store }: Run, withoutInstance: number, storeUrl: string): readonly Problem[] {
  const problems: Problem[] = [];
  const apart = Math.max(0, ...store.endpoints.map(secondsApart));
  if (apart >= SPARSE_SECONDS)
    problems.push({
      severity: "info",
      reason: `Scrapes in the store are ${apart.toFixed(0)} s apart (333 ms in a capture): estimates and verdicts rest on few scrapes, so their intervals are wide.`,
    });
  if (withoutInstance > 0)
    problems.push({
      severity: "info",
      reason: `${withoutInstance} series have no instance label and are listed under ${displayName(storeUrl)}.`,
    });
  for (const axis of store.endpoints)
    if (axis.failures > 0)
      problems.push({
        severity: "warning",
        reason: `${displayName(axis.url)}: ${axis.failures} of ${axis.rows} scrapes failed or are missing in the store; they are gaps.`,
      });
  return problems;
}
