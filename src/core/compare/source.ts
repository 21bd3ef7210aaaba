import {
  amountOf,
  clientLoad,
  isoText,
  NS_PER_SECOND,
  offsetNs,
  measuredLoad,
  toEpoch,
  type EndpointInfo,
  type EpochNs,
  type Family,
  type Labels,
  type LoadWindow,
} from "../model/index.js";
import { groupBy } from "../math/index.js";
import type { JsonObject } from "../text/index.js";
import {
  aboutServers,
  canonicalName,
  isCountedAverage,
  isStaticFamily,
  repeatsCounter,
  familyOfResult,
  shownKeys,
  shownRoles,
  type Role,
} from "../catalog/index.js";
import { currentWindow, meanInterval, readSeries, SeriesStatistics } from "../stats/index.js";
import { Scratch, type Run, type Store } from "../store/index.js";
import { measurable, type Measurable } from "./measured.js";
import { gridOfResults, slicesOfResult, slicesOfSamples, type SeriesSlices, type SliceGrid } from "./slices/slices.js";
import type { ComparedRun, RunSummary } from "./types.js";

/** One series of a run, whatever kind of artifact it comes from. */
export interface SourceSeries extends Measurable {
  readonly family: Family;
  readonly canonical: string;
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** Undefined when there is nothing inside the window, or no slices. */
  readonly slices: (grid: SliceGrid) => SeriesSlices | undefined;
}

/** A run as comparisons see it. */
export interface MeasuredRun {
  readonly run: ComparedRun;
  readonly benchmarkId: string;
  readonly start: EpochNs;
  /** Of what is compared: a run's samples may end before its window does. */
  readonly end: EpochNs;
  /** Of its window; absent where a file does not tell one. */
  readonly window?: { readonly start: EpochNs; readonly end: EpochNs };
  /**
   * From the first scrape to the window; absent where a file tells no first scrape: then it does not tell what was cut
   * off either.
   */
  readonly warmupSeconds?: number;
  /** Mean time between scrapes. */
  readonly intervalSeconds: number;
  /**
   * By what its window was found: the load generator's file, the servers' activity, or all that was captured; absent
   * where a file does not tell, and for a window that somebody named or chose.
   */
  readonly windowBy?: LoadWindow["by"] | "all";
  readonly inputConfig: JsonObject;
  readonly endpoints: readonly string[];
  /** Of its endpoints by URL, where it is disaggregated. */
  readonly roles: ReadonlyMap<string, Role>;
  readonly servers: readonly string[];
  readonly models: readonly string[];
  /** Series that change; those that only describe the server are in `facts`. */
  readonly series: readonly SourceSeries[];
  /** What the server says of itself: name → value. */
  readonly facts: ReadonlyMap<string, string>;
  /** Slices of this length; `seconds` is given by the file itself when it has no samples. */
  readonly grid: (seconds: number) => SliceGrid;
  /** Slice length of a file without samples; undefined for one with samples, 0 without slices. */
  readonly ownSliceSeconds?: number;
}

/** What a file of a run was opened as. */
type Opened = (
  | Pick<Extract<ComparedRun, { kind: "samples" }>, "kind" | "run">
  | Pick<Extract<ComparedRun, { kind: "statistics" }>, "kind" | "statistics">
) & { readonly clients?: Parameters<typeof clientLoad>[0] };

/** A run that was opened, as it is compared. */
export function comparedRun(label: string, opened: Opened): ComparedRun {
  const own = { label, clientLoad: clientLoad(opened.clients ?? []) };
  return opened.kind === "samples"
    ? { kind: "samples", ...own, run: opened.run }
    : { kind: "statistics", ...own, statistics: opened.statistics };
}

/** A run as the comparison reads it, from its samples or from statistics alone. */
export function sourceOf(run: ComparedRun): MeasuredRun {
  return run.kind === "samples" ? sampleSource(run) : statisticsSource(run);
}

/** Length of the window that is compared, seconds. */
export function windowSeconds({ start, end }: Pick<MeasuredRun, "start" | "end">): number {
  return Number(end - start) / NS_PER_SECOND;
}

function sampleSource(compared: Extract<ComparedRun, { kind: "samples" }>): MeasuredRun {
  const { run, known } = compared;
  const { store } = run;
  const window = currentWindow(run);
  const newest = toEpoch(run.newest, store.origin);
  const start = window.start;
  const end = window.end < newest ? window.end : newest;
  const scratch = new Scratch();
  const statistics = new SeriesStatistics(run, { window, sliceSeconds: 0 });
  const series = [...shownKeys(run)].map((key): FoundSeries => ({
    ...measurable(run, key, statistics, known),
    family: key.family,
    endpointUrl: key.endpointUrl,
    labels: key.labels,
    value: () => store.last(key.id),
    slices: (grid) => {
      const compute = () => slicesOfSamples(readSeries(store, key, scratch.begin()), key.family.type, grid);
      return known === undefined ? compute() : known.slices.get(key.id, grid, compute);
    },
  }));
  return {
    run: compared,
    benchmarkId: run.metadata.benchmarkId,
    start,
    end,
    window: { start, end: window.end },
    ...windowBy(window.kind === "load" ? run.load : liveLoad(run), run.metadata.inputConfig, {
      isChosen: run.chosenWindow !== undefined || run.hasNamedProfiling,
      start,
      first:
        run.fileStatistics === undefined
          ? firstScrape(store)
          : firstFetch([...run.fileStatistics.endpointInfo.values()]),
    }),
    intervalSeconds: meanInterval(store.endpoints, Number(start - store.origin), Number(end - store.origin)),
    inputConfig: run.metadata.inputConfig,
    endpoints: store.endpoints.map((axis) => axis.url),
    ...ofSeries(series),
    grid: (seconds) => cut(Number(start - store.origin), Number(end - start), seconds),
  };
}

