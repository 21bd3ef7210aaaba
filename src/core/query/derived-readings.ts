import {
  admits,
  COUNTED_AVERAGE_NOTE,
  isCountedAverage,
  JOIN,
  type Derivation,
  type LabelFilter,
} from "../catalog/index.js";
import { formatLabels } from "../model/index.js";
import { counterIncrease, moments, type Steps } from "../stats/index.js";
import { gaugeSeriesInside, seriesInside, stretches, type ReadingContext } from "./series-inside.js";
import { combineLines, NOTHING, RESTARTED, type TileReading } from "./tile.js";

/** A total of several series over the window, and its course. */
interface PartialSum {
  readonly amount: number;
  readonly course: Float64Array;
  readonly restarted?: boolean;
}

/** A metric that is computed from several families. */
export function* derivedReading(context: ReadingContext, derived: Derivation): Steps<TileReading> {
  switch (derived.kind) {
    case "rate-ratio": {
      const above = yield* increases(context, [derived.numerator], derived.numeratorOf);
      const below = yield* increases(context, derived.denominator);
      return quotient(above, below, NOTHING_COUNTED);
    }
    case "gauge-ratio": {
      const above = yield* means(context, [derived.numerator]);
      const below = yield* means(context, derived.denominator);
      const { value, sparkline, ...rest } = quotient(above, below, NOTHING_SCRAPED);
      const shown = (share: number) => (derived.complement === true ? 1 - share : share);
      return { ...rest, value: shown(value), sparkline: sparkline.map(shown) };
    }
    case "lifetime-average":
      return yield* windowedAverage(context, derived.average, derived.weight);
  }
}

const NOTHING_COUNTED = "nothing was counted in the profiling phase";
const NOTHING_SCRAPED = "no samples in the profiling phase";

function quotient(above: readonly PartialSum[], below: readonly PartialSum[], nothing: string): TileReading {
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

function* increases(
  context: ReadingContext,
  families: readonly string[],
  filter?: LabelFilter,
): Steps<readonly PartialSum[]> {
  const parts: PartialSum[] = [];
  for (const key of families.flatMap(context.keysOf)) {
    if (filter !== undefined && !admits(filter, key.labels)) continue;
    const inside = seriesInside(context, key);
    yield;
    if (inside === undefined || inside.first === inside.last) continue;
    const rises = (from: number, to: number) =>
      counterIncrease(inside.samples.values.subarray(Math.max(0, from - 1), to));
    const { increase, resets } = rises(inside.first, inside.last);
    const course = stretches(inside, (from, to) => rises(from, to).increase);
    parts.push({ amount: increase, course, restarted: resets > 0 });
  }
  return parts;
}

function* means(context: ReadingContext, families: readonly string[]): Steps<readonly PartialSum[]> {
  const parts: PartialSum[] = [];
  for (const key of families.flatMap(context.keysOf)) {
    const inside = gaugeSeriesInside(context, key);
    yield;
    if (inside === undefined || inside.last === 0) continue;
    const mean = (from: number, to: number) =>
      to > from ? moments(inside.samples.values.subarray(from, to)).avg : NaN;
    parts.push({ amount: mean(inside.first, inside.last), course: stretches(inside, mean) });
  }
  return parts;
}

/** Differences of average times weight by differences of weight, over all series; a restart begins anew from 0. */
function* windowedAverage(context: ReadingContext, average: string, weight: string): Steps<TileReading> {
  const weights = new Map(context.keysOf(weight).map((key) => [`${key.endpoint} ${formatLabels(key.labels)}`, key]));
  const above: PartialSum[] = [];
  const below: PartialSum[] = [];
  for (const key of context.keysOf(average)) {
    if (isCountedAverage(key.family)) return { ...NOTHING, note: COUNTED_AVERAGE_NOTE };
    const other = weights.get(`${key.endpoint} ${formatLabels(key.labels)}`);
    const values = seriesInside(context, key);
    const counts = other === undefined ? undefined : seriesInside(context, other);
    yield;
    if (values === undefined || counts === undefined || values.first === values.last) continue;
    // Both come with every scrape of their endpoint.
    const shift = counts.first - values.first;
    const weightAt = (i: number) => counts.samples.values[i + shift] ?? NaN;
    const amountAt = (i: number) => (values.samples.values[i] ?? NaN) * weightAt(i);
    let restarted = false;
    const rise = (at: (i: number) => number) => (from: number, to: number) => {
      let sum = 0;
      for (let i = Math.max(1, from); i < to; i++) {
        const fell = weightAt(i) < weightAt(i - 1);
        restarted ||= fell;
        const difference = fell ? at(i) : at(i) - at(i - 1);
        if (!Number.isNaN(difference)) sum += difference;
      }
      return sum;
    };
    const [amounts, counted] = [rise(amountAt), rise(weightAt)];
    above.push({ amount: amounts(values.first, values.last), course: stretches(values, amounts), restarted });
    below.push({ amount: counted(values.first, values.last), course: stretches(values, counted), restarted });
  }
  return quotient(above, below, NOTHING_COUNTED);
}
