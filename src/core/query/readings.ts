import { admits, type Derivation, type KeyStatistic, type LabelFilter } from "../catalog/index.js";
import { formatLabels, type SeriesKey } from "../model/index.js";
import {
  counterIncrease,
  cutTrack,
  endpointWindow,
  estimateSteps,
  joinSegments,
  linearQuantile,
  mergeSteps,
  moments,
  perSecond,
  risesOf,
  type IntervalSequence,
  type RunWindow,
  type Steps,
  type StatisticsWindow,
} from "../stats/index.js";
import { windowIndices, type Run, type Store } from "../store/index.js";
import {
  combineLines,
  combineReadings,
  NOTHING,
  QUANTILES,
  RESTARTED,
  seriesByName,
  SPARK_POINTS,
  type Reading,
  type TilePlan,
} from "./tile.js";

/** Reads metrics of a run over its window, whatever is known of it. */
export interface MetricReader {
  /** The series that a family is read from, by its canonical name. */
  readonly keysOf: (family: string) => readonly SeriesKey[];
  /** In several statistics, in their order. Of a derived metric there is only one. */
  read(plan: TilePlan, statistics: readonly KeyStatistic[]): Steps<readonly Reading[]>;
  /** Of these series only. */
  within(admitted: (key: SeriesKey) => boolean): MetricReader;
}

/** What the readings of one answer share: one moment's series and windows, whatever is captured meanwhile. */
interface Subject {
  readonly store: Store;
  readonly keysOf: MetricReader["keysOf"];
  /** By endpoint. */
  readonly windows: readonly StatisticsWindow[];
  readonly stretches: Stretches;
}

/** Equal stretches of time that the courses of all series are cut into. */
interface Stretches {
  readonly count: number;
  /** Middle of the first and of the last one: where scrapes lie, so that a late one falls into its own stretch. */
  readonly first: number;
  readonly last: number;
}

/** Of samples. Reading takes steps, because an hour of twenty endpoints takes longer than scrapes may wait. */
export function runReader(run: Run, window: RunWindow): MetricReader {
  const { store } = run;
  const keys = new Map<string, SeriesKey[]>();
  for (const key of store.seriesKeys()) {
    const list = keys.get(key.family.name);
    if (list === undefined) keys.set(key.family.name, [key]);
    else list.push(key);
  }
  const windows = store.endpoints.map((axis) => endpointWindow(run, axis, window, run.sliceSeconds));
  const stretches = stretchesOf(store, windows);
  const restricted = (keysOf: MetricReader["keysOf"]): MetricReader => ({
    keysOf,
    read: (plan, statistics) => readingsOf({ store, keysOf, windows, stretches }, plan, statistics),
    within: (admitted) => restricted((family) => keysOf(family).filter(admitted)),
  });
  return restricted((family) =>
    seriesByName(
      family,
      keys,
      (name) => keys.get(name) ?? [],
      (key) => key,
    ),
  );
}

/** One for each scrape of the endpoints, as long as those are few; an endpoint that came late does not count. */
function stretchesOf({ endpoints }: Store, windows: readonly StatisticsWindow[]): Stretches {
  const scraped = endpoints.flatMap((axis, i) => {
    const window = windows[i];
    const times = axis.timeOrder() === undefined ? axis.times.view() : axis.times.view().toSorted();
    const { first, end } = window === undefined ? { first: 0, end: 0 } : windowIndices(times, window.start, window.end);
    return end > first ? [{ count: end - first, first: times[first] ?? NaN, last: times[end - 1] ?? NaN }] : [];
  });
  const most = Math.max(0, ...scraped.map(({ count }) => count));
  const counts = scraped.map(({ count }) => count).filter((count) => 2 * count >= most);
  return {
    count: Math.min(SPARK_POINTS, ...counts),
    first: Math.min(...scraped.map(({ first }) => first)),
    last: Math.max(...scraped.map(({ last }) => last)),
  };
}

function* readingsOf(subject: Subject, plan: TilePlan, statistics: readonly KeyStatistic[]): Steps<readonly Reading[]> {
  const { metric } = plan;
  if (metric.derived !== undefined) return [yield* derivedReading(subject, metric.derived)];
  const keys = subject.keysOf(metric.family);
  if (metric.type === "histogram") return yield* histogramReadings(subject, statistics, keys);
  const all: Reading[] = [];
  for (const statistic of statistics) {
    const readings: Reading[] = [];
    for (const key of keys) {
      readings.push(
        metric.type === "counter" ? counterReading(subject, statistic, key) : gaugeReading(subject, statistic, key),
      );
      yield;
    }
    all.push(combineReadings(readings, plan));
  }
  return all;
}

