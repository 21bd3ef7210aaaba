import { labelKey, type SeriesId, type LabelledSeries } from "../../model/index.js";
import { groupBy } from "../../math/index.js";
import type { ComparisonRow } from "../types.js";

/** What a row says of one run. */
export interface RowSide {
  /** The family as this run calls it. */
  readonly family: string;
  readonly series: readonly LabelledSeries[];
  /** Of a ratio what those are divided by, by family. */
  readonly below?: ReadonlyMap<string, readonly LabelledSeries[]>;
}

/**
 * @param column of the result: 0 the baseline; undefined for one that the row has not
 * @param repeat of a set; undefined: its first run that has series
 */
export function rowSide(row: ComparisonRow, column: number, repeat?: number): RowSide | undefined {
  const whole = column === 0 ? row.baseline : row.cells[column - 1]?.candidate;
  if (whole === undefined) return undefined;
  const { series, below } = (repeat === undefined ? undefined : whole.repeats?.[repeat]) ?? whole;
  const named = row.names?.[column];
  const own = { family: named === undefined || named === "" ? row.family : named, series };
  return below === undefined ? own : { ...own, below: groupBy(below, ({ family }) => family) };
}

/** Those of a family's series that a row is about. */
export function seriesBehind(
  all: readonly (LabelledSeries & { readonly id: SeriesId })[],
  wanted: readonly LabelledSeries[],
): SeriesId[] {
  const keys = new Set(wanted.map(keyOf));
  return all.filter((series) => keys.has(keyOf(series))).map(({ id }) => id);
}

function keyOf({ endpointUrl, labels }: LabelledSeries): string {
  return `${endpointUrl} ${labelKey(labels)}`;
}
