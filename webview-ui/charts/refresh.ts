import type { Viewport } from "../state/run-store.js";

const MIN_MS = 900;
/** However long the run: the end of a line is not older than this. */
const MAX_MS = 3000;
/** About as wide as a chart gets: to measure one would lay the page out at each answer. */
const PIXELS = 600;

/**
 * Least time between two answers for a chart: what moves by less than a pixel need not be drawn again. A run of half an
 * hour moves by one every three seconds.
 * @param axis seconds
 */
export function refreshMs({ from, to }: Viewport): number {
  return Math.min(MAX_MS, Math.max(MIN_MS, (1000 * (to - from)) / PIXELS));
}
