import { canonicalName, conceptOf, seriesOfConcept, type ConceptId } from "../catalog/index.js";
import { labelValue, type SeriesKey } from "../model/index.js";
import { groupBy } from "../math/index.js";
import { positionOf, type EndpointAxis, type Run } from "../store/index.js";

/** What the servers were asked to do, all endpoints together; times are offsets of the run (ns). */
export interface Activity {
  /** Of all scrapes that succeeded, in their order, with the requests in flight at all endpoints as last seen. */
  readonly scrapes: { readonly times: Float64Array; readonly inFlight: Float64Array };
  /**
   * Requests that ended between two scrapes of the endpoint that counts most of them: after `from`, seen at `to`.
   * Ascending.
   */
  readonly ended: { readonly from: Float64Array; readonly to: Float64Array; readonly count: Float64Array };
  /** Between two neighbours nothing ran and no counter moved for at least one interval. */
  readonly pieces: readonly BusyPeriod[];
  /** Whether any server tells of requests or tokens. */
  readonly known: boolean;
}

/** A stretch of work without an idle gap. */
export interface BusyPeriod {
  /** The idle scrape before it; where there is none, its first scrape. */
  readonly from: number;
  /** The first scrape that shows it. */
  readonly seen: number;
  /** The idle scrape after it; where there is none, the last scrape. */
  readonly to: number;
  /** Requests that ended in it; where no server counts them, intervals with work. */
  readonly work: number;
  /** False where the capture began or ended in the middle of it. */
  readonly begins: boolean;
  readonly ends: boolean;
}

const IN_FLIGHT: ReadonlySet<ConceptId> = new Set<ConceptId>(["running", "waiting"]);
const MOVING: ReadonlySet<ConceptId> = new Set<ConceptId>([
  "finished",
  "prompt-tokens",
  "generation-tokens",
  "ttft",
  "e2e-latency",
]);

/** Reads what the servers' own metrics tell of work: running, waiting, started, finished, tokens, by concept. */
export function activityOf(run: Run): Activity {
  const keys = groupBy(
    [...run.store.seriesKeys()].flatMap((key) => {
      const concept = conceptOfSeries(key);
      return concept === undefined ? [] : [{ key, concept }];
    }),
    ({ key }) => key.endpoint,
  );
  const tracks = run.store.endpoints.flatMap((axis) => {
    const track = trackOf(run, axis, keys.get(axis.id) ?? []);
    return track === undefined ? [] : [track];
  });
  const ended = endedAt(
    tracks.reduce<Track | undefined>((most, track) => (track.total > (most?.total ?? 0) ? track : most), undefined),
  );
  return {
    scrapes: scrapesOf(tracks),
    ended,
    pieces: joined(tracks.flatMap((track) => joined(piecesOf(track, ended.count.length > 0))).sort(byBeginning)),
    known: tracks.length > 0,
  };
}

/** One endpoint, scrape by scrape. */
interface Track {
  readonly times: Float64Array;
  readonly inFlight: Float64Array;
  /** 1 where anything was counted since the scrape before. */
  readonly moved: Uint8Array;
  /** Requests that ended since the scrape before; absent where it counts none. */
  readonly ended: Float64Array | undefined;
  /** All of them. */
  readonly total: number;
}

function trackOf(
  { store }: Run,
  axis: EndpointAxis,
  keys: readonly { readonly key: SeriesKey; readonly concept: ConceptId }[],
): Track | undefined {
  if (keys.length === 0) return undefined;
  const times = succeeded(axis);
  const inFlight = new Float64Array(times.length);
  const moved = new Uint8Array(times.length);
  const counted = { finished: undefined, "e2e-latency": undefined } as Record<string, Float64Array | undefined>;
  for (const { key, concept } of keys) {
    const cumulative = isCumulative(key);
    const samples = store.read(key.id);
    const segments =
      samples.kind === "scalar"
        ? [{ times: samples.times, values: samples.values }]
        : samples.segments.map(({ times: own, counts }) => ({ times: own, values: counts }));
    // A series that comes later than its endpoint began at 0.
    let before: number | undefined;
    for (const { times: own, values } of segments) {
      let row = positionOf(times, own[0] ?? NaN);
      for (let i = 0; i < own.length; i++, row++) {
        // Mostly it is in every scrape.
        if (times[row] !== own[i]) row = positionOf(times, own[i] ?? NaN);
        if (row < 0) continue;
        const value = values[i] ?? 0;
        if (!cumulative) {
          inFlight[row] = (inFlight[row] ?? 0) + Math.max(0, value);
          continue;
        }
        const rise = value - (before ?? (row === 0 ? value : 0));
        before = value;
        if (rise === 0) continue;
        moved[row] = 1;
        if (concept !== "finished" && concept !== "e2e-latency") continue;
        const ends = (counted[concept] ??= new Float64Array(times.length));
        // After a restart all of it is new.
        ends[row] = (ends[row] ?? 0) + (rise < 0 ? value : rise);
      }
    }
  }
  const ended = counted["finished"] ?? counted["e2e-latency"];
  return { times, inFlight, moved, ended, total: ended?.reduce((sum, count) => sum + count, 0) ?? 0 };
}

