import type { TileReading } from "./types/index.js";
import { admits, JOIN, type Derivation, type LabelFilter } from "../catalog/index.js";
import type { SeriesKey } from "../model/index.js";
import type { Steps } from "../stats/index.js";
import { combineLines, NOTHING, RESTARTED } from "./tile.js";
import type { SeriesReadings } from "./view.js";

/** A total of several series over the window, and its course. */
export interface PartialSum {
  readonly amount: number;
  readonly course: Float64Array;
  readonly restarted?: boolean;
}

type KeysOf = (family: string) => readonly SeriesKey[];

/** A metric that is computed from several families. */
export function* derivedReading(readings: SeriesReadings, keysOf: KeysOf, derived: Derivation): Steps<TileReading> {
  const sums = (read: typeof riseOf, families: readonly string[], filter?: LabelFilter) =>
    partialSums(
      readings,
      families.flatMap(keysOf).filter(({ labels }) => filter === undefined || admits(filter, labels)),
      read,
    );
  switch (derived.kind) {
    case "rate-ratio": {
      const above = yield* sums(riseOf, [derived.numerator], derived.numeratorOf);
      return quotient(above, yield* sums(riseOf, derived.denominator), NOTHING_COUNTED);
    }
    case "gauge-ratio": {
      const above = yield* sums(meanOf, [derived.numerator]);
      const below = yield* sums(meanOf, derived.denominator);
      const { value, sparkline, ...rest } = quotient(above, below, "no samples in the profiling phase");
      const shown = (share: number) => (derived.complement === true ? 1 - share : share);
      return { ...rest, value: shown(value), sparkline: sparkline.map(shown) };
    }
    case "lifetime-average":
      return yield* readings.average(keysOf, derived);
  }
}

export const NOTHING_COUNTED = "nothing was counted in the profiling phase";

/** Of the sums of all; NaN where there is nothing to divide by. @param nothing what is to be said then */
export function quotient(above: readonly PartialSum[], below: readonly PartialSum[], nothing: string): TileReading {
  const total = (parts: readonly PartialSum[]) => JOIN.sum(parts.map(({ amount }) => amount));
  if (!(Math.abs(total(below)) > 0)) return { ...NOTHING, note: nothing };
  const [top, bottom] = [above, below].map((parts) =>
    combineLines(
      parts.map(({ course }) => course),
      JOIN.sum,
    ),
  );
  return {
    value: total(above) / total(below),
    sparkline: (bottom ?? new Float64Array(0)).map((n, i) => (n > 0 ? (top?.[i] ?? 0) / n : NaN)),
    ...([...above, ...below].some(({ restarted }) => restarted === true) ? { note: RESTARTED } : {}),
  };
}

function riseOf(readings: SeriesReadings, key: SeriesKey): PartialSum | undefined {
  const counter = readings.counter(key);
  return counter && { amount: counter.total, course: counter.rises(), restarted: counter.restarted };
}

function meanOf(readings: SeriesReadings, key: SeriesKey): PartialSum | undefined {
  const gauge = readings.gauge(key);
  return gauge && { amount: gauge.avg, course: gauge.course() };
}

function* partialSums(
  readings: SeriesReadings,
  keys: readonly SeriesKey[],
  read: typeof riseOf,
): Steps<readonly PartialSum[]> {
  const parts: PartialSum[] = [];
  for (const key of keys) {
    const part = read(readings, key);
    if (part !== undefined) parts.push(part);
    yield;
  }
  return parts;
}
