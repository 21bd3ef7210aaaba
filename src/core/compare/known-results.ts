import { labelKey, type SeriesKey, type SeriesResult } from "../model/index.js";
import type { StatisticsWindow } from "../stats/index.js";
import type { SeriesSlices, SliceGrid } from "./slices/slices.js";

/** What was computed of one series: its result over a window, or its slices on a grid. Plain data. */
export type KnownPart =
  | { readonly series: string; readonly window: StatisticsWindow; readonly result: SeriesResult | undefined }
  | { readonly series: string; readonly grid: SliceGrid; readonly slices: SeriesSlices | undefined };

type OfWindow = Extract<KnownPart, { readonly window: StatisticsWindow }>;
type OnGrid = Extract<KnownPart, { readonly grid: SliceGrid }>;

/**
 * What has been computed of one file's series, so that it is not computed again: estimates and slices cost the most of
 * a comparison. Its key metrics are compared before all of it, all of it again with every changed setting, and another
 * thread may compute ahead. A part holds for its window or grid alone; samples of a file do not change.
 */
export class KnownResults {
  private readonly results = new Map<string, OfWindow>();
  private readonly onGrids = new Map<string, OnGrid>();

  /** @param onFound hears of each part that is computed here, not of those that are added */
  constructor(private readonly onFound?: (part: KnownPart) => void) {}

  /** Takes what was computed elsewhere. */
  add(part: KnownPart): void {
    if ("window" in part) this.results.set(part.series, part);
    else this.onGrids.set(part.series, part);
  }

  result(series: string, window: StatisticsWindow, compute: () => SeriesResult | undefined): SeriesResult | undefined {
    const known = this.results.get(series);
    if (known !== undefined && sameWindow(known.window, window)) return known.result;
    return this.found({ series, window, result: compute() }).result;
  }

  slices(series: string, grid: SliceGrid, compute: () => SeriesSlices | undefined): SeriesSlices | undefined {
    const known = this.onGrids.get(series);
    if (known !== undefined && sameGrid(known.grid, grid)) return known.slices;
    return this.found({ series, grid, slices: compute() }).slices;
  }

  private found<Part extends KnownPart>(part: Part): Part {
    this.add(part);
    this.onFound?.(part);
    return part;
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