/** Times of the scrapes that succeeded, ascending. */
function succeeded(axis: EndpointAxis): Float64Array {
  const order = axis.timeOrder();
  const times = new Float64Array(axis.rows);
  let length = 0;
  for (let i = 0; i < axis.rows; i++) {
    const row = order?.[i] ?? i;
    if (axis.kind(row) !== "failed") times[length++] = axis.times.at(row);
  }
  return times.subarray(0, length);
}

function endedAt(track: Track | undefined): Activity["ended"] {
  const { times = new Float64Array(0), ended = new Float64Array(0) } = track ?? {};
  const rows = Uint32Array.from(ended.keys()).filter((row) => (ended[row] ?? 0) > 0);
  return {
    from: Float64Array.from(rows, (row) => times[row - 1] ?? 0),
    to: Float64Array.from(rows, (row) => times[row] ?? 0),
    count: Float64Array.from(rows, (row) => ended[row] ?? 0),
  };
}

function isCumulative({ family: { type } }: SeriesKey): boolean {
  return type === "counter" || type === "histogram";
}

/** Whether series of a family may tell of work: others need not be read to find the load. */
export function isActivityFamily(family: string): boolean {
  const known = conceptOf(family)?.concept.id;
  if (known !== undefined) return MOVING.has(known) || IN_FLIGHT.has(known);
  const name = canonicalName(family);
  return [...IN_FLIGHT].some((id) => seriesOfConcept(id).some((series) => series.family === name));
}

/** The concept by which a series tells of work; undefined for one that tells nothing of it. */
function conceptOfSeries(key: SeriesKey): ConceptId | undefined {
  const { family, labels } = key;
  const known = conceptOf(family.name)?.concept.id;
  if (known !== undefined) return (isCumulative(key) ? MOVING : IN_FLIGHT).has(known) ? known : undefined;
  const name = canonicalName(family.name);
  return [...IN_FLIGHT].find((id) =>
    seriesOfConcept(id).some(({ family: of, label: [key, value] }) => of === name && labelValue(labels, key) === value),
  );
}

/** All scrapes in order, each with what was in flight at all endpoints. */
function scrapesOf(tracks: readonly Track[]): Activity["scrapes"] {
  const changes = tracks.map(({ times, inFlight }): Activity["scrapes"] => ({
    times,
    inFlight: inFlight.map((own, i) => own - (inFlight[i - 1] ?? 0)),
  }));
  const { times, inFlight } = merged(changes);
  let total = 0;
  return { times, inFlight: inFlight.map((change) => (total += change)) };
}

/** Columns in one order of time, half by half. */
function merged(columns: readonly Activity["scrapes"][]): Activity["scrapes"] {
  const [only, another] = columns;
  if (another === undefined) return only ?? { times: new Float64Array(0), inFlight: new Float64Array(0) };
  const half = columns.length >> 1;
  const [a, b] = [merged(columns.slice(0, half)), merged(columns.slice(half))];
  const length = a.times.length + b.times.length;
  const [times, inFlight] = [new Float64Array(length), new Float64Array(length)];
  let [i, j] = [0, 0];
  for (let k = 0; k < length; k++) {
    const [left = Infinity, right = Infinity] = [a.times[i], b.times[j]];
    const isLeft = left <= right;
    times[k] = isLeft ? left : right;
    inFlight[k] = (isLeft ? a.inFlight[i++] : b.inFlight[j++]) ?? 0;
  }
  return { times, inFlight };
}

/** Stretches of work at one endpoint, one for each interval with work. */
function* piecesOf({ times, inFlight, moved, ended }: Track, counts: boolean): Generator<BusyPeriod> {
  const last = times.length - 1;
  for (let i = 0; i <= last; i++) {
    const time = times[i] ?? 0;
    const busy = (inFlight[i] ?? 0) > 0;
    if (!busy && moved[i] !== 1) continue;
    yield {
      from: times[i - 1] ?? time,
      seen: time,
      to: busy ? (times[i + 1] ?? time) : time,
      work: counts ? (ended?.[i] ?? 0) : 1,
      begins: i > 0,
      ends: !busy || i < last,
    };
  }
}

function byBeginning(a: BusyPeriod, b: BusyPeriod): number {
  return a.from - b.from || a.to - b.to;
}

/** Stretches that touch or overlap become one. @param pieces in the order of their beginnings */
function joined(pieces: Iterable<BusyPeriod>): readonly BusyPeriod[] {
  const out: BusyPeriod[] = [];
  for (const piece of pieces) {
    const before = out.at(-1);
    if (before === undefined || piece.from > before.to) {
      out.push(piece);
      continue;
    }
    const later = piece.to >= before.to;
    out[out.length - 1] = {
      from: before.from,
      seen: Math.min(before.seen, piece.seen),
      to: Math.max(before.to, piece.to),
      work: before.work + piece.work,
      begins: before.begins && (piece.begins || piece.from > before.from),
      ends: later ? piece.ends : before.ends,
    };
  }
  return out;
}
