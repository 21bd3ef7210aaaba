import { OUTPUT_LENGTHS, PROMPT_LENGTHS } from "../../catalog/index.js";
import {
  apart,
  configurationLeaves,
  configuredOf,
  displayName,
  provenanceOf,
  RATES_FROM_FIRST_INSIDE,
} from "../../model/index.js";
import { fieldsOf } from "../../text/index.js";
import type { Draft } from "../ratio-rows.js";
import { groupBy } from "../../math/index.js";
import type { Restarts } from "../run-view.js";
import { isSameRun } from "../matching/repeats.js";
import { windowSeconds, type MeasuredRun } from "../source.js";
import type { ComparisonWarning, WarningKind } from "../types.js";
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
/** Mean lengths that differ by more than this share are of other requests, if chance does not explain it. */
const WORK_TOLERANCE = 0.05;
/** Standard errors that chance does not reach. Lengths are taken to vary as much as their mean. */
const WORK_ERRORS = 3.5;
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
  readonly restarts: Restarts;
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
    const message = `${bothNames(same, run)} are the same run (benchmark id ${run.source.benchmarkId}): there is nothing to compare.`;
    return warningsOf(run, [["same-run", "incomparable", message]]);
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

/** What was found; undefined where there is nothing to say. */
type Found = readonly [WarningKind, ComparisonWarning["severity"], message: string] | undefined;

function warningsOf({ candidate }: Examined, found: readonly Found[]): ComparisonWarning[] {
  return found
    .filter((one) => one !== undefined)
    .map(([kind, severity, message]) => ({ kind, severity, message, ...(candidate < 0 ? {} : { candidate }) }));
}

function ownWarnings(run: Examined): ComparisonWarning[] {
  const { source, slices } = run;
  const { fallen, endpoints } = run.restarts;
  const name = source.run.label;
  const warmup = windowSeconds(source) > 0 ? (source.warmupSeconds ?? Infinity) : Infinity;
  const isAssumed = source.run.kind === "samples" && source.run.run.fileStatistics?.assumedReference !== undefined;
  const found: readonly Found[] = [
    warmup < SHORTEST_WARM_UP_SECONDS
      ? ["warm-up", "caution", `${name}: warm-up not excluded; the start counts like the rest.`]
      : undefined,
    isAssumed ? ["references", "caution", `${name}: ${RATES_FROM_FIRST_INSIDE}.`] : undefined,
    endpoints.length > 0
      ? [
          "restart",
          "caution",
          `${name}: ${endpoints.map(displayName).join(", ")} restarted inside the window (${fallen} series fell): its metrics cannot be compared.`,
        ]
      : fallen > 0
        ? [
            "restart",
            "caution",
            `${name}: ${fallen} series fell inside the window as if they had restarted, so they cannot be compared.`,
          ]
        : undefined,
    source.run.kind === "statistics" && slices === 0
      ? [
          "statistics-only",
          "incomparable",
          `${name}: neither samples nor slices are there; its values are shown without their uncertainty. Compare its Parquet or JSONL file instead.`,
        ]
      : slices < FEW_SLICES
        ? ["slices", "caution", `${name}: only ${plural(slices, "slice")}; small differences cannot be detected.`]
        : undefined,
  ];
  return warningsOf(run, found).map((warning) => ({ ...warning, runs: [name] }));
}

function pairWarnings(reference: Examined, run: Examined, bySlices: boolean): ComparisonWarning[] {
  const [a, b] = [reference.source, run.source];
  const names = bothNames(reference, run);
  const differentSlices =
    bySlices && reference.slices > 0 && run.slices > 0 && apart(reference.sliceLength, run.sliceLength) > 1e-6;
  return warningsOf(run, [
    serversWarning(reference, run),
    run.refused.length > 0 ? ["concepts", "note", `Not compared: ${run.refused.join("; ")}.`] : undefined,
    windowWarning(a, b),
    lengthWarning(a, b),
    differentSlices
      ? [
          "slices",
          "caution",
          `${names} have slices of different lengths, ${seconds(reference)} and ${seconds(run)}: they are compared as they are, not pair by pair.`,
        ]
      : undefined,
    apart(reference.load, run.load) > LOAD_TOLERANCE
      ? [
          "load",
          "caution",
          `${names} finished ${rate(reference.load)} and ${rate(run.load)} requests/s: load-dependent metrics differ for this reason.`,
        ]
      : undefined,
  ]);
}

function bothNames(a: Examined, b: Examined): string {
  return `${a.source.run.label} and ${b.source.run.label}`;
}

function serversWarning(reference: Examined, run: Examined): Found {
  const [a, b] = [reference.source.servers, run.source.servers];
  if (a.length === 0 || b.length === 0 || a.some((server) => b.includes(server))) return undefined;
  const servers = `${bothNames(reference, run)} are of different servers: ${a.join(", ")} and ${b.join(", ")}.`;
  if (run.concepts === 0) return ["servers", "incomparable", servers];
  const message = `${servers} ${run.concepts} quantities are compared by what they mean; where definitions differ the row says how.`;
  return ["servers", "caution", message];
}

const WINDOW_TEXT = {
  client: "over the load that its load generator's file tells",
  activity: "over the load that its servers show",
  all: "over all that was captured",
} as const;

