import { spanOf, type ClientResult } from "../client/index.js";
import {
  epochNs,
  NS_PER_SECOND,
  type EpochNs,
  type LoadWindow,
  type NamedPhase,
  type TimeRange,
  type WindowRule,
} from "../model/index.js";
import { lowerBound, upperBound, type Run } from "../store/index.js";
import { activityOf, type Activity, type BusyPeriod } from "./activity.js";
import { clockOffset } from "./clock.js";
import { phaseNameOf, WARMUP } from "./phases.js";

/** A load that was found, with its parts where a load generator ran several after one another. */
export interface FoundLoad extends LoadWindow {
  readonly phases?: readonly NamedPhase[];
}

/**
 * Finds the window of the load: as the load generator's own file tells it, else from the first to the last thing asked
 * of the servers. Its boundaries lie at idle scrapes, so that what is counted inside is what the load was.
 * @param run over, or as far as it has gone
 * @param results of the load generator, on its own clock; none where there is no file of it
 * @returns undefined where neither tells a load, or where phases of it have names: then all that was captured is
 *   measured
 */
export function findLoad(run: Run, results: readonly ClientResult[] = []): FoundLoad | undefined {
  if (run.hasNamedProfiling) return undefined;
  const activity = activityOf(run);
  if (!activity.known || activity.scrapes.times.length < 2) return undefined;
  return clientLoad(run, activity, results) ?? activityLoad(run, activity);
}

export interface MeasureOptions {
  /** Results of the load generator, on its own clock. */
  readonly clients?: readonly ClientResult[];
  /** Of a warm-up that was asked for as a length of time: it counts from the load's start. */
  readonly warmupSeconds?: number;
  /** The load generator's own warm-up before its load, on its clock. */
  readonly clientWarmup?: TimeRange;
}

/**
 * Makes the load, where one is found, what is measured of a run that is over.
 * @returns undefined where all that was captured stays measured
 */
export function measureLoad(run: Run, options?: MeasureOptions): LoadWindow | undefined {
  const load = measurable(run, options);
  if (load === undefined) return undefined;
  const { phases = [], ...window } = load;
  run.measureLoad(window);
  run.putPhases(phases);
  return window;
}

/** Keeps the load, where one is found, beside what is measured of a run that is over, so that it can be chosen. */
export function offerLoad(run: Run, options?: MeasureOptions): void {
  const load = measurable(run, options);
  if (load === undefined) return run.offerLoad(undefined);
  const { phases: _, ...window } = load;
  run.offerLoad(window);
}

/**
 * Measures a run that is over by a rule, whatever it was recorded by; its load is looked for where it is not known.
 * Nothing changes where the run has not the samples for it, or no load.
 */
export function measureBy(run: Run, rule: WindowRule, options?: MeasureOptions): void {
  if (rule === run.windowRule) return;
  if (run.load === undefined) offerLoad(run, options);
  if (run.isWindowSwitchable) run.applyWindowRule(rule);
}

function measurable(
  run: Run,
  { clients = [], warmupSeconds = 0, clientWarmup }: MeasureOptions = {},
): FoundLoad | undefined {
  const found = findLoad(run, clients);
  if (found === undefined) return undefined;
  return withClientWarmup(run, afterWarmup(run, found, warmupSeconds), clientWarmup);
}

/** The load generator's warm-up is a phase before its load, up to the scrape that the load counts from. */
function withClientWarmup(run: Run, load: FoundLoad | undefined, warmup: TimeRange | undefined): FoundLoad | undefined {
  if (load?.by !== "client" || warmup === undefined || run.phases.length > 0) return load;
  const { start: end, clockOffsetSeconds = 0, phases = [] } = load;
  const start = epochNs(warmup.start + BigInt(Math.round(clockOffsetSeconds * NS_PER_SECOND)));
  if (start >= end) return load;
  const range = { start, end };
  const phase: NamedPhase = { name: WARMUP, kind: "warmup", ...range };
  return { ...load, warmup: { load: range, all: range }, phases: [phase, ...phases] };
}

