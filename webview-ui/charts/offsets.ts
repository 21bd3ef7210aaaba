import type { ChartQuery, RunHeader } from "../../src/protocol/index.js";
import type { Viewport } from "../state/run-store.js";

/** A stretch of the charts' axis as questions give it. */
export function offsets({ from, to }: Viewport, header: RunHeader): Pick<ChartQuery, "from" | "to"> {
  return { from: offsetOf(from, header), to: offsetOf(to, header) };
}

/** @param seconds from the start of profiling */
export function offsetOf(seconds: number, { profilingStart }: RunHeader): RunHeader["now"] {
  return Math.round(seconds * 1e9 + profilingStart) as RunHeader["now"];
}