/** Windows that were found by different rules. */
function windowWarning(a: MeasuredRun, b: MeasuredRun): Found {
  if (a.windowBy === undefined || b.windowBy === undefined || a.windowBy === b.windowBy) return undefined;
  const message = `${a.run.label} is measured ${WINDOW_TEXT[a.windowBy]}, ${b.run.label} ${WINDOW_TEXT[b.windowBy]}`;
  if (a.windowBy === "all" || b.windowBy === "all")
    return ["window", "caution", `${message}: rates and averages differ for this reason.`];
  // Between scrapes, activity tells the beginning and the end within an interval each.
  const shown = a.windowBy === "activity" ? a : b;
  const share = (2 * shown.intervalSeconds) / windowSeconds(shown);
  if (!(share >= MATTERS)) return undefined;
  const most = `${Number((100 * share).toPrecision(2))} %`;
  return ["window", "note", `${message}: rates may differ by up to ${most} for this reason.`];
}

/**
 * How a run would have gone on cannot be seen in a fraction of it: its beginning, a cache that fills, load that comes
 * in waves.
 */
function lengthWarning(a: MeasuredRun, b: MeasuredRun): Found {
  const [shorter, longer] = windowSeconds(a) < windowSeconds(b) ? [a, b] : [b, a];
  // A CSV does not tell its window.
  if (windowSeconds(shorter) <= 0 || apart(windowSeconds(a), windowSeconds(b)) <= LENGTH_TOLERANCE) return undefined;
  const share = windowSeconds(shorter) / windowSeconds(longer);
  const length = (source: MeasuredRun) => `${windowSeconds(source).toFixed(0)} s`;
  if (shorter.run.kind === "samples" && shorter.run.live === true && share < LIVE_SHARE) {
    const message = `${shorter.run.label} has run for ${length(shorter)} of the ${length(longer)} of ${longer.run.label}: too early to tell. Verdicts appear once it is half as long.`;
    return ["length", "incomparable", message];
  }
  const message = `${a.run.label} and ${b.run.label} differ in length: ${length(a)} and ${length(b)}.`;
  return share < OVER_SHARE
    ? ["length", "incomparable", `${message} How the shorter run would have continued is unknown.`]
    : ["length", "caution", message];
}

function seconds({ sliceLength }: Examined): string {
  return `${Number((sliceLength / 1e9).toPrecision(3))} s`;
}

function rate(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/**
 * What shows that two runs did not do the same work: other models, other tokenizers, or requests of other lengths. The
 * first run of each side speaks.
 * @param loads requests that each finished per second, NaN where nothing tells: means of a few differ by chance
 */
export function workWarnings(
  [baseline, candidate]: readonly [MeasuredRun, MeasuredRun],
  drafts: readonly Draft[],
  loads: readonly [number, number],
): ComparisonWarning[] {
  const [before, after] = [loads[0] * windowSeconds(baseline), loads[1] * windowSeconds(candidate)];
  const chance = WORK_ERRORS * Math.sqrt(1 / before + 1 / after);
  const tolerance = Math.max(WORK_TOLERANCE, Number.isFinite(chance) ? chance : 0);
  const reasons = [
    ...differing(
      "model",
      [baseline, candidate].map(({ models }) => models.join(", ")),
    ),
    ...differing("tokenizer", [baseline, candidate].map(tokenizerOf)),
    ...lengthReason("prompts", PROMPT_LENGTHS, drafts, tolerance),
    ...lengthReason("answers", OUTPUT_LENGTHS, drafts, tolerance),
  ];
  if (reasons.length === 0) return [];
  const names = `${baseline.run.label} and ${candidate.run.label}`;
  const message = `${names} did not do the same work: ${reasons.join("; ")}. Differences may come from that.`;
  return [{ kind: "work", severity: "caution", message, candidate: 0 }];
}

function differing(what: string, [a = "", b = ""]: readonly string[]): readonly string[] {
  return a === "" || b === "" || a === b ? [] : [`${what} ${a} and ${b}`];
}

/** As the configuration of the load or its command names it; "" where neither does. */
function tokenizerOf({ inputConfig }: MeasuredRun): string {
  for (const [path, value] of configurationLeaves(configuredOf(inputConfig)))
    if (/(?:^|\.)(?:tokenizer|processor)(?:\.name)?$/.test(path)) return value;
  const { line } = fieldsOf(fieldsOf(provenanceOf(inputConfig))["command"]);
  return (typeof line === "string" ? /(?:^|\s)--(?:tokenizer|processor)[=\s]+(\S+)/.exec(line)?.[1] : undefined) ?? "";
}

function lengthReason(
  what: string,
  families: readonly string[],
  drafts: readonly Draft[],
  tolerance: number,
): readonly string[] {
  const draft = drafts.find(({ family, quantity }) => quantity === "avg" && families.includes(family));
  const [a, b] = [draft?.baseline.value ?? NaN, draft?.candidate.value ?? NaN];
  if (!(Math.abs(a - b) > tolerance * Math.max(a, b))) return [];
  const tokens = (value: number) => String(Number(value.toPrecision(3)));
  return [`${what} of ${tokens(a)} and ${tokens(b)} tokens on average`];
}