function seriesInside({ store, windows, stretches: common }: Subject, key: SeriesKey) {
  const samples = store.read(key.id);
  const window = windows[key.endpoint];
  if (window === undefined || samples.kind !== "scalar") return undefined;
  const inside = windowIndices(samples.times, window.start, window.end);
  return { samples, common, first: inside.first, last: inside.end };
}

function gaugeReading(subject: Subject, statistic: KeyStatistic, key: SeriesKey): Reading {
  const inside = seriesInside(subject, key);
  if (inside === undefined || inside.first === inside.last) return NOTHING;
  const values = inside.samples.values.subarray(inside.first, inside.last);
  const { avg, max } = moments(values);
  const sparkline = stretches(inside, (from, to) =>
    to > from ? moments(inside.samples.values.subarray(from, to)).avg : NaN,
  );
  return { value: statistic === "max" ? max : avg, sparkline };
}

function counterReading(subject: Subject, statistic: KeyStatistic, key: SeriesKey): Reading {
  const inside = seriesInside(subject, key);
  if (inside === undefined || inside.first === inside.last) return NOTHING;
  const { times, values } = inside.samples;
  const reference = Math.max(0, inside.first - 1);
  const { increase, resets } = counterIncrease(values.subarray(reference, inside.last));
  const elapsed = (times[inside.last - 1] ?? 0) - (times[reference] ?? 0);
  const sparkline = stretches(inside, (from, to) => {
    const before = Math.max(0, from - 1);
    return to - before < 2
      ? NaN
      : perSecond(counterIncrease(values.subarray(before, to)).increase, (times[to - 1] ?? 0) - (times[before] ?? 0));
  });
  const value = statistic === "total" ? increase : elapsed > 0 ? perSecond(increase, elapsed) : NaN;
  return { value, sparkline, ...(resets > 0 ? { note: RESTARTED } : {}) };
}

/** Reads the samples inside a window in each stretch; NaN where `read` has none to read. */
function stretches(
  inside: {
    readonly samples: { readonly times: Float64Array };
    readonly common: Stretches;
    readonly first: number;
    readonly last: number;
  },
  read: (from: number, to: number) => number,
): Float64Array {
  const { times } = inside.samples;
  const { count, first, last } = inside.common;
  let from = inside.first;
  return Float64Array.from({ length: count }, (_, s) => {
    const until = s === count - 1 ? Infinity : first + ((last - first) * (s + 0.5)) / (count - 1);
    let to = from;
    while (to < inside.last && (times[to] ?? Infinity) <= until) to++;
    const value = read(from, to);
    from = to;
    return value;
  });
}

function* histogramReadings(
  subject: Subject,
  statistics: readonly KeyStatistic[],
  keys: readonly SeriesKey[],
): Steps<readonly Reading[]> {
  const nothing = (note: string) => statistics.map((): Reading => ({ ...NOTHING, note }));
  const sequences: IntervalSequence[] = [];
  let restarted = false;
  for (const key of keys) {
    const rises = risesInside(subject, key);
    if (rises !== undefined) sequences.push(rises.sequence);
    restarted ||= rises !== undefined && rises.resets > 0;
    yield;
  }
  const merged = yield* mergeSteps(sequences);
  yield;
  if (merged === undefined)
    return nothing(
      sequences.length > 1
        ? "the series share too few bucket bounds to be merged"
        : "no observations in the profiling phase yet",
    );
  const count = add(merged.counts.map((bucket) => total(bucket, 0, bucket.length)));
  yield;
  if (count === 0) return nothing("no observations in the profiling phase yet");
  const note = restarted ? { note: RESTARTED } : {};
  const qs = statistics.flatMap((statistic) => QUANTILES[statistic] ?? []);
  const estimates = qs.length === 0 ? [] : yield* estimateSteps(merged, qs);
  return statistics.map((statistic): Reading => {
    const q = QUANTILES[statistic];
    const sparkline = quantileCourse(merged, q);
    if (q === undefined)
      return { value: merged.sums.reduce((sum, s) => sum + (Number.isNaN(s) ? 0 : s), 0) / count, sparkline, ...note };
    const estimate = estimates[qs.indexOf(q)];
    if (estimate === undefined) return NOTHING;
    // Beyond the last bound nothing but the bound itself is certain.
    return estimate.extrapolated
      ? { value: estimate.lower, atLeast: true, note: `p${q * 100} lies beyond the last bucket`, sparkline }
      : { value: estimate.value, interval: estimate.interval, sparkline, ...note };
  });
}

