import { labelKey } from "../../../src/core/model/index.js";
import type { Comparison, ComparisonRow, SeriesRef, SideValue } from "../../../src/protocol/comparison.js";
import type { SeriesSummary } from "../../../src/protocol/index.js";

/** What a row says of one run. */
export interface RowSide {
  readonly side: SideValue;
  /** The family as this run calls it. */
  readonly family: string;
  /** 0 the baseline. */
  readonly column: number;
}

/** By its label, for positions change before a new result comes; undefined for a run that is not in the result. */
export function sideOf(row: ComparisonRow, { baseline, candidates }: Comparison, label: string): RowSide | undefined {
  const column = [baseline, ...candidates].findIndex((set) => set.label === label);
  const side = column === 0 ? row.baseline : row.cells[column - 1]?.candidate;
  if (side === undefined) return undefined;
  const named = row.names?.[column];
  return { side, column, family: named === undefined || named === "" ? row.family : named };
}

/** Those of a family's series that a row is about. */
export function seriesOf(all: readonly SeriesSummary[], wanted: readonly SeriesRef[]): SeriesSummary[] {
  const keys = new Set(wanted.map(keyOf));
  return all.filter((series) => keys.has(keyOf(series)));
}

function keyOf({ endpointUrl, labels }: SeriesRef): string {
  return `${endpointUrl} ${labelKey(labels)}`;
}

/** Rows of one series (or group of series), whatever their quantity. */
export function sameSeries(a: ComparisonRow, b: ComparisonRow): boolean {
  return (
    a.family === b.family &&
    a.endpointUrl === b.endpointUrl &&
    a.type === b.type &&
    labelKey(a.labels) === labelKey(b.labels)
  );
}
