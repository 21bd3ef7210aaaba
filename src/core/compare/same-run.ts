import { displayName, labelKey } from "../model/index.js";
import type { MeasuredRun, SourceSeries } from "./source.js";

/** Windows of one run that differ by less than this are one, ns: formats round their times. */
const ROUNDING_NS = 1_000_000_000n;
/** Series that are looked at, and by how much their values may differ: a CSV rounds them. */
const LOOKED_AT = 24;
const ROUNDING = 1e-3;

/**
 * Are these two files of one run, whatever their formats: the same benchmark id, the same window as far as both tell
 * it, and the same values in the series that both have?
 */
export function isSameRun(a: MeasuredRun, b: MeasuredRun): boolean {
  return a.benchmarkId !== "" && a.benchmarkId === b.benchmarkId && sameWindow(a, b) && sameContent(a, b);
}

function sameWindow({ window: a }: MeasuredRun, { window: b }: MeasuredRun): boolean {
  if (a === undefined || b === undefined) return true;
  const near = (x: bigint, y: bigint) => (x > y ? x - y : y - x) < ROUNDING_NS;
  return near(a.start, b.start) && near(a.end, b.end);
}

function sameContent(a: MeasuredRun, b: MeasuredRun): boolean {
  const others = new Map(b.series.map((series) => [keyOf(series), series]));
  const pairs = a.series.flatMap((series) => {
    const other = others.get(keyOf(series));
    return other === undefined ? [] : [[series, other] as const];
  });
  // All over the run: its first families may all stand still.
  const step = Math.max(1, Math.floor(pairs.length / LOOKED_AT));
  const looked = pairs.filter((_, i) => i % step === 0);
  return (
    looked.length > 0 &&
    looked.every(([one, other]) => {
      const [x, y] = [one.amount(), other.amount()];
      return Number.isNaN(x) || Number.isNaN(y) || Math.abs(x - y) <= ROUNDING * Math.max(Math.abs(x), Math.abs(y));
    })
  );
}

/** A CSV has the displayed names of its endpoints. */
function keyOf({ canonical, endpointUrl, labels }: SourceSeries): string {
  return JSON.stringify([canonical, displayName(endpointUrl), labelKey(labels)]);
}

/** Without the runs of a set that another one of it is already: one run in two formats is not a repetition. */
export function withoutDuplicates(sets: readonly (readonly MeasuredRun[])[]): {
  readonly sets: readonly (readonly MeasuredRun[])[];
  readonly dropped: readonly { readonly set: number; readonly run: MeasuredRun; readonly of: MeasuredRun }[];
} {
  const dropped: { readonly set: number; readonly run: MeasuredRun; readonly of: MeasuredRun }[] = [];
  const kept = sets.map((runs, set) => {
    const own: MeasuredRun[] = [];
    for (const run of runs) {
      const of = own.find((other) => isSameRun(other, run));
      if (of === undefined) own.push(run);
      else dropped.push({ set, run, of });
    }
    return own;
  });
  return { sets: kept, dropped };
}
