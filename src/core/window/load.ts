import { spanOf, type ClientResult } from "../client/index.js";
import { epochNs, NS_PER_SECOND, type LoadWindow, type TimeRange } from "../model/index.js";
import type { Run } from "../store/index.js";
import { activityOf, type Activity, type Piece } from "./activity.js";
import { clockOffset } from "./clock.js";

/**
 * Finds the window of the load: as the load generator's own file tells it, else from the first to the last thing asked
 * of the servers. Its boundaries lie at idle scrapes, so that what is counted inside is what the load was.
 * @param run over, or as far as it has gone
 * @param results of the load generator, on its own clock; none where there is no file of it
 * @returns undefined where neither tells a load, or where phases of it have names: then all that was captured is
 *   measured
 */
export function findLoad(run: Run, results: readonly ClientResult[] = []): LoadWindow | undefined {
  if (run.hasNamedProfiling) return undefined;
  const activity = activityOf(run);
  if (!activity.known || activity.scrapes.length < 2) return undefined;
  return clientLoad(run, activity, results) ?? activityLoad(run, activity);
}

export interface MeasureOptions {
  /** Results of the load generator, on its own clock. */
  readonly clients?: readonly ClientResult[];
  /** Of a warm-up that was asked for as a length of time: it counts from the load's start. */
  readonly warmupSeconds?: number;
}

/**
 * Makes the load, where one is found, what is measured of a run that is over.
 * @returns undefined where all that was captured stays measured
 */
export function measureLoad(
  run: Run,
  { clients = [], warmupSeconds = 0 }: MeasureOptions = {},
): LoadWindow | undefined {
  const found = findLoad(run, clients);
  const load = found === undefined ? undefined : afterWarmup(run, found, warmupSeconds);
  if (load !== undefined) run.measureLoad(load);
  return load;
}

/** A warm-up lies inside the load: one of so many seconds from its start, one whose end a user marked up to there. */
function afterWarmup(run: Run, load: LoadWindow, warmupSeconds: number): LoadWindow | undefined {
  const warmup = run.phases.find(({ kind }) => kind === "warmup");
  if (warmup === undefined) return load;
  const marked = run.load?.whole.start ?? run.profilingStart;
  const stated = epochNs(load.start + BigInt(Math.round(warmupSeconds * NS_PER_SECOND)));
  const end = warmupSeconds > 0 ? stated : marked > load.start ? marked : load.start;
  if (end >= load.end) return undefined;
  if (end > warmup.start) run.putPhase({ ...warmup, start: warmupSeconds > 0 ? load.start : warmup.start, end });
  if (end === load.start) return load;
  const { seconds, ...rest } = load;
  const left = seconds === undefined ? undefined : seconds - Number(end - load.start) / NS_PER_SECOND;
  return { ...rest, start: end, ...(left === undefined || left <= 0 ? {} : { seconds: left }) };
}

/** Pieces with less than this share of the requests of the largest one may be probes. */
const PROBE_SHARE = 0.1;
/** Probes come at less than this share of the load's rate. */
const TRICKLE_RATE = 0.1;

/**
 * The pieces from the first to the last that are load. A trickle before or after, such as health checks, is none where
 * load is seen beside it: pieces of a few requests each, that come far more rarely than the load's. (Where all pieces
 * are alike, as under a slow load, all of them are load. Pauses inside the load stay, however long.)
 */
export function loadPieces(pieces: readonly Piece[]): readonly Piece[] {
  const largest = pieces.reduce((most, { work }) => Math.max(most, work), 0);
  const isLoad = ({ work, begins, ends }: Piece) =>
    work > PROBE_SHARE * largest || (work > 0 && !(begins && ends) && work > 1);
  let first = pieces.findIndex(isLoad);
  let last = pieces.findLastIndex(isLoad);
  const [from, to] = [pieces[first], pieces[last]];
  if (from === undefined || to === undefined) return pieces;
  const inside = pieces.slice(first, last + 1).reduce((sum, { work }) => sum + work, 0);
  const rate = inside / Math.max(1, to.to - from.from);
  const near = (work: number, span: number) => work / Math.max(1, span) > TRICKLE_RATE * rate;
  // A small piece near the load, for its rate, is a part of it.
  for (let at = pieces[first - 1]; at !== undefined; at = pieces[first - 1]) {
    if (!near(at.work, (pieces[first]?.from ?? 0) - at.from)) break;
    first--;
  }
  for (let at = pieces[last + 1]; at !== undefined; at = pieces[last + 1]) {
    if (!near(at.work, at.to - (pieces[last]?.to ?? 0))) break;
    last++;
  }
  return pieces.slice(first, last + 1);
}

function activityLoad(run: Run, activity: Activity): LoadWindow | undefined {
  const pieces = loadPieces(activity.pieces);
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined || !(first.begins || last.ends)) return undefined;
  const start = first.begins ? lastScrapeBefore(activity, first.seen) : undefined;
  return windowOf(run, activity, { start, end: last.ends ? last.to : undefined }, { by: "activity" });
}

