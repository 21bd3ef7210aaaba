const SLICES = 60;
const SHORTEST_SECONDS = 1;

/** Length of the timeslices that findings are best told from, in seconds, for a run of this length. */
export function insightSlices(runSeconds: number): number {
  return Math.max(SHORTEST_SECONDS, runSeconds / SLICES);
}