/**
 * Where the load of a capture under way began, by what the servers have shown so far.
 * @returns undefined while nothing was asked of them, and where that began before the capture
 */
export function loadBegun(run: Run): EpochNs | undefined {
  if (run.hasNamedProfiling) return undefined;
  const activity = activityOf(run);
  const first = loadPieces(activity.pieces)[0];
  const reference = first?.begins === true ? lastScrapeBefore(activity, first.seen) : undefined;
  return reference === undefined ? undefined : epochNs(run.store.origin + BigInt(Math.round(reference + 1)));
}

/** A warm-up lies inside the load: one of so many seconds from its start, one whose end a user marked up to there. */
function afterWarmup(run: Run, load: FoundLoad, warmupSeconds: number): FoundLoad | undefined {
  const phase = run.phases.find(({ kind }) => kind === "warmup");
  if (phase === undefined) return load;
  const marked = run.load?.whole.start ?? run.profilingStart;
  const stated = epochNs(load.start + BigInt(Math.round(warmupSeconds * NS_PER_SECOND)));
  const end = warmupSeconds > 0 ? stated : marked > load.start ? marked : load.start;
  if (end >= load.end) return undefined;
  const all = run.load?.warmup?.all ?? { start: phase.start, end: phase.end ?? marked };
  const warmup = { load: { start: warmupSeconds > 0 ? load.start : phase.start, end }, all };
  const { seconds, ...rest } = load;
  const left = seconds === undefined ? undefined : seconds - Number(end - load.start) / NS_PER_SECOND;
  return { ...rest, start: end, warmup, ...(left === undefined || left <= 0 ? {} : { seconds: left }) };
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
export function loadPieces(pieces: readonly BusyPeriod[]): readonly BusyPeriod[] {
  const largest = pieces.reduce((most, { work }) => Math.max(most, work), 0);
  const isLoad = ({ work, begins, ends }: BusyPeriod) =>
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

function clientLoad(run: Run, activity: Activity, results: readonly ClientResult[]): FoundLoad | undefined {
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
  const found = windowOf(
    run,
    activity,
    { start, end },
    {
      ...about,
      seconds: seconds ?? (to - from) / NS_PER_SECOND,
      ...(aligned.said ? { clockOffsetSeconds: by / NS_PER_SECOND } : {}),
    },
  );
  if (found === undefined) return undefined;
  // A warm-up so short that no scrape lies between it and the load is counted, too.
  const mayBeOff = Math.max(found.mayBeOff, endedIn(activity, start, end) - requests.length);
  const phases = loadPhases(run, activity, results, by);
  return { ...found, mayBeOff, ...(phases.length === 0 ? {} : { phases }) };
}

/**
 * A phase for each of several loads that a load generator ran after one another, such as the rates of a sweep; none
 * where some ran at the same time, or tell no requests.
 * @param by added to the load generator's clock, ns
 */
function loadPhases(run: Run, activity: Activity, results: readonly ClientResult[], by: number): NamedPhase[] {
  const { origin } = run.store;
  const parts = results
    .flatMap((result) => {
      const span = spanOf(result.requests);
      if (span === undefined) return [];
      const firstEnd = result.requests.reduce((least, { end }) => (end < least ? end : least), span.end);
      const offset = (time: EpochNs) => Number(time - origin) + by;
      return [{ result, from: offset(span.start), to: offset(span.end), firstEnd: offset(firstEnd) }];
    })
    .sort((a, b) => a.from - b.from);
  const isSequence = parts.every(({ from }, i) => from >= (parts[i - 1]?.to ?? -Infinity));
  if (results.length < 2 || parts.length < results.length || !isSequence) return [];
  const starts = parts.map(({ from, firstEnd }) => (startBoundary(activity, from, firstEnd) ?? from) + 1);
  return parts.reduce<NamedPhase[]>((phases, { result, to }, i) => {
    // Without an idle scrape between two loads the second begins where the first ends.
    const end = Math.min(endBoundary(activity, to) ?? to, (starts[i + 1] ?? Infinity) - 1);
    const at = (offset: number) => epochNs(origin + BigInt(Math.round(offset)));
    const name = phaseNameOf(result.label ?? loadNameOf(result) ?? `load ${i + 1}`, phases);
    return [...phases, { name, kind: "profiling", start: at(starts[i] ?? 0), end: at(end) }];
  }, []);
}

function loadNameOf({ concurrency, requestRate }: ClientResult): string | undefined {
  if (concurrency !== undefined) return `concurrency ${concurrency}`;
  return requestRate === undefined ? undefined : `rate ${requestRate}`;
}

/**
 * The scrape that is the reference of a load from `from` on: the last idle one before the servers show anything of it.
 * It may lie a little later than `from`: the servers tell of earlier requests a little late. The client hears of the
 * first end at `firstEnd`, a server knows it before; in the first half of the time until then nothing has ended.
 */
function startBoundary(activity: Activity, from: number, firstEnd: number): number | undefined {
  const { times, inFlight } = activity.scrapes;
  const piece = activity.pieces.find(({ to }) => to > from);
  // Idle until the servers show the first request.
  if (piece !== undefined && (piece.from >= from || piece.seen > from)) return lastScrapeBefore(activity, piece.seen);
  const before = upperBound(times, from) - 1;
  const end = lowerBound(times, (from + firstEnd) / 2);
  // The first idle gap alone: requests that end together leave others, of which the client hears a little later.
  let at = Math.max(0, before);
  while (at < end && inFlight[at] !== 0) at++;
  if (at >= end) return times[before];
  while (at + 1 < end && !((inFlight[at + 1] ?? 0) > 0)) at++;
  return times[at];
}

/** The last sample of a load up to `to`: the first idle scrape from then on, once the counters are still. */
function endBoundary({ scrapes, pieces }: Activity, to: number): number | undefined {
  const piece = pieces.find((one) => one.from <= to && one.to >= to);
  const { times, inFlight } = scrapes;
  const after = lowerBound(times, to);
  const idleAt = inFlight.indexOf(0, after);
  const idle = idleAt < 0 ? undefined : times[idleAt];
  // What the servers count a scrape late belongs to it; another load does not.
  const end = piece !== undefined && idle !== undefined && piece.to > idle ? idle : (piece?.to ?? idle);
  return end === undefined || end < to ? (idle ?? times[after]) : end;
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
  const { times } = activity.scrapes;
  const mayBeOff = strangersAt(activity, bounds.start ?? times[0]) + strangersAt(activity, bounds.end ?? times.at(-1));
  return { start, end, ...about, mayBeOff: Math.ceil(mayBeOff), whole };
}

/** Requests that a boundary may count to the wrong side: in flight there, or by the next scrape; 0 if idle. */
function strangersAt({ scrapes: { times, inFlight }, ended }: Activity, time = -Infinity): number {
  const at = upperBound(times, time) - 1;
  const [here = 0, next] = [inFlight[at], inFlight[at + 1]];
  if (here === 0 || next === undefined) return here;
  let over = 0;
  const last = upperBound(ended.to, times[at + 1] ?? Infinity);
  for (let i = upperBound(ended.to, times[at] ?? 0); i < last; i++) over += ended.count[i] ?? 0;
  return Math.max(here, next + over);
}

/** Requests whose end was seen after one time and up to another, by the endpoint that counts most. */
function endedIn({ ended }: Activity, from = -Infinity, to = Infinity): number {
  return ended.count.reduce(
    (sum, count, i) => sum + ((ended.to[i] ?? 0) > from && (ended.to[i] ?? 0) <= to ? count : 0),
    0,
  );
}

function lastScrapeBefore({ scrapes: { times } }: Activity, time: number): number | undefined {
  return times[lowerBound(times, time) - 1];
}

function lengthOf({ start, end }: TimeRange): number {
  return Number(end - start) / NS_PER_SECOND;
}
