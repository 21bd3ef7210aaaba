import type { Family, RunStatistics, SeriesSamples } from "../model/index.js";
import { familyUnit, isCountedAverage, shownFamily, shownKeys } from "../catalog/index.js";
import {
  complete,
  estimateQuantiles,
  intervalsWithin,
  joinSegments,
  currentWindow,
  readSeries,
  risesOf,
  runStatistics,
  SeriesStatistics,
  type IntervalSequence,
  type RunWindow,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { StoredRun } from "./stored.js";
import { SLICE_QUANTILES, type ResultEntry } from "./tables.js";

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
  const { origin } = run.store;
  for (const key of shownKeys(run)) {
    let sequence: IntervalSequence | undefined;
    yield {
      key,
      result: (estimated) => (isCountedAverage(key.family) ? undefined : complete(statistics.of(key, estimated))),
      sliceQuantiles: (slice) => {
        sequence ??= sequenceOf(readSeries(run.store, key));
        if (sequence === undefined || sequence.uppers.length === 0 || slice.count === 0) return [];
        const within = intervalsWithin(sequence, Number(slice.start_ns - origin), Number(slice.end_ns - origin));
        return estimateQuantiles(within, SLICE_QUANTILES);
      },
    };
  }
}

function sequenceOf(samples: SeriesSamples): IntervalSequence | undefined {
  const track = samples.kind === "histogram" ? joinSegments(samples) : undefined;
  return track === undefined ? undefined : risesOf(track).sequence;
}
