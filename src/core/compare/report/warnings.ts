import { apart, displayName, RATES_FROM_FIRST_INSIDE } from "../../model/index.js";
import { groupBy } from "../../math/index.js";
import { isSameRun } from "../same-run.js";
import { windowSeconds, type MeasuredRun } from "../source.js";
import type { ComparisonWarning } from "../types.js";
import { plural } from "../../text/plural.js";

/** Lengths and loads that differ by more than this share are worth a word. */
const LENGTH_TOLERANCE = 0.1;
const LOAD_TOLERANCE = 0.1;
/** A run that is still being captured is measured against others once it is this share of their length. */
const LIVE_SHARE = 0.5;
/**
 * One that is over may be short because it was fast: what took it less than this share of the other's time saw
 * something else.
 */
const OVER_SHARE = 0.2;
/** Slices below which a window is short. */
const FEW_SLICES = 25;
/** A warm-up shorter than this is none: a capture's baseline scrape lies before profiling, too. */
const SHORTEST_WARM_UP_SECONDS = 2;
/** What windows of different rules may change rates by, to be worth a word. */
const MATTERS = 0.005;
/** Names that a line has room for. */
const MAX_NAMES = 3;

/** One run with what was learnt of it while comparing. */
export interface Examined {
  readonly source: MeasuredRun;
  /** Position of its candidate; −1 for the baseline. */
  readonly candidate: number;
  readonly slices: number;
  /** ns. */
  readonly sliceLength: number;
  /** Series that fell inside the window, and endpoints of which that was a restart. */
  readonly fallen: number;
  readonly restarted: readonly string[];
  /** Requests finished per second; NaN when nothing tells. */
  readonly load: number;
  /** How many concepts it shares with the reference by other names. */
  readonly concepts: number;
  /** What it shares but cannot be compared by: titles with reasons. */
  readonly refused: readonly string[];
}

/** What makes runs hard to compare, or incomparable. The first run is the one that others are measured against. */
export function comparisonWarnings(runs: readonly Examined[]): ComparisonWarning[] {
  const [reference, ...others] = runs;
  if (reference === undefined) return [];
  return [
    ...runs.flatMap((run) => ownWarnings(run)),
    // Slices of repeats are not used.
    ...others.flatMap((run) => pairWarnings(reference, run, others.length === 1)),
    ...sameRunWarnings(runs),
  ];
}

/** What is the same with several runs in one line, where the first of them was. */
export function withoutRepeats(warnings: readonly ComparisonWarning[]): readonly ComparisonWarning[] {
  const groups = groupBy(warnings, ({ runs, kind, severity, message }) => {
    const run = runs?.[0];
    return run === undefined || severity === "incomparable" ? message : `${kind} ${withoutName(message, run)}`;
  });
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group;
    const run = first?.runs?.[0];
    if (first === undefined || others.length === 0 || run === undefined) return group;
    const runs = group.flatMap((one) => one.runs ?? []);
    const { candidate: _, ...rest } = first;
    return [{ ...rest, message: `${named(runs)}${withoutName(first.message, run)}`, runs }];
  });
}

/** @param run the label that the message begins with */
function withoutName(message: string, run: string): string {
  return message.slice(run.length);
}

/** Of many the first. */
function named(runs: readonly string[]): string {
  const surplus = runs.length - MAX_NAMES;
  return surplus > 1 ? `${runs.slice(0, MAX_NAMES).join(", ")} and ${surplus} more` : runs.join(", ");
}

/** One run on both sides. */
function sameRunWarnings(runs: readonly Examined[]): ComparisonWarning[] {
  const baseline = runs.filter(({ candidate }) => candidate < 0);
  return runs.flatMap((run): ComparisonWarning[] => {
    const same = run.candidate < 0 ? undefined : baseline.find(({ source }) => isSameRun(source, run.source));
    if (same === undefined) return [];
    const names = `${same.source.run.label} and ${run.source.run.label}`;
    return [
      {
        kind: "same-run",
        severity: "incomparable",
        message: `${names} are the same run (benchmark id ${run.source.benchmarkId}): there is nothing to compare.`,
        candidate: run.candidate,
      },
    ];
  });
}

/** Files of one run within a set. */
export function repeatedWarnings(
  dropped: readonly { readonly set: number; readonly run: MeasuredRun; readonly of: MeasuredRun }[],
): ComparisonWarning[] {
  return dropped.map(({ set, run, of }) => ({
    kind: "same-run",
    severity: "caution",
    message: `${of.run.label} and ${run.run.label} are the same run (benchmark id ${run.benchmarkId}): it counts once, not as a repetition.`,
    ...(set === 0 ? {} : { candidate: set - 1 }),
  }));
}

function about({ candidate }: Examined): { candidate?: number } {
  return candidate < 0 ? {} : { candidate };
}

