import type { RunStatistics, TimeRange, WarmupStatistics } from "../model/index.js";
import {
  compareText,
  currentWindow,
  endpointInfo,
  runStatistics,
  type RunWindow,
  type StatisticsOptions,
  reporting,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { runPhases, type RunPhase } from "./run-phases.js";

/** The windows that a JSON artifact is over: its own and, apart from it, that of the warm-up. */
export interface ArtifactWindows {
  readonly window: RunWindow;
  readonly phase?: "warmup";
  /** Beside a window that was chosen, or another than profiling's, there is no warm-up. */
  readonly warmup?: RunWindow;
}

/** @param chosen absent: the run's current window */
export function artifactWindows(run: Run, chosen?: RunWindow): ArtifactWindows {
  const window = chosen ?? currentWindow(run);
  const warmup = warmupWindow(run);
  if (warmup === undefined) return { window };
  if (window.start >= warmup.start && window.end <= warmup.end) return { window, phase: "warmup" };
  const isProfiling = run.chosenWindow === undefined && window.start === run.measuredFrom;
  return isProfiling ? { window, warmup } : { window };
}

/**
 * The statistics of a run as a JSON artifact holds them: those of its window and, apart from them, those of its
 * warm-up. Yields the share done.
 * @throws RangeError for an unusable slice length
 */
export function* statisticsByPhase(run: Run, options: StatisticsOptions): Generator<number, RunStatistics> {
  const { window, phase, warmup } = artifactWindows(run, options.window);
  if (warmup === undefined) {
    const statistics = yield* runStatistics(run, { ...options, window });
    return phase === undefined ? statistics : { ...statistics, phase };
  }
  const statistics = yield* reporting(runStatistics(run, { ...options, window }), (share) => share / 2);
  const { families } = yield* reporting(runStatistics(run, { ...options, window: warmup }), (share) => 0.5 + share / 2);
  return { ...statistics, warmup: { start: warmup.start, end: warmup.end, families } satisfies WarmupStatistics };
}

/**
 * The statistics of one phase alone: its own scrapes, the last one before them as reference, endpoint information of
 * the phase. Yields the share done.
 * @throws RangeError for an unusable slice length
 */
export function* phaseStatistics(
  run: Run,
  { kind, window }: RunPhase,
  options: StatisticsOptions,
): Generator<number, RunStatistics> {
  const statistics = yield* runStatistics(run, { ...options, window });
  const { origin, endpoints } = run.store;
  const within = { start: Number(window.start - origin), end: Number(window.end - origin) };
  const infos = endpoints.flatMap((axis) => {
    const info = endpointInfo(axis, origin, window.kind === "recorded" ? { ...within, end: Infinity } : within);
    return info === undefined ? [] : [[axis.url, info] as const];
  });
  return { ...statistics, phase: kind, endpointInfo: infos.sort(([a], [b]) => compareText(a, b)) };
}

/** From the first warm-up's start to the last one's end, the scrapes that belong to it included. */
export function warmupWindow(run: Run): RunWindow | undefined {
  const windows = runPhases(run).filter(({ kind }) => kind === "warmup");
  const range = windows.reduce<TimeRange | undefined>(
    (all, { window: { start, end } }) =>
      all === undefined
        ? { start, end }
        : { start: start < all.start ? start : all.start, end: end > all.end ? end : all.end },
    undefined,
  );
  return range === undefined || range.start >= range.end ? undefined : { ...range, kind: "exact" };
}
