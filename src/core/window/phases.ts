import {
  epochNs,
  toEpoch,
  isPhaseName,
  PHASE_NAME_RULE,
  type EpochNs,
  type NamedPhase,
  type Phase,
  type TimeRange,
  type RunStatistics,
  type WarmupStatistics,
} from "../model/index.js";
import {
  recordedWindow,
  compareText,
  currentWindow,
  endpointInfo,
  runStatistics,
  reporting,
  type RunWindow,
  type StatisticsOptions,
} from "../stats/index.js";
import type { Run } from "../store/index.js";
import { fieldsOf, isFields, isList, textOf, type Json } from "../text/index.js";

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

/**
 * The phases of a list: `name`, `kind`, `start_ns`, `end_ns` and optionally `tag_from_ns` and `tag_to_ns` of each, the
 * times as integers or as their digits. A phase manifest and an object whose `phases` are the list are taken, too.
 * @throws Error saying which entry is wrong, and how
 */
export function parsePhaseList(document: Json): readonly NamedPhase[] {
  const list = isList(document) ? document : fieldsOf(document)["phases"];
  if (!isList(list)) throw new Error("a list of phases was expected, or an object with one as its phases");
  const phases = list.map((entry, i) => phaseOf(entry, `phase ${i + 1}`));
  if (!phases.some(({ kind }) => kind === "profiling")) throw new Error("none of its phases is of kind profiling");
  const problem = phases.map((phase, i) => phaseProblem(phase, phases.slice(0, i))).find((text) => text !== undefined);
  if (problem !== undefined) throw new Error(problem);
  return phases.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
}

/** Why a phase cannot stand beside the others; undefined when it can. */
export function phaseProblem(
  { name, kind, start, end, tags }: NamedPhase,
  others: readonly NamedPhase[],
): string | undefined {
  if (!isPhaseName(name)) return `"${name}" cannot name a phase: a name is ${PHASE_NAME_RULE}`;
  if ((sameName(name, "warmup") || sameName(name, "profiling")) && name.toLowerCase() !== kind)
    return `a phase of kind ${kind} cannot be named ${name}`;
  if (others.some((other) => sameName(other.name, name))) return `two phases are named ${name}`;
  if (end !== undefined && end < start) return `phase ${name} ends (${end}) before it starts (${start})`;
  if (tags !== undefined && tags.to <= tags.from)
    return `the scrapes of phase ${name} end (${tags.to}) before they begin (${tags.from})`;
  return undefined;
}

/** How a mark begins a phase: its label is "phase" and the name. */
const PHASE_MARK = /^phase[\s:]+(\S.*)$/i;

/** What a mark's label names a phase, if it begins one. */
export function markedPhase(label: string): string | undefined {
  return PHASE_MARK.exec(label.trim())?.[1];
}

/** A name for a phase, made of what a person or a program called it; one that is taken gets a number. */
export function phaseNameOf(text: string, taken: readonly { readonly name: string }[]): string {
  const plain = text
    .trim()
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .slice(0, 80);
  const name = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!taken.some((other) => sameName(other.name, candidate))) return candidate;
  }
}

function phaseOf(phase: unknown, where: string): NamedPhase {
  if (!isFields(phase)) throw new Error(`${where} is not an object`);
  const time = (field: string): EpochNs | undefined => {
    const value = phase[field];
    if (value === undefined || value === null) return undefined;
    const whole = typeof value === "bigint" || Number.isSafeInteger(value) || /^\d{1,20}$/.test(textOf(value));
    if (!whole) throw new Error(`${field} of ${where} is not a time in nanoseconds since the epoch`);
    return epochNs(BigInt(typeof value === "bigint" || typeof value === "number" ? value : textOf(value)));
  };
  const needed = (field: string): EpochNs => {
    const value = time(field);
    if (value === undefined) throw new Error(`${where} has no ${field}`);
    return value;
  };
  const [from, to] = [time("tag_from_ns"), time("tag_to_ns")];
  return {
    name: textOf(phase["name"] ?? phase["phase_name"]),
    kind: kindOf(phase["kind"] ?? phase["phase_kind"], where),
    start: needed("start_ns"),
    end: needed("end_ns"),
    ...(from === undefined || to === undefined ? {} : { tags: { from, to } }),
  };
}

function kindOf(value: unknown, where: string): Phase {
  if (value === "warmup" || value === "profiling") return value;
  throw new Error(`kind of ${where} is neither warmup nor profiling`);
}

/** The windows that a JSON artifact is over: its own and, apart from it, that of the warm-up. */
export interface ArtifactWindows {
  readonly window: RunWindow;
  readonly phase?: "warmup";
  /** Beside a window that was chosen, or another than profiling's, there is no warm-up. */
  readonly warmup?: RunWindow;
}

/** @param chosen absent: the run's current window */
export function artifactWindows(run: Run, chosen?: RunWindow): ArtifactWindows {
  const window = chosen ?? currentWindow(run);
  const warmup = warmupWindow(run);
  if (warmup === undefined) return { window };
  if (window.start >= warmup.start && window.end <= warmup.end) return { window, phase: "warmup" };
  const isProfiling = run.chosenWindow === undefined && window.start === run.measuredFrom;
  return isProfiling ? { window, warmup } : { window };
}

/**
 * The statistics of a run as a JSON artifact holds them: those of its window and, apart from them, those of its
 * warm-up. Yields the share done.
 * @throws RangeError for an unusable slice length
 */
export function* statisticsByPhase(run: Run, options: StatisticsOptions): Generator<number, RunStatistics> {
  const { window, phase, warmup } = artifactWindows(run, options.window);
  if (warmup === undefined) {
    const statistics = yield* runStatistics(run, { ...options, window });
    return phase === undefined ? statistics : { ...statistics, phase };
  }
  const statistics = yield* reporting(runStatistics(run, { ...options, window }), (share) => share / 2);
  const { families } = yield* reporting(runStatistics(run, { ...options, window: warmup }), (share) => 0.5 + share / 2);
  return { ...statistics, warmup: { start: warmup.start, end: warmup.end, families } satisfies WarmupStatistics };
}

/**
 * The statistics of one phase alone: its own scrapes, the last one before them as reference, endpoint information of
 * the phase. Yields the share done.
 * @throws RangeError for an unusable slice length
 */
export function* phaseStatistics(
  run: Run,
  { kind, window }: RunPhase,
  options: StatisticsOptions,
): Generator<number, RunStatistics> {
  const statistics = yield* runStatistics(run, { ...options, window });
  const { origin, endpoints } = run.store;
  const within = { start: Number(window.start - origin), end: Number(window.end - origin) };
  const infos = endpoints.flatMap((axis) => {
    const info = endpointInfo(axis, origin, window.kind === "recorded" ? { ...within, end: Infinity } : within);
    return info === undefined ? [] : [[axis.url, info] as const];
  });
  return { ...statistics, phase: kind, endpointInfo: infos.sort(([a], [b]) => compareText(a, b)) };
}

/** From the first warm-up's start to the last one's end, the scrapes that belong to it included. */
export function warmupWindow(run: Run): RunWindow | undefined {
  const windows = runPhases(run).filter(({ kind }) => kind === "warmup");
  const range = windows.reduce<TimeRange | undefined>(
    (all, { window: { start, end } }) =>
      all === undefined
        ? { start, end }
        : { start: start < all.start ? start : all.start, end: end > all.end ? end : all.end },
    undefined,
  );
  return range === undefined || range.start >= range.end ? undefined : { ...range, kind: "exact" };
}
