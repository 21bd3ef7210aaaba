import { canonicalName, isStaticFamily, keyMetricOf, SERVERS } from "../../catalog/index.js";
import { offsetNs, type OffsetNs, type ScalarSamples, type SeriesKey } from "../../model/index.js";
import type { Run } from "../../store/index.js";

/**
 * By canonical name: requests running or waiting (gauges), and finished (counters), of every server of the catalogue.
 */
export const REQUEST_FAMILIES: ReadonlySet<string> = new Set(
  SERVERS.flatMap(({ keyMetrics }) =>
    keyMetrics
      .filter(({ id }) => /\.(running|waiting|queue|queued|inflight|success|requests)$/.test(id))
      .map(({ family }) => family),
  ),
);

/**
 * The families that a first table is made of while the rest of large files is still being read: those of the
 * catalogue's key metrics, of the load, and what a server says of itself. All of them when the catalogue knows none.
 * @param names as the file has them
 */
export function firstFamilies(names: readonly string[]): readonly string[] {
  const first = names.filter((name) => keyMetricOf(name) !== undefined || REQUEST_FAMILIES.has(canonicalName(name)));
  return first.length === 0 ? names : names.filter((name) => first.includes(name) || isStaticFamily(name));
}

/**
 * When the first request was seen to run, wait or finish: the first scrape in which a gauge of requests stands above 0,
 * or a counter of finished ones has risen. Undefined when the run does not tell: it has no such metric, none moved, or
 * requests ran already when it began.
 */
export function firstRequest(run: Run): OffsetNs | undefined {
  const { store } = run;
  // A file of the window alone has references before it, but no gauges that could tell of that time.
  const from = run.fileStatistics === undefined ? -Infinity : run.offset(run.profilingStart);
  const begins = store.endpoints.map((axis) => {
    let first = Infinity;
    for (let row = 0; row < axis.rows; row++)
      if (axis.kind(row) !== "failed" && axis.times.at(row) >= from) first = Math.min(first, axis.times.at(row));
    return first;
  });
  let seen = Infinity;
  let before = Infinity;
  for (const key of store.seriesKeys()) {
    if (!REQUEST_FAMILIES.has(canonicalName(key.family.name))) continue;
    const samples = store.read(key.id);
    if (samples.kind !== "scalar") continue;
    const begin = begins[key.endpoint] ?? Infinity;
    const onset = onsetOf(key, samples, begin);
    if (onset === undefined) continue;
    if (key.family.type !== "counter" && onset <= begin) before = Math.min(before, onset);
    else seen = Math.min(seen, onset);
  }
  return seen < before ? offsetNs(seen) : undefined;
}

/**
 * First sample of a gauge above 0, or of a counter that has risen; one that was not there in its endpoint's first
 * scrape comes from 0.
 */
function onsetOf({ family }: SeriesKey, { times, values }: ScalarSamples, begin: number): number | undefined {
  const rises = family.type === "counter";
  let last = rises && (times[0] ?? 0) <= begin ? (values[0] ?? 0) : 0;
  for (let i = 0; i < times.length; i++) {
    const value = values[i] ?? 0;
    if (value > last) return times[i];
    if (rises) last = value;
  }
  return undefined;
}
