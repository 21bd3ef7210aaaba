import { epochNs, toEpoch, type EpochNs, type NamedPhase, type Phase, type TimeRange } from "../model/index.js";
import { recordedWindow, type RunWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";

/** A phase of a run that can be chosen: what it is called, and the window its statistics run over. */
export interface RunPhase {
  readonly name: string;
  readonly kind: Phase;
  /** As recorded: of the load, not of the scrapes. */
  readonly start: EpochNs;
  readonly end: EpochNs;
  readonly window: RunWindow;
}

/** The name of profiling where its parts have none. */
export const PROFILING = "profiling";
export const WARMUP = "warmup";

/**
 * The phases of a run in the order of their starts, warm-ups included. A run without names has one or two:
 * its warm-up, if it had one, and profiling.
 */
export function runPhases(run: Run): readonly RunPhase[] {
  const named = run.phases.map((phase): RunPhase => {
    const end = phaseEnd(run, phase);
    return { name: phase.name, kind: phase.kind, start: phase.start, end, window: phaseWindow(run, phase) };
  });
  if (run.hasNamedProfiling) return named;
  const window = recordedWindow(run);
  return [...named, { name: PROFILING, kind: "profiling", start: window.start, end: window.end, window }];
}

/** Shorter parts than this are the gap between two scrapes, ns. */
const SHORTEST_IDLE = 1e9;

/** What was captured before and after the load, where the load is measured; a part between two scrapes is none. */
export function idleParts(run: Run): readonly (TimeRange & { readonly name: string })[] {
  const { load } = run;
  if (load === undefined || run.windowRule !== "load") return [];
  const parts = [
    { name: "idle before", start: run.origin, end: load.warmup?.load.start ?? load.start },
    // The load's last scrape is its reference.
    { name: "idle after", start: epochNs(load.end + 1n), end: toEpoch(run.newest, run.origin) },
  ];
  return parts.filter(({ start, end }) => Number(end - start) >= SHORTEST_IDLE);
}

/** The phase of that name, whatever the case of its letters. */
export function findPhase<P extends { readonly name: string }>(phases: readonly P[], name: string): P | undefined {
  return phases.find((phase) => phase.name === name) ?? phases.find((phase) => sameName(phase.name, name));
}

/** Names of phases are the same whatever their case. */
export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Statistics of a phase run over its own scrapes, with the last scrape before them as reference. */
function phaseWindow(run: Run, phase: NamedPhase): RunWindow {
  const { tags } = phase;
  if (tags === undefined) {
    const newest = toEpoch(run.newest, run.store.origin);
    // One that went on to the end of the run has its final scrapes, too.
    const open = phase.kind === "profiling" && phase.end === undefined && newest > phase.start;
    return { start: phase.start, end: open ? newest : phaseEnd(run, phase), kind: "exact" };
  }
  const last = lastScrapeBefore(run, tags.to);
  return { start: tags.from, end: last > tags.from ? last : tags.from, kind: "exact" };
}

/** The warm-up ends where profiling starts, and a phase that goes on with the newest scrape. */
function phaseEnd(run: Run, { kind, start, end }: NamedPhase): EpochNs {
  const newest = run.profilingEnd ?? toEpoch(run.newest, run.store.origin);
  if (kind === "profiling") return end ?? (newest > start ? newest : start);
  const limit = run.startIsSet ? run.profilingStart : newest;
  const given = end ?? limit;
  const before = given < limit ? given : limit;
  return before > start ? before : start;
}

function lastScrapeBefore(run: Run, time: EpochNs): EpochNs {
  const limit = Number(time - run.store.origin);
  let last = 0;
  for (const axis of run.store.endpoints) for (const at of axis.times.view()) if (at < limit && at > last) last = at;
  return epochNs(run.store.origin + BigInt(last));
}
