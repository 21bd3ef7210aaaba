import type { SeriesId, SeriesResult } from "../model/index.js";
import type { SeriesSlices } from "./slices/slices.js";

/** What has been computed of series, each for one window or grid. */
class Kept<T> {
  private readonly values = new Map<SeriesId, { readonly of: string; readonly value: T }>();

  /** @param holdsFor the window or grid, by its values */
  get(series: SeriesId, holdsFor: object, compute: () => T): T {
    const of = JSON.stringify(holdsFor);
    const known = this.values.get(series);
    if (known?.of === of) return known.value;
    const value = compute();
    this.values.set(series, { of, value });
    return value;
  }
}

/**
 * What has been computed of a run that is over, so that it is not computed again with every changed setting: estimates
 * and slices cost the most of a comparison.
 */
export class KnownResults {
  readonly results = new Kept<SeriesResult | undefined>();
  readonly slices = new Kept<SeriesSlices | undefined>();
}
