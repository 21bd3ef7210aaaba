import {
  familyResult,
  type EndpointInfo,
  type EpochNs,
  type Family,
  type MetricType,
  type RunStatistics,
  type SeriesKey,
  type SeriesResult,
  type SeriesSamples,
} from "../model/index.js";
import type { Run } from "../store/index.js";
import { withCarried } from "./carried.js";
import { counterStatistics } from "./counter.js";
import { endpointInfo } from "./endpoint-info.js";
import { gaugeStatistics } from "./gauge.js";
import { histogramSteps } from "./histogram.js";
import { currentWindow, endpointWindow, type RunWindow } from "./run-window.js";
import { complete, type Steps } from "./steps.js";
import type { StatisticsWindow } from "./window.js";

export interface StatisticsOptions {
  /** Absent: the run's current window. */
  readonly window?: RunWindow;
  /** Absent: the run's own. */
  readonly sliceSeconds?: number;
  /** Of a family's series: by endpoint and labels (the default), or as they were first seen. */
  readonly order?: "sorted" | "seen";
  /** Absent: all families. */
  readonly only?: (family: Family) => boolean;
  /** Whose percentiles are estimated, which takes most of the time. Absent: of all histograms. */
  readonly estimated?: (family: Family) => boolean;
  /** The catalogue's unit rules. */
  readonly unitOf: (family: Family) => string | undefined;
}

/** Result of one series; undefined when it has nothing inside the window. */
export function seriesResult(
  key: SeriesKey,
  samples: SeriesSamples,
  window: StatisticsWindow,
  origin: EpochNs,
): SeriesResult | undefined {
  return complete(seriesSteps(key, samples, window, origin));
}

/** As `seriesResult`, where others may not wait for it. */
function* seriesSteps(
  key: SeriesKey,
  samples: SeriesSamples,
  window: StatisticsWindow,
  origin: EpochNs,
  estimated = true,
): Steps<SeriesResult | undefined> {
  const { endpointUrl, labels, family } = key;
  if (samples.kind === "histogram") {
    const result = yield* histogramSteps(samples, window, origin, estimated);
    return result === undefined ? undefined : { kind: "histogram", endpointUrl, labels, ...result };
  }
  if (family.type === "counter") {
    const result = counterStatistics(samples, window, origin);
    return result === undefined ? undefined : { kind: "counter", endpointUrl, labels, ...result };
  }
  const result = gaugeStatistics(samples, window, origin);
  return result === undefined ? undefined : { kind: "gauge", endpointUrl, labels, ...result };
}

/**
 * Statistics of all series. A generator, so that its caller can show progress, stay responsive and give up:
 * yields the share done, after each series and within long ones.
 * @throws RangeError for an unusable slice length
 */
export function* runStatistics(run: Run, options: StatisticsOptions): Generator<number, RunStatistics> {
  const { store } = run;
  const window = options.window ?? currentWindow(run);
  const sliceSeconds = options.sliceSeconds ?? run.sliceSeconds;
  const windows = store.endpoints.map((axis) => endpointWindow(run, axis, window, sliceSeconds));
  const results = new Map<string, { family: Family; series: SeriesResult[] }>();
  const families = new Map(store.families().map((family) => [familyKey(family), family]));
  let done = 0;
  for (const key of store.seriesKeys()) {
    if (options.only?.(key.family) === false) continue;
    const endpoint = windows[key.endpoint];
    const samples = store.read(key.id);
    const computed =
      endpoint === undefined
        ? undefined
        : yield* saying(
            done / store.seriesCount,
            seriesSteps(key, samples, endpoint, store.origin, options.estimated?.(key.family)),
          );
    const result = withCarried(run, key, samples, computed, { window, sliceSeconds });
    if (result !== undefined) {
      const name = familyKey(key.family);
      const entry = results.get(name);
      if (entry === undefined) results.set(name, { family: families.get(name) ?? key.family, series: [result] });
      else entry.series.push(result);
    }
    yield ++done / store.seriesCount;
  }
  return {
    benchmarkId: run.metadata.benchmarkId,
    startNs: window.start,
    endNs: window.end,
    ...endpointResults(run),
    inputConfig: run.metadata.inputConfig,
    families: [...results.values()]
      .map(({ family, series }) =>
        familyResult(family, options.unitOf(family), options.order === "seen" ? series : series.sort(bySeries)),
      )
      .sort((a, b) => compareText(a.name, b.name) || compareText(a.type, b.type)),
  };
}

/** The same steps, each yielding the share done. */
function* saying<T>(share: number, steps: Steps<T>): Generator<number, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield share;
  }
}

function endpointResults(run: Run) {
  const infos: (readonly [string, EndpointInfo])[] = [];
  for (const axis of run.store.endpoints) {
    const info = run.carried?.endpointInfo.get(axis.url) ?? endpointInfo(axis, run.store.origin);
    if (info !== undefined) infos.push([axis.url, info]);
  }
  for (const [url, info] of run.carried?.endpointInfo ?? [])
    if (run.store.endpoint(url) === undefined) infos.push([url, info]);
  const successful = new Set(infos.map(([url]) => url));
  const configured = run.metadata.endpointsConfigured;
  return {
    endpointsConfigured: configured,
    endpointsSuccessful: [
      ...configured.filter((url) => successful.has(url)),
      ...[...successful].filter((url) => !configured.includes(url)),
    ],
    endpointInfo: infos.sort(([a], [b]) => compareText(a, b)),
  };
}

function familyKey({ type, name }: { type: MetricType; name: string }): string {
  return `${type} ${name}`;
}

function bySeries(a: SeriesResult, b: SeriesResult): number {
  return compareText(a.endpointUrl, b.endpointUrl) || compareText(JSON.stringify(a.labels), JSON.stringify(b.labels));
}

/** By code unit, as Python sorts strings of the basic plane. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
