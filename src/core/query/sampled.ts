import { COUNTED_AVERAGE_NOTE, isCountedAverage, shownFamily, shownKeys, type KeyStatistic } from "../catalog/index.js";
import { formatLabels, NS_PER_SECOND, statisticOf, type Problem, type SeriesKey, noteOf } from "../model/index.js";
import {
  complete,
  counterIncrease,
  currentWindow,
  cutTrack,
  joinSegments,
  moments,
  perSecond,
  readSeries,
  risesOf,
  SeriesStatistics,
  type IntervalSequence,
  type RunWindow,
} from "../stats/index.js";
import { downsample, type Run } from "../store/index.js";
import { NOTHING_COUNTED, quotient, type PartialSum } from "./derived-readings.js";
import { averageOf, breaksOf, clip, rateLine, withBreaks, within } from "./lines.js";
import { gaugeSeriesInside, seriesInside, stretchEnds, stretches, type ReadingContext } from "./series-inside.js";
import { StoredRun } from "./stored.js";
import { NOTHING } from "./tile.js";
import type { ChartQuery } from "./types/index.js";
import type { HistogramReading, RunView, ScalarReading, SeriesReadings } from "./view.js";

/** As a view, whatever is known of it. */
export function viewOf(run: Run | StoredRun): RunView {
  return run instanceof StoredRun ? run : new SampledRun(run);
}

/** A run by its samples. */
class SampledRun implements RunView {
  constructor(private readonly run: Run) {}

  get origin() {
    return this.run.store.origin;
  }

  get slices() {
    const { run } = this;
    return { start: run.offset(run.measuredFrom), length: run.sliceSeconds * NS_PER_SECOND, end: run.newest };
  }

  get families() {
    return this.run.store.families().map((family) => shownFamily(family, this.run));
  }

  keys() {
    return shownKeys(this.run);
  }

  last({ id }: SeriesKey) {
    return this.run.store.last(id);
  }

  line(key: SeriesKey, query: ChartQuery) {
    const { store } = this.run;
    const samples = readSeries(store, key);
    const axis = store.endpoints[key.endpoint];
    if (samples.kind === "histogram" || axis === undefined)
      return { times: new Float64Array(0), values: new Float64Array(0) };
    const counted = key.family.type === "counter";
    const drawn = counted ? rateLine(samples, this.rateStep(query), this.slices.start) : samples;
    const shown = clip(withBreaks(drawn, breaksOf(samples, axis)), query.from, query.to);
    return {
      average: averageOf(within(drawn, query), counted),
      ...downsample(shown.times, shown.values, query.maxPoints),
    };
  }

  /** Undefined with fewer than two scrapes. */
  observed(key: SeriesKey): IntervalSequence | undefined {
    const samples = readSeries(this.run.store, key);
    const track = samples.kind === "histogram" ? joinSegments(samples) : undefined;
    return track === undefined || track.times.length < 2 ? undefined : risesOf(track).sequence;
  }

  edges(from: number, to: number, most: number): Float64Array {
    const columns = columnCount(this.run, to - from, most);
    return Float64Array.from({ length: columns + 1 }, (_, c) => from + ((to - from) * c) / columns);
  }

  undrawn({ family, from, to }: Pick<ChartQuery, "family" | "from" | "to">): Problem {
    return from !== undefined || to !== undefined
      ? noteOf(`${family} has no samples in this time range.`, "Reset the zoom to see the whole run.")
      : noteOf(`${family} has too few samples to draw yet.`, "Rates and quantiles need at least two scrapes.");
  }

  over(window: RunWindow = currentWindow(this.run)): SeriesReadings {
    const { store } = this.run;
    const statistics = new SeriesStatistics(this.run, { window, sliceSeconds: 0 });
    const { windows } = statistics;
    return new SampledReadings(statistics, { store, windows, ends: stretchEnds(store, windows) });
  }

