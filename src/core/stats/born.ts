import type { HistogramSamples, ScalarSamples, SeriesKey, SeriesSamples } from "../model/index.js";
import type { EndpointAxis, Scratch, Store } from "../store/index.js";

/**
 * The samples of a series. A counter or histogram that an earlier successful scrape of its endpoint lacked began at 0
 * during the run: its samples begin with a 0 at each of those scrapes, and say how many these are. Where there is no
 * such scrape, one that was created during the run begins with a 0 at that time. Of another one whose endpoint was down
 * before, and of a series that was away for a while, nothing is added.
 * @param scratch that they may lie in
 */
export function readSeries(store: Store, key: SeriesKey, scratch?: Scratch): SeriesSamples {
  return sinceBirth(store, key, store.read(key.id, scratch));
}

/** As `readSeries`, of samples that the store has been asked for. */
export function sinceBirth(store: Store, key: SeriesKey, samples: SeriesSamples): SeriesSamples {
  const axis = store.endpoints[key.endpoint];
  if (axis === undefined) return samples;
  if (samples.kind === "histogram") {
    const ordered = store.scrapesOverlap ? inOrderOfState(samples) : samples;
    return store.birthsKnown ? bornHistogram(ordered, axis, key) : ordered;
  }
  if (key.family.type !== "counter") return samples;
  const ordered = store.scrapesOverlap
    ? { ...samples, values: withoutDips(samples.values, overtaken(samples.values)) }
    : samples;
  return store.birthsKnown ? bornCounter(ordered, axis, key) : ordered;
}

/** A restart takes a counter down further, and it is not above where it was by the next scrape. */
const MOST_OF_DIP = 0.5;

/**
 * Samples that are lower than the one before and the one after: of a scrape that was asked for earlier and answered
 * later, as a client does that does not wait for one scrape before the next. Such a dip is no restart.
 */
function overtaken(values: Float64Array): readonly number[] {
  const dips: number[] = [];
  for (let i = 1; i + 1 < values.length; i++) {
    const [before = NaN, here = NaN, after = NaN] = [values[i - 1], values[i], values[i + 1]];
    if (here < before && here > MOST_OF_DIP * before && after >= before) dips.push(i);
  }
  return dips;
}

function withoutDips(values: Float64Array, dips: readonly number[]): Float64Array {
  if (dips.length === 0) return values;
  const all = values.slice();
  for (const i of dips) all[i] = all[i - 1] ?? NaN;
  return all;
}

function inOrderOfState(samples: HistogramSamples): HistogramSamples {
  const dips = samples.segments.map(({ counts }) => overtaken(counts));
  if (dips.every(({ length }) => length === 0)) return samples;
  return {
    ...samples,
    segments: samples.segments.map((segment, i) => {
      const own = dips[i] ?? [];
      return {
        ...segment,
        sums: withoutDips(segment.sums, own),
        counts: withoutDips(segment.counts, own),
        buckets: segment.buckets.map((cells) => withoutDips(cells, own)),
      };
    }),
  };
}

function bornCounter(samples: ScalarSamples, axis: EndpointAxis, key: SeriesKey): ScalarSamples {
  const { times, values, gapTimes } = samples;
  const before = zeroTimes(axis, key, Math.min(times[0] ?? -Infinity, gapTimes[0] ?? Infinity));
  if (before.length === 0) return samples;
  return {
    ...samples,
    times: joined(before, times),
    values: joined(new Float64Array(before.length), values),
    unborn: before.length,
  };
}

function bornHistogram(samples: HistogramSamples, axis: EndpointAxis, key: SeriesKey): HistogramSamples {
  const [first, ...others] = samples.segments;
  const before = zeroTimes(axis, key, first?.times[0] ?? -Infinity);
  if (first === undefined || before.length === 0) return samples;
  const zeros = new Float64Array(before.length);
  const born = {
    ...first,
    times: joined(before, first.times),
    sums: joined(zeros, first.sums),
    counts: joined(zeros, first.counts),
    buckets: first.buckets.map((cells) => joined(zeros, cells)),
  };
  return { ...samples, segments: [born, ...others], unborn: before.length };
}

/** When a series stood at 0 before its first sample. */
function zeroTimes(axis: EndpointAxis, { created }: SeriesKey, first: number): readonly number[] {
  const lacking = scrapesBefore(axis, first);
  return lacking.length === 0 && created !== undefined && created < first ? [created] : lacking;
}

/** Times of the scrapes that succeeded before a time, in their order. */
function scrapesBefore(axis: EndpointAxis, time: number): number[] {
  const order = axis.timeOrder();
  const before: number[] = [];
  for (let i = 0; i < axis.rows; i++) {
    const row = order?.[i] ?? i;
    const at = axis.times.at(row);
    if (at >= time) break;
    if (axis.kind(row) !== "failed") before.push(at);
  }
  return before;
}

function joined(before: ArrayLike<number>, after: Float64Array): Float64Array {
  const all = new Float64Array(before.length + after.length);
  all.set(before);
  all.set(after, before.length);
  return all;
}
