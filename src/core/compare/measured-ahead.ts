import type { SliceGrid } from "./slices/slices.js";
import { sourceOf } from "./source.js";
import type { ComparedRun } from "./types.js";

/**
 * Computes what a comparison will ask of a run, into what is known of its file: a second thread does so while the first
 * one compares. Pauses after each series.
 * @param sliceSeconds of slices, asked for before each series; undefined: they are left out
 * @param begin with its first series, or with its last where another thread begins with the first
 */
export function* measuredAhead(
  run: ComparedRun,
  sliceSeconds: () => number | undefined,
  begin: "first" | "last" = "first",
): Generator<void, void> {
  const source = sourceOf(run);
  let cut: { readonly seconds: number; readonly grid: SliceGrid } | undefined;
  for (const series of begin === "first" ? source.series : source.series.toReversed()) {
    series.result();
    const seconds = sliceSeconds();
    if (seconds !== undefined) {
      if (seconds !== cut?.seconds) cut = { seconds, grid: source.grid(seconds) };
      series.slices(cut.grid);
    }
    yield;
  }
}