function risesInside({ store, windows }: Subject, key: SeriesKey) {
  const samples = store.read(key.id);
  const window = windows[key.endpoint];
  const track = samples.kind === "histogram" ? joinSegments(samples) : undefined;
  if (window === undefined || track === undefined || track.uppers.length === 0) return undefined;
  const cut = cutTrack(track, window.start, window.end);
  return cut === undefined ? undefined : risesOf(cut);
}

function total(cells: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += cells[i] ?? 0;
  return sum;
}

/** A quantile (or the average) of every stretch; linear estimates are good enough for a line without an axis. */
function quantileCourse({ uppers, counts, sums, times }: IntervalSequence, q: number | undefined): Float64Array {
  const points = Math.min(SPARK_POINTS, times.length);
  return Float64Array.from({ length: points }, (_, s) => {
    const from = Math.floor((times.length * s) / points);
    const to = Math.floor((times.length * (s + 1)) / points);
    const totals = Float64Array.from(counts, (bucket) => total(bucket, from, to));
    const count = total(totals, 0, totals.length);
    if (count === 0) return NaN;
    return q === undefined ? total(sums, from, to) / count : linearQuantile(uppers, totals, q);
  });
}

/** A total of several series over the window, and its course. */
interface Part {
  readonly amount: number;
  readonly course: Float64Array;
  readonly restarted?: boolean;
}

const add = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

function* derivedReading(subject: Subject, derived: Derivation): Steps<Reading> {
  switch (derived.kind) {
    case "rate-ratio": {
      const above = yield* increases(subject, [derived.numerator], derived.numeratorOf);
      const below = yield* increases(subject, derived.denominator);
      return quotient(above, below, NOTHING_COUNTED);
    }
    case "gauge-ratio": {
      const above = yield* means(subject, [derived.numerator]);
      const below = yield* means(subject, derived.denominator);
      const { value, sparkline, ...rest } = quotient(above, below, NOTHING_SCRAPED);
      const shown = (share: number) => (derived.complement === true ? 1 - share : share);
      return { ...rest, value: shown(value), sparkline: sparkline.map(shown) };
    }
    case "lifetime-average":
      return yield* windowedAverage(subject, derived.average, derived.weight);
  }
}

const NOTHING_COUNTED = "nothing was counted in the profiling phase yet";
const NOTHING_SCRAPED = "no samples in the profiling phase yet";

function quotient(above: readonly Part[], below: readonly Part[], nothing: string): Reading {
  const total = (parts: readonly Part[]) => add(parts.map(({ amount }) => amount));
  if (!(Math.abs(total(below)) > 0)) return { ...NOTHING, note: nothing };
  const [top, bottom] = [above, below].map((parts) =>
    combineLines(
      parts.map(({ course }) => course),
      add,
    ),
  );
  return {
    value: total(above) / total(below),
    sparkline: (bottom ?? new Float64Array(0)).map((n, i) => (n > 0 ? (top?.[i] ?? 0) / n : NaN)),
    ...([...above, ...below].some(({ restarted }) => restarted === true) ? { note: RESTARTED } : {}),
  };
}

function* increases(subject: Subject, families: readonly string[], filter?: LabelFilter): Steps<readonly Part[]> {
  const parts: Part[] = [];
  for (const key of families.flatMap(subject.keysOf)) {
    if (filter !== undefined && !admits(filter, key.labels)) continue;
    const inside = seriesInside(subject, key);
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

function* means(subject: Subject, families: readonly string[]): Steps<readonly Part[]> {
  const parts: Part[] = [];
  for (const key of families.flatMap(subject.keysOf)) {
    const inside = seriesInside(subject, key);
    yield;
    if (inside === undefined || inside.first === inside.last) continue;
    const mean = (from: number, to: number) =>
      to > from ? moments(inside.samples.values.subarray(from, to)).avg : NaN;
    parts.push({ amount: mean(inside.first, inside.last), course: stretches(inside, mean) });
  }
  return parts;
}

/** Differences of average times weight by differences of weight, over all series; a restart begins anew from 0. */
function* windowedAverage(subject: Subject, average: string, weight: string): Steps<Reading> {
  const weights = new Map(subject.keysOf(weight).map((key) => [`${key.endpoint} ${formatLabels(key.labels)}`, key]));
  const above: Part[] = [];
  const below: Part[] = [];
  for (const key of subject.keysOf(average)) {
    const other = weights.get(`${key.endpoint} ${formatLabels(key.labels)}`);
    const values = seriesInside(subject, key);
    const counts = other === undefined ? undefined : seriesInside(subject, other);
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
