import { isCountedAverage } from "../core/catalog/index.js";
import { changeResults, changesOf } from "../core/insights/index.js";
import { offsetNs, type EpochNs, type Family, type MetricType, type SeriesResult } from "../core/model/index.js";
import {
  chartSteps,
  distributionSteps,
  familySummaries,
  heatmapSteps,
  isAsked,
  labelCounts,
  metricReader,
  runEntries,
  seriesOfFamily,
  shownFamilies,
  seriesSummaries,
  SliceEstimates,
  StoredRun,
  viewOf,
  type ChartData,
  type ChartQuery,
  type DistributionData,
  type FamilySummary,
  type HeatmapData,
  type HeatmapQuery,
  type LabelCount,
  type MetricReader,
  type ResultEntry,
  type SeriesQuery,
  type SeriesSummary,
} from "../core/query/index.js";
import type { Run } from "../core/store/index.js";
import type { ProgressListener, RunRequests, SeriesChange } from "../protocol/index.js";
import { runSteps } from "./stepper.js";

/** What views ask of a run, whether its samples are there, on disk, or known by their statistics only. */
export interface Answers {
  /** Time of offset 0. */
  readonly origin: EpochNs;
  /** Grows when series appear. */
  readonly seriesCount: number;
  definitions(): readonly Family[];
  families(): FamilySummary[];
  /** Of the series that are known so far. */
  labels(): LabelCount[];
  /** Waits until a family's samples are there. @throws UserError; the signal's reason */
  of(family: string, signal: AbortSignal): Promise<FamilyAnswers>;
  /** Reads metrics over the window, once these families' samples are there. @throws UserError; the signal's reason */
  reader(families: readonly string[], signal: AbortSignal): Promise<MetricReader>;
  /**
   * All families of a type, as many at a time as are there together.
   * @param report called with how many families the answers have been used, where they have to be read one by one
   * @throws UserError; the signal's reason
   */
  ofType(type: MetricType, signal: AbortSignal, report: ProgressListener): AsyncIterable<FamilyAnswers>;
}

/** Answers about families that are there. Generators yield the share done. */
export interface FamilyAnswers {
  series(family: string): SeriesSummary[];
  chart(query: ChartQuery): Generator<number, ChartData>;
  changes(query: RunRequests["changes"]["params"]): Generator<number, readonly SeriesChange[]>;
  entries(): Iterable<ResultEntry>;
  heatmap(query: HeatmapQuery): Generator<number, HeatmapData>;
  distribution(query: SeriesQuery): Generator<number, DistributionData>;
}

/** The series of a family with their results, which cost the time. @throws UserError; the signal's reason */
export async function familyResults(
  answers: Answers,
  family: string,
  signal: AbortSignal,
): Promise<readonly ResultEntry[]> {
  const entries = [...(await answers.of(family, signal)).entries()].filter(({ key }) => key.family.name === family);
  function* steps(): Generator<number, readonly ResultEntry[]> {
    const found: ResultEntry[] = [];
    for (const entry of entries) {
      const result = entry.result();
      found.push({ ...entry, result: () => result });
      yield found.length / entries.length;
    }
    return found;
  }
  return runSteps(steps(), signal);
}

/** @param kept what earlier questions about the same series estimated */
export function runAnswers(run: Run | StoredRun, kept = new SliceEstimates()): Answers {
  return {
    get origin() {
      return viewOf(run).origin;
    },
    get seriesCount() {
      return run instanceof StoredRun ? run.series.length : run.store.seriesCount;
    },
    definitions: () => shownFamilies(run),
    families: () => familySummaries(run),
    labels: () => labelCounts(viewOf(run).keys()),
    reader: () => Promise.resolve(metricReader(run)),
    ...always(familyAnswers(run, kept)),
  };
}

/** @param kept what earlier questions about the same series estimated */
export function familyAnswers(run: Run | StoredRun, kept: SliceEstimates): FamilyAnswers {
  return {
    series: (family) => seriesSummaries(run, family),
    chart: (query) => chartSteps(run, query, kept),
    *changes(query) {
      const keys = seriesOfFamily(run, query.family).filter((key) => isAsked(key, query));
      const results =
        run instanceof StoredRun
          ? keys.flatMap((key) => (isCountedAverage(key.family) ? [] : (run.resultOf(key) ?? [])))
          : yield* changeResults(run, keys);
      return shownChanges(results, viewOf(run).origin);
    },
    entries: () => runEntries(run),
    heatmap: (query) => heatmapSteps(run, query),
    distribution: (query) => distributionSteps(run, query),
  };
}

/** Of a run that is there as a whole. */
function always(answers: FamilyAnswers): Pick<Answers, "of" | "ofType"> {
  return {
    of: () => Promise.resolve(answers),
    // eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for
    async *ofType() {
      yield answers;
    },
  };
}

/** Changes as a view shows them. @param origin time of offset 0 */
function shownChanges(series: readonly SeriesResult[], origin: EpochNs): readonly SeriesChange[] {
  const offset = (time: EpochNs) => offsetNs(Number(time - origin));
  return changesOf(series).flatMap(({ endpointUrl, labels, changes }) =>
    changes.map(({ startNs, ...change }): SeriesChange => {
      const base = { endpointUrl, labels, start: offset(startNs) };
      if (change.kind === "level-change") return { ...base, ...change };
      const { endNs, ...outlier } = change;
      return { ...base, ...outlier, end: offset(endNs) };
    }),
  );
}
