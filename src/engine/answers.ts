import type { EpochNs, Family, MetricType } from "../core/model/index.js";
import {
  familySummaries,
  labelCounts,
  runEntries,
  shownFamilies,
  SliceEstimates,
  StoredRun,
  viewOf,
  type FamilySummary,
  type LabelCount,
  type ResultEntry,
} from "../core/query/index.js";
import type { Run } from "../core/store/index.js";
import type { ProgressListener } from "../protocol/index.js";
import { runSteps } from "./stepper.js";

/** What questions are asked of: a run whose samples are there, on disk, or known by their statistics only. */
export interface Answers {
  /** Time of offset 0. */
  readonly origin: EpochNs;
  /** Grows when series appear. */
  readonly seriesCount: number;
  /** What earlier questions about the same series estimated. */
  readonly kept: SliceEstimates;
  definitions(): readonly Family[];
  families(): FamilySummary[];
  /** Of the series that are known so far. */
  labels(): LabelCount[];
  /** The run, once the samples of these families are there. @throws UserError; the signal's reason */
  of(families: readonly string[], signal: AbortSignal): Promise<Run | StoredRun>;
  /**
   * The run with all families of a type, as many at a time as are there together.
   * @param report called with how many families have been used, where they have to be read one by one
   * @throws UserError; the signal's reason
   */
  ofType(type: MetricType, signal: AbortSignal, report: ProgressListener): AsyncIterable<Run | StoredRun>;
}

/** The series of a family with their results, which cost the time. @throws UserError; the signal's reason */
export async function familyResults(
  answers: Answers,
  family: string,
  signal: AbortSignal,
): Promise<readonly ResultEntry[]> {
  const all = [...runEntries(await answers.of([family], signal))];
  const entries = all.filter(({ key }) => key.family.name === family);
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

/** Of a run that is there as a whole. @param kept what earlier questions about the same series estimated */
export function runAnswers(run: Run | StoredRun, kept = new SliceEstimates()): Answers {
  return {
    kept,
    get origin() {
      return viewOf(run).origin;
    },
    get seriesCount() {
      return run instanceof StoredRun ? run.series.length : run.store.seriesCount;
    },
    definitions: () => shownFamilies(run),
    families: () => familySummaries(run),
    labels: () => labelCounts(viewOf(run).keys()),
    of: () => Promise.resolve(run),
    // eslint-disable-next-line @typescript-eslint/require-await -- there is nothing to wait for
    async *ofType() {
      yield run;
    },
  };
}
