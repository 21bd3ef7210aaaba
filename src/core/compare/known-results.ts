import { labelKey, type SeriesKey, type SeriesResult } from "../model/index.js";
import type { StatisticsWindow } from "../stats/index.js";
import type { SeriesSlices, SliceGrid } from "./slices/slices.js";

/**
 * What has been computed of one file's series, so that it is not computed again: estimates and slices cost the most of
 * a comparison. Its key metrics are compared before all of it, and all of it again with every changed setting. A result
 * holds for its window, slices for their grid; samples of a file do not change.
 */
export class KnownResults {
  private readonly results = new Map<
    string,
    { readonly window: StatisticsWindow; readonly result: SeriesResult | undefined }
  >();
  private readonly onGrids = new Map<string, { readonly grid: SliceGrid; readonly slices: SeriesSlices | undefined }>();

  result(series: string, window: StatisticsWindow, compute: () => SeriesResult | undefined): SeriesResult | undefined {
    let known = this.results.get(series);
    if (known === undefined || !sameWindow(known.window, window))
      this.results.set(series, (known = { window, result: compute() }));
    return known.result;
  }

  slices(series: string, grid: SliceGrid, compute: () => SeriesSlices | undefined): SeriesSlices | undefined {
    let known = this.onGrids.get(series);
    if (known === undefined || !sameGrid(known.grid, grid))
      this.onGrids.set(series, (known = { grid, slices: compute() }));
    return known.slices;
  }
}

/** The name of a series here: the same in every reading of its file. */
export function knownName({ endpointUrl, family, labels }: SeriesKey): string {
  return JSON.stringify([endpointUrl, family.name, family.type, labelKey(labels)]);
}

function sameWindow(a: StatisticsWindow, b: StatisticsWindow): boolean {
  return (
    a.start === b.start &&
    a.end === b.end &&
    a.sliceSeconds === b.sliceSeconds &&
    a.seconds === b.seconds &&
    JSON.stringify(a.pauses ?? []) === JSON.stringify(b.pauses ?? [])
  );
}

function sameGrid(a: SliceGrid, b: SliceGrid): boolean {
  return a.start === b.start && a.length === b.length && a.count === b.count;
}
