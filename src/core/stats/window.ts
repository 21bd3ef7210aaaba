import { NS_PER_SECOND, toEpoch, type EpochNs } from "../model/index.js";
import type { EndpointAxis, Run } from "../store/index.js";
import { lastUpdateTime } from "./endpoint-info.js";

/** The window that one endpoint's statistics run over, on the run's axis (OffsetNs), both ends included. */
export interface StatisticsWindow {
  readonly start: number;
  /** Effective end for a recorded window, the exact end for a chosen one. */
  readonly end: number;
  /** Stretches inside that belong to no phase, [from, to): gauges do not count there. Ascending; absent: none. */
  readonly pauses?: readonly { readonly from: number; readonly to: number }[];
  /** What rates divide by, where it is known: how long the load took. Absent: from the reference to the last sample. */
  readonly seconds?: number;
  /** Absent or 0: no slices. */
  readonly sliceSeconds?: number;
}

export interface RunWindow {
  readonly start: EpochNs;
  readonly end: EpochNs;
  /**
   * recorded: runs per endpoint to the effective end, so that the final scrape counts; where scrapes carry tags, over
   * those of profiling. load: the load, exactly.
   * exact: as chosen in a view.
   */
  readonly kind: "recorded" | "load" | "exact";
  /** What rates divide by; absent: the time between the samples they are of. */
  readonly seconds?: number;
}

/** The load where it is known, else the profiling phase as recorded; up to the newest sample while it goes on. */
export function recordedWindow(run: Run): RunWindow {
  const { load } = run;
  if (load !== undefined && run.windowRule === "load") {
    // The load generator's duration is that of all of its load, not of what a moved start leaves of it.
    const seconds = run.profilingStart === load.start ? load.seconds : undefined;
    return { start: run.profilingStart, end: load.end, kind: "load", ...(seconds === undefined ? {} : { seconds }) };
  }
  return {
    start: run.measuredFrom,
    end: run.profilingEnd ?? toEpoch(run.newest, run.store.origin),
    kind: "recorded",
  };
}

/** What statistics run over by default: the window a user chose, else the recorded one. */
export function currentWindow(run: Run): RunWindow {
  const chosen = run.chosenWindow;
  return chosen === undefined ? recordedWindow(run) : { ...chosen, kind: "exact" };
}

/** The window of one endpoint's statistics on the run's axis. */
export function endpointWindow(
  run: Run,
  axis: EndpointAxis,
  window: RunWindow,
  sliceSeconds: number,
): StatisticsWindow {
  const start = Number(window.start - run.store.origin);
  const end = Number(window.end - run.store.origin);
  if (window.kind !== "recorded")
    return { start, end, sliceSeconds, ...(window.seconds === undefined ? {} : { seconds: window.seconds }) };
  const pauses = [...pausesOf(run), ...warmupScrapes(run, axis)];
  const bounds = taggedBounds(run, axis) ?? { start, end: Math.max(end, lastUpdateTime(axis) ?? end) };
  return { ...bounds, sliceSeconds, ...(pauses.length === 0 ? {} : { pauses }) };
}

/** AIPerf's rule: from an endpoint's first scrape that is tagged as profiling's to its last. */
function taggedBounds({ tagged, store, recordedStart, profilingStart }: Run, axis: EndpointAxis) {
  const range = tagged?.get(axis.url);
  if (range === undefined) return undefined;
  const isMoved = recordedStart !== undefined && profilingStart > range.start;
  const earliest = Number((isMoved ? profilingStart : range.start) - store.origin);
  const latest = Number(range.end - store.origin);
  let [start, end] = [Infinity, -Infinity];
  for (const time of axis.times.view()) {
    if (time < earliest || time > latest) continue;
    start = Math.min(start, time);
    end = Math.max(end, time);
  }
  // A single scrape is a window, too.
  return start > end ? undefined : { start, end: Math.max(end, start + 1) };
}

/** Scrapes of the warm-up that came after the first of profiling. */
function warmupScrapes(
  { tagged, store }: Run,
  { url }: EndpointAxis,
): { readonly from: number; readonly to: number }[] {
  const { start = 0n, warmup = [] } = tagged?.get(url) ?? {};
  return warmup
    .filter((time) => time > start)
    .map((time) => {
      const from = Number(time - store.origin);
      return { from, to: from + 1 };
    });
}

/** What lies between the phases of profiling, where they follow each other with pauses. */
function pausesOf({ phases, store }: Run): { readonly from: number; readonly to: number }[] {
  const profiling = phases.filter(({ kind }) => kind === "profiling");
  return profiling.slice(1).flatMap(({ start, tags }, i) => {
    const before = profiling[i];
    // Without tags a phase has all from its start to its end, both included.
    const from = before?.tags?.to ?? (before?.end === undefined ? undefined : before.end + 1n);
    const to = tags?.from ?? start;
    if (from === undefined || from >= to) return [];
    return [{ from: Number(from - store.origin), to: Number(to - store.origin) }];
  });
}

/**
 * Mean seconds between scrapes of the endpoint scraped most rarely, leaving out those that were hardly there.
 * @param start offset on the run's axis, as `end`
 */
export function meanInterval(endpoints: readonly EndpointAxis[], start: number, end: number): number {
  const counts = endpoints.map((axis) => {
    let inside = 0;
    for (let row = 0; row < axis.rows; row++) {
      const time = axis.times.at(row);
      if (time >= start && time <= end && axis.kind(row) !== "failed") inside++;
    }
    return inside;
  });
  const most = Math.max(0, ...counts);
  const least = Math.min(...counts.filter((count) => count * 2 > most));
  return least > 1 && Number.isFinite(least)
    ? (end - start) / NS_PER_SECOND / (least - 1)
    : (end - start) / NS_PER_SECOND;
}
