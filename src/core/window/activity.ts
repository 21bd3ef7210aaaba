import { canonicalName, conceptOf, seriesOfConcept, type ConceptId } from "../catalog/index.js";
import { groupBy, labelValue, type SeriesKey } from "../model/index.js";
import type { EndpointAxis, Run } from "../store/index.js";

/** What the servers were asked to do, all endpoints together; times are offsets of the run (ns). */
export interface Activity {
  /** Of all scrapes that succeeded, in their order, with the requests in flight at all endpoints as last seen. */
  readonly scrapes: readonly { readonly time: number; readonly inFlight: number }[];
  /**
   * Requests that ended between two scrapes of the endpoint that counts most of them: after `from`, seen at `to`.
   * Ascending.
   */
  readonly ended: readonly { readonly from: number; readonly to: number; readonly count: number }[];
  /** Between two neighbours nothing ran and no counter moved for at least one interval. */
  readonly pieces: readonly Piece[];
  /** Whether any server tells of requests or tokens. */
  readonly known: boolean;
}

/** A stretch of work without an idle gap. */
export interface Piece {
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
  const total = ({ ended }: Track) => ended.reduce((sum, count) => sum + count, 0);
  const most = tracks.reduce<Track | undefined>(
    (best, track) => (best === undefined || total(track) > total(best) ? track : best),
    undefined,
  );
  const ended = (most?.ended ?? []).flatMap((count, i) =>
    count > 0 ? [{ from: most?.times[i - 1] ?? 0, to: most?.times[i] ?? 0, count }] : [],
  );
  return {
    scrapes: scrapesOf(tracks),
    ended,
    pieces: joined(tracks.flatMap((track) => piecesOf(track, ended.length > 0))),
    known: tracks.length > 0,
  };
}

/** One endpoint, scrape by scrape. */
interface Track {
  readonly times: readonly number[];
  readonly inFlight: readonly number[];
  /** Whether anything was counted since the scrape before. */
  readonly moved: readonly boolean[];
  /** Requests that ended since the scrape before. */
  readonly ended: readonly number[];
}

function trackOf(
  { store }: Run,
  axis: EndpointAxis,
  keys: readonly { readonly key: SeriesKey; readonly concept: ConceptId }[],
): Track | undefined {
  if (keys.length === 0) return undefined;
  const order = axis.timeOrder();
  const times = Array.from({ length: axis.rows }, (_, i) => order?.[i] ?? i)
    .filter((row) => axis.kind(row) !== "failed")
    .map((row) => axis.times.at(row));
  const rowAt = new Map(times.map((time, row) => [time, row]));
  const inFlight = new Array<number>(times.length).fill(0);
  const moved = new Array<boolean>(times.length).fill(false);
  const counted = { finished: undefined, "e2e-latency": undefined } as Record<string, number[] | undefined>;
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
      for (let i = 0; i < own.length; i++) {
        const row = rowAt.get(own[i] ?? NaN);
        if (row === undefined) continue;
        const value = values[i] ?? 0;
        if (!cumulative) {
          inFlight[row] = (inFlight[row] ?? 0) + Math.max(0, value);
          continue;
        }
        const rise = value - (before ?? (row === 0 ? value : 0));
        before = value;
        if (rise === 0) continue;
        moved[row] = true;
        if (concept !== "finished" && concept !== "e2e-latency") continue;
        const ends = (counted[concept] ??= new Array<number>(times.length).fill(0));
        // After a restart all of it is new.
        ends[row] = (ends[row] ?? 0) + (rise < 0 ? value : rise);
      }
    }
  }
  return { times, inFlight, moved, ended: counted["finished"] ?? counted["e2e-latency"] ?? [] };
}

function isCumulative({ family: { type } }: SeriesKey): boolean {
  return type === "counter" || type === "histogram";
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
  const all = tracks.flatMap(({ times, inFlight }, t) => times.map((time, i) => ({ time, t, own: inFlight[i] ?? 0 })));
  const latest = tracks.map(() => 0);
  let total = 0;
  return all
    .sort((a, b) => a.time - b.time)
    .map(({ time, t, own }) => {
      total += own - (latest[t] ?? 0);
      latest[t] = own;
      return { time, inFlight: total };
    });
}

/** Stretches of work at one endpoint, one for each interval with work. */
function piecesOf({ times, inFlight, moved, ended }: Track, counts: boolean): Piece[] {
  const last = times.length - 1;
  return times.flatMap((time, i): Piece[] => {
    const busy = (inFlight[i] ?? 0) > 0;
    if (!busy && moved[i] !== true) return [];
    const begins = i > 0;
    const ends = !busy || i < last;
    return [
      {
        from: times[i - 1] ?? time,
        seen: time,
        to: busy ? (times[i + 1] ?? time) : time,
        work: counts ? (ended[i] ?? 0) : 1,
        begins,
        ends,
      },
    ];
  });
}

/** Stretches that touch or overlap become one. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  const out: Piece[] = [];
  for (const piece of [...pieces].sort((a, b) => a.from - b.from || a.to - b.to)) {
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
