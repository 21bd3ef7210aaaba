import type { ChartQuery, RunHeader } from "../../src/protocol/index.js";
import type { Viewport } from "../state/run-store.js";

/** A stretch of the charts' axis as questions give it. */
export function offsets(
  { from, to }: Viewport,
  { profilingStart }: Pick<RunHeader, "profilingStart" | "now">,
): Pick<ChartQuery, "from" | "to"> {
  const offset = (seconds: number) => Math.round(seconds * 1e9 + profilingStart) as RunHeader["now"];
  return { from: offset(from), to: offset(to) };
}
