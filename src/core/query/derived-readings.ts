import type { TileReading } from "./types/index.js";
import { admits, JOIN, type Derivation, type LabelFilter } from "../catalog/index.js";
import type { SeriesKey } from "../model/index.js";
import type { Steps } from "../stats/index.js";
import { combineLines, NOTHING, RESTARTED } from "./tile.js";
import type { ScalarReading, SeriesReadings } from "./view.js";

/** A total of several series over the window, and its course. */
export interface PartialSum {
  readonly amount: number;
  readonly course: Float64Array;
  readonly restarted?: boolean;
}

type KeysOf = (family: string) => readonly SeriesKey[];

/** A metric that is computed from several families. */
export function* derivedReading(readings: SeriesReadings, keysOf: KeysOf, derived: Derivation): Steps<TileReading> {
  const sums = (kind: "counter" | "gauge", families: readonly string[], filter?: LabelFilter) => {
    const keys = families.flatMap(keysOf).filter(({ labels }) => filter === undefined || admits(filter, labels));
    return partialSums(keys, (key) => readings[kind](key));
  };
  switch (derived.kind) {
    case "rate-ratio": {
      const above = yield* sums("counter", [derived.numerator], derived.numeratorOf);
      return quotient(above, yield* sums("counter", derived.denominator), NOTHING_COUNTED);
    }
    case "gauge-ratio": {
      const above = yield* sums("gauge", [derived.numerator]);
      const below = yield* sums("gauge", derived.denominator);
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

function* partialSums(
  keys: readonly SeriesKey[],
  read: (key: SeriesKey) => ScalarReading | undefined,
): Steps<readonly PartialSum[]> {
  const parts: PartialSum[] = [];
  for (const key of keys) {
    const scalar = read(key);
    if (scalar !== undefined)
      parts.push({ amount: scalar.amount, course: scalar.amounts(), restarted: scalar.restarted === true });
    yield;
  }
  return parts;
}