  /** Rates of single scrapes of a slow counter are spikes; a second smooths them, a long window needs no finer. */
  private rateStep(query: ChartQuery): number {
    const span = (query.to ?? this.run.newest) - (query.from ?? 0);
    return Math.max(NS_PER_SECOND, span / query.maxPoints);
  }
}

/** A column must hold a few scrapes, or it would show their rhythm and not the server's. */
function columnCount(run: Run, span: number, most: number): number {
  const scrapes = Math.max(1, ...run.store.endpoints.map((axis) => axis.rows));
  const interval = Math.max(1, run.newest / scrapes);
  return Math.max(1, Math.min(most, Math.floor(span / (3 * interval))));
}

/** Of samples: their courses are cut into equal stretches of time. */
class SampledReadings implements SeriesReadings {
  readonly courseEnds: Float64Array;

  constructor(
    private readonly statistics: SeriesStatistics,
    private readonly context: ReadingContext,
  ) {
    this.courseEnds = context.ends;
  }

  counter(key: SeriesKey): ScalarReading | undefined {
    const inside = seriesInside(this.context, key);
    if (inside === undefined || inside.first === inside.last) return undefined;
    const { samples } = inside;
    const { times, values } = samples;
    const result = complete(this.statistics.ofSamples(key, samples));
    if (result?.kind !== "counter") return undefined;
    const rise = (from: number, to: number) => counterIncrease(values.subarray(Math.max(0, from - 1), to)).increase;
    const total = statisticOf(result, "total");
    // Of a single scrape there is none.
    const rate = (result.seconds ?? 0) > 0 ? statisticOf(result, "rate") : NaN;
    return {
      amount: total,
      value: (statistic) => (statistic === "total" ? total : rate),
      restarted: statisticOf(result, "resets") > 0,
      amounts: () => stretches(inside, rise),
      course: () =>
        stretches(inside, (from, to) => {
          const before = Math.max(0, from - 1);
          return to - before < 2 ? NaN : perSecond(rise(from, to), (times[to - 1] ?? 0) - (times[before] ?? 0));
        }),
    };
  }

  gauge(key: SeriesKey): ScalarReading | undefined {
    const inside = gaugeSeriesInside(this.context, key);
    const result = complete(this.statistics.of(key));
    if (inside === undefined || inside.last === 0 || result?.kind !== "gauge") return undefined;
    const { values } = inside.samples;
    const mean = (from: number, to: number) => (to > from ? moments(values, from, to).avg : NaN);
    const course = () => stretches(inside, mean);
    const value = (statistic: KeyStatistic) => statisticOf(result, statistic === "max" ? "max" : "avg");
    return { amount: value("avg"), value, amounts: course, course };
  }

  histogram(key: SeriesKey): HistogramReading | undefined {
    const { store, windows } = this.context;
    const samples = readSeries(store, key);
    const window = windows[key.endpoint];
    const track = samples.kind === "histogram" ? joinSegments(samples) : undefined;
    if (window === undefined || track === undefined || track.uppers.length === 0) return undefined;
    const cut = cutTrack(track, window.start, window.end);
    if (cut === undefined) return undefined;
    const { sequence, resets } = risesOf(cut);
    return { whole: sequence, course: sequence, restarted: resets > 0 };
  }

  /** Differences of average times weight by differences of weight, over all series; a restart begins anew from 0. */
  *average(...[keysOf, { average, weight }]: Parameters<SeriesReadings["average"]>) {
    const weights = new Map(keysOf(weight).map((key) => [`${key.endpoint} ${formatLabels(key.labels)}`, key]));
    const above: PartialSum[] = [];
    const below: PartialSum[] = [];
    for (const key of keysOf(average)) {
      if (isCountedAverage(key.family)) return { ...NOTHING, note: COUNTED_AVERAGE_NOTE };
      const other = weights.get(`${key.endpoint} ${formatLabels(key.labels)}`);
      const values = seriesInside(this.context, key);
      const counts = other === undefined ? undefined : seriesInside(this.context, other);
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
}
