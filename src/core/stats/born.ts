import type { HistogramSamples, ScalarSamples, SeriesKey, SeriesSamples } from "../model/index.js";
import type { EndpointAxis, Scratch, Store } from "../store/index.js";

/**
 * The samples of a series. A counter or histogram that an earlier successful scrape of its endpoint lacked began at 0
 * during the run: its samples begin with a 0 at each of those scrapes, and say how many these are. Of an endpoint that
 * was down before, and of a series that was away for a while, nothing is added.
 * @param scratch that they may lie in
 */
export function readSeries(store: Store, key: SeriesKey, scratch?: Scratch): SeriesSamples {
  return sinceBirth(store, key, store.read(key.id, scratch));
}

/** As `readSeries`, of samples that the store has been asked for. */
export function sinceBirth(store: Store, { endpoint, family }: SeriesKey, samples: SeriesSamples): SeriesSamples {
  const axis = store.endpoints[endpoint];
  if (axis === undefined || !store.birthsKnown) return samples;
  if (samples.kind === "histogram") return bornHistogram(samples, axis);
  return family.type === "counter" ? bornCounter(samples, axis) : samples;
}

function bornCounter(samples: ScalarSamples, axis: EndpointAxis): ScalarSamples {
  const { times, values, gapTimes } = samples;
  const before = scrapesBefore(axis, Math.min(times[0] ?? -Infinity, gapTimes[0] ?? Infinity));
  if (before.length === 0) return samples;
  return {
    ...samples,
    times: joined(before, times),
    values: joined(new Float64Array(before.length), values),
    unborn: before.length,
  };
}

function bornHistogram(samples: HistogramSamples, axis: EndpointAxis): HistogramSamples {
  const [first, ...others] = samples.segments;
  const before = scrapesBefore(axis, first?.times[0] ?? -Infinity);
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
