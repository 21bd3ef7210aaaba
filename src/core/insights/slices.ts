import { familyUnit } from "../catalog/index.js";
import { NS_PER_SECOND, type RunStatistics } from "../model/index.js";
import { currentWindow, runStatistics } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { isAskedFor, isEstimated } from "./asked.js";
import { familiesByEndpoint } from "./own-series.js";

const SLICES = 60;
const SHORTEST_SECONDS = 1;

/** Length of the timeslices that suits findings best, in seconds, for a run of this length. */
export function insightSlices(runSeconds: number): number {
  return Math.max(SHORTEST_SECONDS, runSeconds / SLICES);
}

/**
 * Statistics of a run in the slices that findings are told from, in steps that yield the share done.
 * @param endpointUrl whose series alone are computed; absent: all
 */
export function insightStatistics(
  run: Run,
  window = currentWindow(run),
  endpointUrl?: string,
): Generator<number, RunStatistics> {
  return runStatistics(run, {
    unitOf: familyUnit,
    window,
    sliceSeconds: insightSlices(Number(window.end - window.start) / NS_PER_SECOND),
    only: (family, key) => isAskedFor(family) && (endpointUrl === undefined || key.endpointUrl === endpointUrl),
    estimated: isEstimated,
  });
}

/** What a run's statistics say of one endpoint, as if it had been captured alone. */
export function ofEndpoint(run: RunStatistics, endpointUrl: string): RunStatistics {
  return {
    ...run,
    endpointsSuccessful: run.endpointsSuccessful.filter((url) => url === endpointUrl),
    endpointInfo: run.endpointInfo.filter(([url]) => url === endpointUrl),
    families: familiesByEndpoint(run.families).get(endpointUrl) ?? [],
  };
}

/** As `insightStatistics`, of all families and in finer slices: what moves with something may be anything. */
export function movesStatistics(run: Run, window = currentWindow(run)): Generator<number, RunStatistics> {
  const sliceSeconds = Math.max(SHORTEST_SECONDS, Number(window.end - window.start) / NS_PER_SECOND / (2 * SLICES));
  return runStatistics(run, { unitOf: familyUnit, window, sliceSeconds });
}
