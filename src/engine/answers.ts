import { isCountedAverage } from "../core/catalog/index.js";
import { changeResults, changesOf } from "../core/insights/index.js";
import {
  offsetNs,
  type EpochNs,
  type Family,
  type MetricType,
  type SeriesId,
  type SeriesResult,
} from "../core/model/index.js";
import {
  chartSteps,
  distributionSteps,
  familySummaries,
  heatmapSteps,
  labelCounts,
  runEntries,
  runReader,
  seriesOfFamily,
  shownFamilies,
  seriesSummaries,
  SliceEstimates,
  storedChart,
  storedDistribution,
  storedEntries,
  storedFamilies,
  storedHeatmap,
  storedReader,
  storedSeries,
  type ChartData,
  type ChartQuery,
  type DistributionData,
  type FamilySummary,
  type HeatmapData,
  type HeatmapQuery,
  type LabelCount,
  type MetricReader,
  type ResultEntry,
  type SeriesSummary,
  type StoredRun,
} from "../core/query/index.js";
import { currentWindow } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";
import type { ProgressListener, RunRequests, SeriesChange } from "../protocol/index.js";

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
  distribution(query: {
    readonly family: string;
    readonly series?: readonly SeriesId[];
  }): Generator<number, DistributionData>;
}

/** @param kept what earlier questions about the same series estimated */
export function runAnswers(run: Run, kept = new SliceEstimates()): Answers {
  return {
    get origin() {
      return run.store.origin;
    },
    get seriesCount() {
      return run.store.seriesCount;
    },
    definitions: () => shownFamilies(run),
    families: () => familySummaries(run),
    labels: () => labelCounts(run.store.seriesKeys()),
    reader: () => Promise.resolve(runReader(run, currentWindow(run))),
    ...always(familyAnswers(run, kept)),
  };
}

/** @param kept what earlier questions about the same series estimated */
export function familyAnswers(run: Run, kept: SliceEstimates): FamilyAnswers {
  return {
    series: (family) => seriesSummaries(run, family),
    chart: (query) => chartSteps(run, query, kept),
    *changes({ family, series }) {
      const keys = seriesOfFamily(run, family).filter(({ id }) => series?.includes(id) !== false);
      return shownChanges(yield* changeResults(run, keys), run.store.origin);
    },
    entries: () => runEntries(run),
    heatmap: (query) => heatmapSteps(run, query),
    distribution: (query) => distributionSteps(run, query),
  };
}

/** Answers from a file's statistics, which has no samples. */
export function storedAnswers(run: StoredRun): Answers {
  return {
    origin: run.origin,
    seriesCount: run.series.length,
    definitions: () => run.families,
    families: () => storedFamilies(run),
    labels: () => labelCounts(run.series.map(({ key }) => key)),
    reader: () => Promise.resolve(storedReader(run)),
    ...always({
      series: (family) => storedSeries(run, family),
      *chart(query) {
        return storedChart(run, query);
      },
      *changes({ family, series }) {
        const own = run.series.filter(
          ({ key }) =>
            key.family.name === family && series?.includes(key.id) !== false && !isCountedAverage(key.family),
        );
        return shownChanges(
          own.map(({ result }) => result),
          run.origin,
        );
      },
      entries: () => storedEntries(run),
      *heatmap(query) {
        return storedHeatmap(run, query);
      },
      *distribution(query) {
        return storedDistribution(run, query);
      },
    }),
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
