import { conceptOf, familyEntry, familyUnit } from "../catalog/index.js";
import { NS_PER_SECOND, type Family, type RunStatistics } from "../model/index.js";
import { currentWindow, runStatistics } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { familiesByEndpoint } from "./own-series.js";
import { isMemory } from "./rules/memory-growth.js";
import { isThrottling } from "./rules/throttled.js";

const SLICES = 60;
const SHORTEST_SECONDS = 1;

/** Length of the timeslices that suits findings best, in seconds, for a run of this length. */
export function insightSlices(runSeconds: number): number {
  return Math.max(SHORTEST_SECONDS, runSeconds / SLICES);
}

/** Whether a rule may ask for a family: the rest of a large run need not be computed for findings. */
function matters({ name, type }: Family): boolean {
  return (
    familyEntry(name) !== undefined ||
    type === "counter" ||
    (type === "gauge" && (isMemory(name) || isThrottling(name)))
  );
}

/** Whose percentiles rules ask for: those of whole requests and of the gaps between tokens. */
function isEstimated({ name }: Family): boolean {
  const id = conceptOf(name)?.concept.id;
  return id === "ttft" || id === "e2e-latency" || id === "inter-token-latency";
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
    only: (family, key) => matters(family) && (endpointUrl === undefined || key.endpointUrl === endpointUrl),
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
