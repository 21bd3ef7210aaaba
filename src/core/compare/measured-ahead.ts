import { sourceOf } from "./source.js";
import type { ComparedRun } from "./types.js";

/**
 * Computes what a comparison will ask of a run, into what is known of its file: a second thread does so while the first
 * one compares. Pauses after each series.
 * @param sliceSeconds of slices; absent: they are left out
 */
export function* measuredAhead(run: ComparedRun, sliceSeconds: number | undefined): Generator<void, void> {
  const source = sourceOf(run);
  const grid = sliceSeconds === undefined ? undefined : source.grid(sliceSeconds);
  for (const series of source.series) {
    series.result();
    if (grid !== undefined) series.slices(grid);
    yield;
  }
}
