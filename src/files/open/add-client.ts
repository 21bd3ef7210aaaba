import { randomUUID } from "node:crypto";
import { UserError } from "../../core/text/errors.js";
import { familyUnit } from "../../core/catalog/index.js";
import { addClientSeries, spanOf, type ClientResult } from "../../core/client/index.js";
import {
  epochNs,
  toEpoch,
  type EpochNs,
  type Problem,
  type RunStatistics,
  type TimeRange,
  noteOf,
} from "../../core/model/index.js";
import { Run, Store } from "../../core/store/index.js";
import { complete, runStatistics, type RunWindow } from "../../core/stats/index.js";
import { clientOf, readClientRun } from "./client.js";
import type { Neighbours } from "./neighbours.js";
import type { OpenOptions } from "./types.js";

/** What was found of a client, and what is to be said about it. */
export interface WithClient {
  readonly clients: readonly ClientResult[];
  readonly notices: readonly Problem[];
}

/**
 * Gives a run of samples the metrics of the client that loaded its servers.
 * @param newest time of the run's last sample
 * @throws as `clientOf`
 */
export async function addClientToRun(
  path: string,
  run: Run,
  options: OpenOptions,
  neighbours?: Neighbours,
  newest: EpochNs = toEpoch(run.newest, run.store.origin),
): Promise<WithClient> {
  const { origin } = run.store;
  const { results, notices } = await clientOf(path, { start: origin, end: newest }, options, neighbours);
  addClientSeries(run.store, results, { start: run.profilingStart, end: run.profilingEnd ?? newest });
  return { clients: results, notices };
}

/** As `addClientToRun`, of statistics: those of the client over the same window and slices. */
export async function addClientToStatistics(
  path: string,
  statistics: RunStatistics,
  options: OpenOptions,
  neighbours: Neighbours,
): Promise<WithClient & { readonly statistics: RunStatistics }> {
  const { results, notices } = await clientOf(
    path,
    { start: statistics.startNs, end: statistics.endNs },
    options,
    neighbours,
  );
  if (results.length === 0) return { clients: [], notices, statistics };
  const known = statistics.endNs > 0n;
  const span = known ? { start: statistics.startNs, end: statistics.endNs } : spanOfAll(results);
  const own = clientStatistics(results, { ...span, kind: "recorded" }, sliceSecondsOf(statistics));
  return {
    clients: results,
    notices,
    statistics: {
      ...statistics,
      endpointsConfigured: [...statistics.endpointsConfigured, ...own.endpointsSuccessful],
      endpointsSuccessful: [...statistics.endpointsSuccessful, ...own.endpointsSuccessful],
      endpointInfo: [...statistics.endpointInfo, ...own.endpointInfo],
      families: [...statistics.families, ...own.families].sort((a, b) =>
        a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
      ),
    },
  };
}

/**
 * The run of a client alone: its requests as samples, or the statistics that it wrote.
 * @throws UserError when the file holds neither; the signal's reason
 */
export async function openClient(path: string, options: OpenOptions) {
  const { results, notices } = await readClientRun(path, options);
  const [first] = results;
  if (first === undefined) throw new UserError(`${path} holds no result of a benchmark.`);
  const benchmarkId = results.flatMap((result) => result.benchmarkId ?? [])[0];
  const span = spanOfAll(results);
  const run = runOf(results, span, benchmarkId);
  if (run.store.seriesCount === 0) throw new UserError(`${path} holds neither requests nor statistics of a benchmark.`);
  const found = {
    clients: results,
    notices: [...notices, NO_SERVER],
    ...(benchmarkId === undefined ? {} : { benchmarkId }),
  };
  if (results.some(({ requests }) => requests.length > 0)) return { kind: "samples" as const, run, ...found };
  const statistics = complete(runStatistics(run, { unitOf: familyUnit }));
  return { kind: "statistics" as const, statistics, phases: [], ...found };
}

const NO_SERVER: Problem = noteOf("This is the client's side only: there are no server metrics beside it.");

function runOf(results: readonly ClientResult[], span: TimeRange, benchmarkId: string | undefined): Run {
  const store = new Store();
  addClientSeries(store, results, span);
  const [first] = results;
  const run = new Run(
    {
      benchmarkId: benchmarkId ?? randomUUID(),
      endpointsConfigured: store.endpoints.map(({ url }) => url),
      sliceDurationSeconds: first?.slices?.seconds ?? 5,
      inputConfig: {},
      ...(first?.label === undefined ? {} : { label: first.label }),
    },
    store,
  );
  run.setProfilingStart(span.start);
  run.setProfilingEnd(span.end);
  return run;
}

function clientStatistics(results: readonly ClientResult[], window: RunWindow, sliceSeconds: number): RunStatistics {
  const run = runOf(results, window, undefined);
  return complete(runStatistics(run, { unitOf: familyUnit, window, sliceSeconds }));
}

/** From the first start to the last end of all requests; of statistics alone the end of the run, if known. */
function spanOfAll(results: readonly ClientResult[]): { readonly start: EpochNs; readonly end: EpochNs } {
  const span = spanOf(results.flatMap(({ requests }) => requests));
  if (span !== undefined) return span;
  const end = results.flatMap(({ localEnd }) => localEnd ?? [])[0] ?? epochNs(0n);
  const seconds = results[0]?.durationSeconds ?? 0;
  const start = epochNs(end - BigInt(Math.round(seconds * 1e9)));
  return { start: start < 0n ? end : start, end };
}

function sliceSecondsOf({ families }: RunStatistics): number {
  for (const { series } of families)
    for (const { slices } of series) {
      const slice = slices?.[0];
      if (slice !== undefined) return Number(slice.end_ns - slice.start_ns) / 1e9;
    }
  return 5;
}
