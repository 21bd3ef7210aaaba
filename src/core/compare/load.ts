import { conceptById, familiesOfMember } from "../catalog/index.js";
import { windowSeconds, type MeasuredRun } from "./source.js";

/** What tells how many requests a server finished: counters of them, else latencies observed of each. */
const COUNTS = [
  { concept: "finished", type: "counter" },
  { concept: "e2e-latency", type: "histogram" },
] as const;

/** Requests that a run's servers finished per second, by the first family that tells it; NaN where none does. */
export function requestRateOf(run: MeasuredRun): number {
  const seconds = windowSeconds(run);
  // A CSV does not tell its window.
  if (seconds <= 0) return NaN;
  for (const { concept, type } of COUNTS)
    for (const member of conceptById(concept).members) {
      const names = familiesOfMember(member);
      const own = run.series.filter(({ canonical, family }) => family.type === type && names.includes(canonical));
      if (own.length > 0) return own.reduce((sum, { amount }) => sum + amount(), 0) / seconds;
    }
  return NaN;
}
