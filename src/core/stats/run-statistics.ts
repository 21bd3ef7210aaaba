import {
  familyResult,
  type EndpointInfo,
  type EpochNs,
  type Family,
  type FamilyResult,
  type MetricType,
  type RunFacts,
  type RunStatistics,
  type SeriesKey,
  type SeriesResult,
  type SeriesSamples,
} from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import { Scratch, type Run } from "../store/index.js";
import { readSeries } from "./born.js";
import { withFileStatistics } from "./file-statistics.js";
import { counterStatistics } from "./counter.js";
import { endpointInfo } from "./endpoint-info.js";
import { gaugeStatistics } from "./gauge.js";
import { histogramSteps, type HistogramDetail } from "./histogram.js";
import { currentWindow, endpointWindow, type RunWindow, type StatisticsWindow } from "./window.js";
import { complete, reporting, type Steps } from "./steps.js";

export interface StatisticsOptions {
  /** Absent: the run's current window. */
  readonly window?: RunWindow;
  /** Absent: the run's own. */
  readonly sliceSeconds?: number;
  /** Of a family's series: by endpoint and labels (the default), or as they were first seen. */
  readonly order?: "sorted" | "seen";
  /** Absent: all families, with all of their series. */
  readonly only?: (family: Family, key: SeriesKey) => boolean;
  /**
   * Whose percentiles are estimated, and whose slices have buckets, which takes most of the time. Absent: of all
   * histograms.
   */
  readonly estimated?: (family: Family) => boolean;
  /** A family as views read it. Absent: as its server types it, as artifacts have it. */
  readonly shown?: (family: Family) => Family;
  /** The catalogue's unit rules. */
  readonly unitOf: (family: Family) => string | undefined;
}

/** Result of one series; undefined when it has nothing inside the window. @param scratch for what lies between */
export function seriesResult(
  key: SeriesKey,
  samples: SeriesSamples,
  window: StatisticsWindow,
  origin: EpochNs,
  scratch?: Scratch,
): SeriesResult | undefined {
  return complete(seriesSteps(key, samples, window, origin, "estimates", scratch));
}

/** As `seriesResult`, where others may not wait for it. */
function* seriesSteps(
  key: SeriesKey,
  samples: SeriesSamples,
  window: StatisticsWindow,
  origin: EpochNs,
  detail: HistogramDetail,
  scratch?: Scratch,
): Steps<SeriesResult | undefined> {
  const { endpointUrl, labels, family } = key;
  if (samples.kind === "histogram") {
    const result = yield* histogramSteps(samples, window, origin, detail, scratch);
    return result === undefined ? undefined : { kind: "histogram", endpointUrl, labels, ...result };
  }
  if (family.type === "counter") {
    const result = counterStatistics(samples, window, origin);
    return result === undefined ? undefined : { kind: "counter", endpointUrl, labels, ...result };
  }
  const result = gaugeStatistics(samples, window, origin);
  return result === undefined ? undefined : { kind: "gauge", endpointUrl, labels, ...result };
}

/** A family with its series, in the order of the artifacts. */
export interface FamilyKeys {
  readonly family: Family;
  readonly keys: readonly SeriesKey[];
}

/** The families of a run by name and type, the series of each in the order asked for. */
export function familiesInOrder(run: Run, { only, order }: Pick<StatisticsOptions, "only" | "order">): FamilyKeys[] {
  const described = new Map(run.store.families().map((family) => [familyKey(family), family]));
  const groups = new Map<string, { readonly family: Family; readonly keys: SeriesKey[] }>();
  for (const key of run.store.seriesKeys()) {
    if (only?.(key.family, key) === false) continue;
    const name = familyKey(key.family);
    getOrInsert(groups, name, () => ({ family: described.get(name) ?? key.family, keys: [] })).keys.push(key);
  }
  return [...groups.values()]
    .map(({ family, keys }) => ({ family, keys: order === "seen" ? keys : sortedSeries(keys) }))
    .sort((a, b) => compareText(a.family.name, b.family.name) || compareText(a.family.type, b.family.type));
}

