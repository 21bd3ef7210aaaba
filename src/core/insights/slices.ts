import { conceptOf, familyEntry, familyUnit } from "../catalog/index.js";
import { NS_PER_SECOND, type Family, type RunStatistics } from "../model/index.js";
import { currentWindow, runStatistics } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { isMemory } from "./rules/memory-growth.js";

const SLICES = 60;
const SHORTEST_SECONDS = 1;

/** Length of the timeslices that suits findings best, in seconds, for a run of this length. */
export function insightSlices(runSeconds: number): number {
  return Math.max(SHORTEST_SECONDS, runSeconds / SLICES);
}

/** Whether a rule may ask for a family: the rest of a large run need not be computed for findings. */
function matters({ name, type }: Family): boolean {
  return familyEntry(name) !== undefined || type === "counter" || (type === "gauge" && isMemory(name));
}

/** Whose percentiles rules ask for: those of whole requests and of the gaps between tokens. */
function isEstimated({ name }: Family): boolean {
  const id = conceptOf(name)?.concept.id;
  return id === "ttft" || id === "e2e-latency" || id === "inter-token-latency";
}

/** Statistics of a run in the slices that findings rest on, in steps that yield the share done. */
export function insightStatistics(run: Run, window = currentWindow(run)): Generator<number, RunStatistics> {
  const sliceSeconds = insightSlices(Number(window.end - window.start) / NS_PER_SECOND);
  return runStatistics(run, { unitOf: familyUnit, window, sliceSeconds, only: matters, estimated: isEstimated });
}

/** As `insightStatistics`, of all families and in finer slices: what moves with something may be anything. */
export function movesStatistics(run: Run, window = currentWindow(run)): Generator<number, RunStatistics> {
  const sliceSeconds = Math.max(SHORTEST_SECONDS, Number(window.end - window.start) / NS_PER_SECOND / (2 * SLICES));
  return runStatistics(run, { unitOf: familyUnit, window, sliceSeconds });
}