function ownWarnings(run: Examined): ComparisonWarning[] {
  const { source, slices, fallen, restarted } = run;
  const name = source.run.label;
  const warnings: ComparisonWarning[] = [];
  const add = (warning: Omit<ComparisonWarning, "candidate" | "runs">) =>
    warnings.push({ ...warning, runs: [name], ...about(run) });
  if (
    windowSeconds(source) > 0 &&
    source.warmupSeconds !== undefined &&
    source.warmupSeconds < SHORTEST_WARM_UP_SECONDS
  )
    add({
      kind: "warm-up",
      severity: "caution",
      message: `${name}: warm-up not excluded; the start counts like the rest.`,
    });
  if (source.run.kind === "samples" && source.run.run.fileStatistics?.assumedReference !== undefined)
    add({ kind: "references", severity: "caution", message: `${name}: ${RATES_FROM_FIRST_INSIDE}.` });
  if (restarted.length > 0) {
    add({
      kind: "restart",
      severity: "caution",
      message: `${name}: ${restarted.map(displayName).join(", ")} restarted inside the window (${fallen} series fell): its metrics cannot be compared.`,
    });
  } else if (fallen > 0) {
    add({
      kind: "restart",
      severity: "caution",
      message: `${name}: ${fallen} series fell inside the window as if they had restarted, so they cannot be compared.`,
    });
  }
  if (source.run.kind === "statistics" && slices === 0) {
    add({
      kind: "statistics-only",
      severity: "incomparable",
      message: `${name}: neither samples nor slices are there; its values are shown without their uncertainty. Compare its Parquet or JSONL file instead.`,
    });
  } else if (slices < FEW_SLICES) {
    add({
      kind: "slices",
      severity: "caution",
      message: `${name}: only ${plural(slices, "slice")}; small differences cannot be detected.`,
    });
  }
  return warnings;
}

function pairWarnings(reference: Examined, run: Examined, bySlices: boolean): ComparisonWarning[] {
  const [a, b] = [reference.source, run.source];
  const names = `${a.run.label} and ${b.run.label}`;
  const warnings: ComparisonWarning[] = [];
  const add = (warning: Omit<ComparisonWarning, "candidate">) => warnings.push({ ...warning, ...about(run) });
  if (a.servers.length > 0 && b.servers.length > 0 && !a.servers.some((server) => b.servers.includes(server))) {
    const servers = `${names} are of different servers: ${a.servers.join(", ")} and ${b.servers.join(", ")}`;
    if (run.concepts === 0) add({ kind: "servers", severity: "incomparable", message: `${servers}.` });
    else {
      const message = `${servers}. ${run.concepts} quantities are compared by what they mean; where definitions differ the row says how.`;
      add({ kind: "servers", severity: "caution", message });
    }
  }
  if (run.refused.length > 0)
    add({ kind: "concepts", severity: "note", message: `Not compared: ${run.refused.join("; ")}.` });
  const window = windowWarning(a, b);
  if (window !== undefined) add(window);
  const [lengthA, lengthB] = [windowSeconds(a), windowSeconds(b)];
  if (Math.min(lengthA, lengthB) > 0 && apart(lengthA, lengthB) > LENGTH_TOLERANCE) add(lengthWarning(a, b));
  if (bySlices && reference.slices > 0 && run.slices > 0 && apart(reference.sliceLength, run.sliceLength) > 1e-6)
    add({
      kind: "slices",
      severity: "caution",
      message: `${names} have slices of different lengths, ${seconds(reference)} and ${seconds(run)}: they are compared as they are, not pair by pair.`,
    });
  if (apart(reference.load, run.load) > LOAD_TOLERANCE)
    add({
      kind: "load",
      severity: "caution",
      message: `${names} finished ${rate(reference.load)} and ${rate(run.load)} requests/s: load-dependent metrics differ for this reason.`,
    });
  return warnings;
}

const WINDOW_TEXT = {
  client: "over the load that its load generator's file tells",
  activity: "over the load that its servers show",
  all: "over all that was captured",
} as const;

/** Windows that were found by different rules. */
function windowWarning(
  a: MeasuredRun,
  b: MeasuredRun,
): Pick<ComparisonWarning, "kind" | "severity" | "message"> | undefined {
  if (a.windowBy === undefined || b.windowBy === undefined || a.windowBy === b.windowBy) return undefined;
  const message = `${a.run.label} is measured ${WINDOW_TEXT[a.windowBy]}, ${b.run.label} ${WINDOW_TEXT[b.windowBy]}`;
  if (a.windowBy === "all" || b.windowBy === "all")
    return { kind: "window", severity: "caution", message: `${message}: rates and averages differ for this reason.` };
  // Between scrapes, activity tells the beginning and the end within an interval each.
  const shown = a.windowBy === "activity" ? a : b;
  const share = (2 * shown.intervalSeconds) / windowSeconds(shown);
  if (!(share >= MATTERS)) return undefined;
  const most = `${Number((100 * share).toPrecision(2))} %`;
  return {
    kind: "window",
    severity: "note",
    message: `${message}: rates may differ by up to ${most} for this reason.`,
  };
}

/**
 * How a run would have gone on cannot be seen in a fraction of it: its beginning, a cache that fills, load that comes
 * in waves.
 */
function lengthWarning(a: MeasuredRun, b: MeasuredRun): Pick<ComparisonWarning, "kind" | "severity" | "message"> {
  const [shorter, longer] = windowSeconds(a) < windowSeconds(b) ? [a, b] : [b, a];
  const share = windowSeconds(shorter) / windowSeconds(longer);
  const length = (source: MeasuredRun) => `${windowSeconds(source).toFixed(0)} s`;
  if (shorter.run.kind === "samples" && shorter.run.live === true && share < LIVE_SHARE) {
    const message = `${shorter.run.label} has run for ${length(shorter)} of the ${length(longer)} of ${longer.run.label}: too early to tell. Verdicts appear once it is half as long.`;
    return { kind: "length", severity: "incomparable", message };
  }
  const message = `${a.run.label} and ${b.run.label} differ in length: ${length(a)} and ${length(b)}`;
  if (share < OVER_SHARE)
    return {
      kind: "length",
      severity: "incomparable",
      message: `${message}. How the shorter run would have continued is unknown.`,
    };
  return { kind: "length", severity: "caution", message: `${message}.` };
}

function seconds({ sliceLength }: Examined): string {
  return `${Number((sliceLength / 1e9).toPrecision(3))} s`;
}

function rate(value: number): string {
  return String(Number(value.toPrecision(3)));
}