/** Statistics of single series of a run over one window, one series after the other. */
export class SeriesStatistics {
  /** By endpoint. */
  readonly windows: readonly StatisticsWindow[];
  private readonly scratch = new Scratch();

  constructor(
    private readonly run: Run,
    private readonly over: { readonly window: RunWindow; readonly sliceSeconds: number },
  ) {
    this.windows = run.store.endpoints.map((axis) => endpointWindow(run, axis, over.window, over.sliceSeconds));
  }

  /** Undefined of a series that has nothing inside the window. No other may be begun before its last step. */
  *of(key: SeriesKey, detail: HistogramDetail = "estimates"): Steps<SeriesResult | undefined> {
    const scratch = this.scratch.begin();
    return yield* this.ofSamples(key, readSeries(this.run.store, key, scratch), detail, scratch);
  }

  /** As `of`, of samples that were read already. */
  *ofSamples(
    key: SeriesKey,
    samples: SeriesSamples,
    detail: HistogramDetail = "estimates",
    scratch?: Scratch,
  ): Steps<SeriesResult | undefined> {
    const { run, windows, over } = this;
    const window = windows[key.endpoint];
    if (window === undefined) return undefined;
    const computed = yield* seriesSteps(key, samples, window, run.store.origin, detail, scratch);
    return withFileStatistics(run, key, samples, computed, over.window, window.start);
  }
}

/**
 * Statistics of all series. A generator, so that its caller can show progress, stay responsive and give up:
 * yields the share done, after each series and within long ones.
 * @throws RangeError for an unusable slice length
 */
export function* runStatistics(run: Run, options: StatisticsOptions): Generator<number, RunStatistics> {
  const { store } = run;
  const window = options.window ?? currentWindow(run);
  const statistics = new SeriesStatistics(run, { window, sliceSeconds: options.sliceSeconds ?? run.sliceSeconds });
  const families: FamilyResult[] = [];
  let done = 0;
  for (const { family: own, keys } of familiesInOrder(run, options)) {
    const family = options.shown?.(own) ?? own;
    const series: SeriesResult[] = [];
    for (const key of keys) {
      const before = done / store.seriesCount;
      const asked = family === own ? key : { ...key, family };
      const result = yield* reporting(
        statistics.of(asked, options.estimated?.(key.family) === false ? "counts" : "estimates"),
        () => before,
      );
      if (result !== undefined) series.push(result);
      yield ++done / store.seriesCount;
    }
    if (series.length > 0) families.push(familyResult(family, options.unitOf(family), series));
  }
  return { ...runFacts(run, window), families };
}

/** What is said of a run beside its families. */
export function runFacts(run: Run, { start, end }: RunWindow): RunFacts {
  const { benchmarkId, inputConfig } = run.metadata;
  return { benchmarkId, startNs: start, endNs: end, ...endpointResults(run), inputConfig };
}

function endpointResults(run: Run) {
  const infos: (readonly [string, EndpointInfo])[] = [];
  for (const axis of run.store.endpoints) {
    const info = run.fileStatistics?.endpointInfo.get(axis.url) ?? endpointInfo(axis, run.store.origin);
    if (info !== undefined) infos.push([axis.url, info]);
  }
  for (const [url, info] of run.fileStatistics?.endpointInfo ?? [])
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

/** By endpoint and labels. */
function sortedSeries(keys: readonly SeriesKey[]): readonly SeriesKey[] {
  const texts = keys.map((key) => ({ key, labels: JSON.stringify(key.labels) }));
  texts.sort((a, b) => compareText(a.key.endpointUrl, b.key.endpointUrl) || compareText(a.labels, b.labels));
  return texts.map(({ key }) => key);
}

/** By code unit, as Python sorts strings of the basic plane. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