/** A series, whether it is compared or not. */
interface FoundSeries extends Omit<SourceSeries, "canonical"> {
  /** The last one of a run with samples, else what its statistics hold. */
  readonly value: () => number;
}

/** What all series say of their servers, and those of them that are compared. */
function ofSeries(all: readonly FoundSeries[]): Pick<MeasuredRun, "roles" | "servers" | "models" | "facts" | "series"> {
  const names = new Set(all.map(({ family }) => family.name));
  const told = all.map(({ family, endpointUrl, labels, value }) => ({
    ...{ name: family.name, endpointUrl, labels },
    ...(family.type === "counter" ? { total: value() } : {}),
  }));
  return {
    roles: shownRoles(groupBy(told, ({ endpointUrl }) => endpointUrl)),
    ...aboutServers(all),
    series: all
      .filter(
        ({ family }) => !isStaticFamily(family.name) && !repeatsCounter(family, names) && !isCountedAverage(family),
      )
      .map((one) => ({ ...one, canonical: canonicalName(one.family.name) })),
  };
}

type FoundLoad = Pick<LoadWindow, "by" | "start" | "warmup">;

/** Of a capture under way, whose load has no end yet. */
function liveLoad({ measuredFrom, profilingStart }: Run): FoundLoad | undefined {
  return measuredFrom > profilingStart ? { by: "activity", start: measuredFrom } : undefined;
}

/** By what the window was found, and the warm-up before it. @param first scrape, where it is known */
function windowBy(
  load: FoundLoad | undefined,
  { collection_interval_ms: interval }: JsonObject,
  {
    isChosen,
    start,
    first,
  }: { readonly isChosen: boolean; readonly start: EpochNs; readonly first?: EpochNs | undefined },
): Pick<MeasuredRun, "windowBy" | "warmupSeconds"> {
  // Only captures of this tool have the interval: other files are of windows that somebody gave.
  const by = load?.by ?? (isChosen || interval === undefined ? undefined : "all");
  // What lies before the load is no warm-up; a load generator sends its own before its load.
  const begins = load?.warmup?.load.start ?? (load?.by === "activity" ? load.start : first);
  return {
    ...(by === undefined ? {} : { windowBy: by }),
    ...(begins === undefined ? {} : { warmupSeconds: Math.max(0, Number(start - begins) / NS_PER_SECOND) }),
  };
}

function firstScrape({ endpoints, origin }: Store): EpochNs | undefined {
  const first = endpoints.reduce(
    (least, axis) => (axis.rows === 0 ? least : Math.min(least, axis.times.at(axis.timeOrder()?.[0] ?? 0))),
    Infinity,
  );
  return first === Infinity ? undefined : toEpoch(offsetNs(first), origin);
}

function firstFetch(infos: readonly EndpointInfo[]): EpochNs | undefined {
  return infos
    .map((info) => info.first_fetch_ns)
    .reduce<EpochNs | undefined>((least, time) => (least === undefined || time < least ? time : least), undefined);
}

function statisticsSource(compared: Extract<ComparedRun, { kind: "statistics" }>): MeasuredRun {
  const { statistics } = compared;
  const { startNs, endNs } = statistics;
  const results = statistics.families.flatMap((one) => {
    const family = familyOfResult(one);
    return one.series.map((result) => ({ family, result }));
  });
  const grid = gridOfResults(
    results.map(({ result }) => result),
    startNs,
    endNs,
  );
  const series = results.map(({ family, result }): FoundSeries => ({
    family,
    endpointUrl: result.endpointUrl,
    labels: result.labels,
    value: () => amountOf(result),
    slices: () => slicesOfResult(result, startNs, grid),
    result: () => result,
    amount: () => amountOf(result),
    sequence: () => undefined,
  }));
  const infos = statistics.endpointInfo.map(([, info]) => info);
  return {
    run: compared,
    benchmarkId: statistics.benchmarkId,
    start: startNs,
    end: endNs,
    ...(endNs > startNs ? { window: { start: startNs, end: endNs } } : {}),
    ...windowBy(measuredLoad(statistics), statistics.inputConfig, {
      isChosen: statistics.phase !== undefined,
      start: startNs,
      first: firstFetch(infos),
    }),
    intervalSeconds: Math.max(0, ...infos.map((info) => info.duration_seconds / Math.max(1, info.total_fetches - 1))),
    inputConfig: statistics.inputConfig,
    endpoints: statistics.endpointsSuccessful,
    ...ofSeries(series),
    grid: () => grid,
    ownSliceSeconds: grid.length / NS_PER_SECOND,
  };
}

function cut(start: number, window: number, seconds: number): SliceGrid {
  const length = seconds * NS_PER_SECOND;
  return { start, length, count: length > 0 ? Math.floor(window / length + 1e-6) : 0 };
}

/** What a comparison says of a run. @param restarted how many series restarted inside the window */
export function summaryOf(source: MeasuredRun, load: string, grid: SliceGrid, restarted: number): RunSummary {
  return {
    label: source.run.label,
    benchmarkId: source.benchmarkId,
    kind: source.run.kind,
    start: isoText(source.start),
    end: isoText(source.end),
    seconds: windowSeconds(source),
    ...(source.warmupSeconds === undefined ? {} : { warmupSeconds: source.warmupSeconds }),
    endpoints: source.endpoints,
    servers: source.servers,
    models: source.models,
    load,
    sliceSeconds: grid.length / NS_PER_SECOND,
    slices: grid.count,
    restarted,
  };
}