function clientLoad(run: Run, activity: Activity, results: readonly ClientResult[]): LoadWindow | undefined {
  const requests = results.flatMap((result) => result.requests);
  const span = spanOf(requests);
  const [only, another] = results;
  if (only === undefined) return undefined;
  const about = { by: "client" as const, tool: only.tool };
  const seconds = another === undefined ? only.durationSeconds : undefined;
  if (span === undefined) {
    // Its length without its requests: where it lay the servers tell.
    const found = activityLoad(run, activity);
    const fits = found !== undefined && seconds !== undefined && seconds > 0 && seconds <= lengthOf(found);
    return fits ? { ...found, ...about, seconds } : undefined;
  }
  const { origin } = run.store;
  const ends = requests.map(({ end }) => Number(end - origin)).sort((a, b) => a - b);
  const aligned = clockOffset(
    activity,
    ends,
    results.some(({ localEnd }) => localEnd !== undefined),
  );
  if (aligned === undefined) return undefined;
  const by = aligned.offset;
  const [from, to] = [Number(span.start - origin) + by, Number(span.end - origin) + by];
  const start = startBoundary(activity, from, (ends[0] ?? 0) + by);
  const end = endBoundary(activity, to);
  return windowOf(
    run,
    activity,
    { start, end },
    {
      ...about,
      seconds: seconds ?? (to - from) / NS_PER_SECOND,
      ...(aligned.said ? { clockOffsetSeconds: by / NS_PER_SECOND } : {}),
    },
  );
}

/**
 * The scrape that is the reference of a load from `from` on: the last idle one before the servers show anything of it.
 * It may lie a little later than `from`, since nothing can have ended before `firstEnd`.
 */
function startBoundary({ scrapes, pieces }: Activity, from: number, firstEnd: number): number | undefined {
  const piece = pieces.find(({ to }) => to > from);
  const before = scrapes.findLast(({ time }) => time <= from);
  // Idle until the servers show the first request.
  if (piece !== undefined && (piece.from >= from || piece.seen > from))
    return scrapes.findLast(({ time }) => time < piece.seen)?.time;
  const near = scrapes.filter(({ time }) => time >= (before?.time ?? from) && time < firstEnd);
  const idle = near.slice(
    Math.max(
      0,
      near.findIndex(({ inFlight }) => inFlight === 0),
    ),
  );
  // The first idle gap alone: requests that end together leave others, of which the client hears a little later.
  const busy = idle.findIndex(({ inFlight }) => inFlight > 0);
  return (busy < 0 ? idle.at(-1) : idle[busy - 1])?.time ?? before?.time;
}

/** The last sample of a load up to `to`: the first idle scrape from then on, once the counters are still. */
function endBoundary({ scrapes, pieces }: Activity, to: number): number | undefined {
  const piece = pieces.find((one) => one.from <= to && one.to >= to);
  const after = scrapes.filter(({ time }) => time >= to);
  const idle = after.find(({ inFlight }) => inFlight === 0)?.time;
  // What the servers count a scrape late belongs to it; another load does not.
  const end = piece !== undefined && idle !== undefined && piece.to > idle ? idle : (piece?.to ?? idle);
  return end === undefined || end < to ? (idle ?? after[0]?.time) : end;
}

/** @param bounds times of scrapes; undefined: the capture began or ended within the load */
function windowOf(
  run: Run,
  activity: Activity,
  bounds: { readonly start: number | undefined; readonly end: number | undefined },
  about: Pick<LoadWindow, "by" | "tool" | "seconds" | "clockOffsetSeconds">,
): LoadWindow | undefined {
  const { origin } = run.store;
  const whole: TimeRange = {
    start: run.load?.whole.start ?? run.profilingStart,
    end: run.load?.whole.end ?? run.profilingEnd ?? epochNs(origin + BigInt(run.newest)),
  };
  const at = (time: number) => epochNs(origin + BigInt(Math.round(time)));
  // The scrape itself is the reference, and no sample of the window.
  const start = bounds.start === undefined ? whole.start : at(bounds.start + 1);
  const end = bounds.end === undefined ? at(run.newest) : at(bounds.end);
  if (end <= start) return undefined;
  const { scrapes } = activity;
  const mayBeOff =
    strangersAt(activity, bounds.start ?? scrapes[0]?.time) + strangersAt(activity, bounds.end ?? scrapes.at(-1)?.time);
  return { start, end, ...about, mayBeOff: Math.ceil(mayBeOff), whole };
}

/** Requests that a boundary may count to the wrong side: in flight there, or by the next scrape; 0 if idle. */
function strangersAt({ scrapes, ended }: Activity, time: number | undefined): number {
  const at = scrapes.findLastIndex((scrape) => scrape.time <= (time ?? -Infinity));
  const [here, next] = [scrapes[at], scrapes[at + 1]];
  if (here === undefined || here.inFlight === 0) return 0;
  if (next === undefined) return here.inFlight;
  const over = ended.reduce((sum, { to, count }) => (to > here.time && to <= next.time ? sum + count : sum), 0);
  return Math.max(here.inFlight, next.inFlight + over);
}

function lastScrapeBefore({ scrapes }: Activity, time: number): number | undefined {
  return scrapes.findLast((scrape) => scrape.time < time)?.time;
}

function lengthOf({ start, end }: TimeRange): number {
  return Number(end - start) / NS_PER_SECOND;
}
