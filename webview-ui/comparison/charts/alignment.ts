import { NS_PER_MS, NS_PER_SECOND, offsetNs, type OffsetNs } from "../../../src/core/model/index.js";
import type {
  ComparedRunStatus,
  RunAnchors,
  RunId,
  ComparisonRow,
  RowAnswer,
  RowQuestion,
} from "../../../src/protocol/comparison.js";
import type { RunHeader } from "../../../src/protocol/index.js";
import type { Viewport } from "../../state/run-store.js";
import type { Alignment } from "../layout.js";

/** A run that can be charted, with its place on the common time axis. */
export interface AlignedRun {
  readonly id: RunId;
  readonly label: string;
  readonly header: RunHeader;
  /** What is 0 on the common axis, as ns since the run's origin; may lie outside the run. */
  readonly zero: number;
  /** It does not tell when the first request ran: aligned at the start of profiling instead. */
  readonly substituted: boolean;
}

/** The runs that are read, on one axis. In wall-clock time 0 is the start of profiling of the first. */
export function alignRuns(runs: readonly ComparedRunStatus[], alignment: Alignment): AlignedRun[] {
  let first: RunAnchors | undefined;
  return runs.flatMap(({ id, label, state }) => {
    if (state.kind !== "ready") return [];
    const { anchors, header } = state;
    first ??= anchors;
    const substituted = alignment === "first-request" && anchors.firstRequest === undefined;
    return [{ id, label, header, zero: zeroOf(anchors, first, alignment), substituted }];
  });
}

function zeroOf(own: RunAnchors, first: RunAnchors, alignment: Alignment): number {
  if (alignment === "wall-clock") return first.profilingStart + (first.originMs - own.originMs) * NS_PER_MS;
  return alignment === "first-request" ? (own.firstRequest ?? own.profilingStart) : own.profilingStart;
}

/** Seconds on the common axis. */
export function secondsOf(offset: number, { zero }: Pick<AlignedRun, "zero">): number {
  return (offset - zero) / NS_PER_SECOND;
}

/** The shortest axis. Seconds. */
const MIN_SPAN = 5;

/** From the first scrape of any run to the last. */
export function wholeAxis(runs: readonly AlignedRun[]): Viewport {
  const from = Math.min(...runs.map((run) => secondsOf(0, run)));
  const to = Math.max(...runs.map((run) => secondsOf(run.header.now, run)));
  return { from, to: Math.max(to, from + MIN_SPAN) };
}

/**
 * The part of a run that a stretch of the axis shows; undefined when it shows nothing of it. Without a stretch: {} for
 * all.
 */
export function windowOf(
  run: AlignedRun,
  viewport: Viewport | undefined,
): { readonly from?: OffsetNs; readonly to?: OffsetNs } | undefined {
  if (viewport === undefined) return {};
  const from = Math.max(0, Math.round(viewport.from * NS_PER_SECOND + run.zero));
  const to = Math.min(run.header.now, Math.round(viewport.to * NS_PER_SECOND + run.zero));
  return to > from ? { from: offsetNs(from), to: offsetNs(to) } : undefined;
}

/** More lines of one run are a thicket. */
const MAX_SERIES = 6;
/**
 * More lines are not taken together in a chart: the first ones stand for them. Of histograms the engine takes together
 * any number.
 */
export const MAX_JOINED = 50;

/** What was answered of one run; no data when the row has nothing of it, or the stretch shows nothing of it. */
export interface Answered<T> extends Omit<RowAnswer<T>, "run"> {
  readonly run: AlignedRun;
}

/** At most 1,000 points of each line in the stretch asked for. */
export const LINE_LIMITS = { maxPoints: 1000, maxSeries: MAX_SERIES, maxJoined: MAX_JOINED };
/** Columns of a heatmap: a few pixels each. */
export const HEATMAP_LIMITS = { maxColumns: 120 };

/** About a row's series in every run. @param viewport undefined: all of every run */
export function rowQuestion(
  row: ComparisonRow,
  runs: readonly AlignedRun[],
  viewport: Viewport | undefined,
): RowQuestion {
  return {
    row: row.id,
    runs: runs.map((run) => {
      const window = windowOf(run, viewport);
      return { run: run.id, ...(window === undefined ? {} : { window }) };
    }),
  };
}

/** Answers with their runs. */
export function answered<T>(runs: readonly AlignedRun[], answers: readonly RowAnswer<T>[]): Answered<T>[] {
  return answers.flatMap(({ run: id, ...answer }) => {
    const run = runs.find((one) => one.id === id);
    return run === undefined ? [] : [{ ...answer, run }];
  });
}
