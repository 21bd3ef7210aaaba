import type { Family, RunStatistics } from "../model/index.js";
import { familyUnit, isCountedAverage, shownFamily } from "../catalog/index.js";
import {
  complete,
  estimateQuantiles,
  intervalsWithin,
  currentWindow,
  runStatistics,
  SeriesStatistics,
  type IntervalSequence,
  type RunWindow,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { viewOf } from "./sampled.js";
import { StoredRun } from "./stored.js";
import { SLICE_QUANTILES } from "./estimate-cells.js";
import type { ResultEntry } from "./tables.js";

/** The statistics of a run's families as they are shown; artifacts have those of the server's own types. */
export function shownStatistics(run: Run, window = currentWindow(run)): Generator<number, RunStatistics> {
  const shown = (family: Family) => shownFamily(family, run);
  return runStatistics(run, { unitOf: familyUnit, shown, window });
}

/** The series of a run with their results. @param window and slices of samples; absent: the run's own */
export function* runEntries(run: Run | StoredRun, window?: RunWindow, sliceSeconds?: number): Iterable<ResultEntry> {
  if (run instanceof StoredRun) yield* run.entries();
  else yield* sampledEntries(run, window, sliceSeconds);
}

function* sampledEntries(
  run: Run,
  window = currentWindow(run),
  sliceSeconds = run.sliceSeconds,
): Iterable<ResultEntry> {
  const statistics = new SeriesStatistics(run, { window, sliceSeconds });
  const view = viewOf(run);
  const { origin } = view;
  for (const key of view.keys()) {
    let sequence: IntervalSequence | undefined;
    yield {
      key,
      result: (estimated) =>
        isCountedAverage(key.family)
          ? undefined
          : complete(statistics.of(key, estimated === false ? "counts" : "estimates")),
      sliceQuantiles: (slice) => {
        sequence ??= view.observed(key);
        if (sequence === undefined || sequence.uppers.length === 0 || slice.count === 0) return [];
        const within = intervalsWithin(sequence, Number(slice.start_ns - origin), Number(slice.end_ns - origin));
        return estimateQuantiles(within, SLICE_QUANTILES);
      },
    };
  }
}
