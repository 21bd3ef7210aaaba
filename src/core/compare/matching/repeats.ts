import {
  displayName,
  labelKey,
  configurationLeaves,
  configuredOf,
  groupRepeats,
  isLoadKnown,
  isRepeat,
  provenanceLeaves,
  provenanceOf,
  requestedLoad,
  type RunTraits,
} from "../../model/index.js";
import { windowSeconds, type MeasuredRun, type SourceSeries } from "../source.js";
import { conceptById, familiesOfMember } from "../../catalog/index.js";
import { formatValue } from "../../catalog/display.js";
import { noun } from "../../text/plural.js";
import { type ComparisonWarning, repeatedName } from "../types.js";

/** Windows of one run that differ by less than this are one, ns: formats round their times. */
const ROUNDING_NS = 1_000_000_000n;
/** Series that are looked at, and by how much their values may differ: a CSV rounds them. */
const LOOKED_AT = 24;
const ROUNDING = 1e-3;

/**
 * Are these two files of one run, whatever their formats: the same benchmark id, the same window as far as both tell
 * it, and the same values in the series that both have?
 */
export function isSameRun(a: MeasuredRun, b: MeasuredRun): boolean {
  return a.benchmarkId !== "" && a.benchmarkId === b.benchmarkId && sameWindow(a, b) && sameContent(a, b);
}

function sameWindow({ window: a }: MeasuredRun, { window: b }: MeasuredRun): boolean {
  if (a === undefined || b === undefined) return true;
  const near = (x: bigint, y: bigint) => (x > y ? x - y : y - x) < ROUNDING_NS;
  return near(a.start, b.start) && near(a.end, b.end);
}

function sameContent(a: MeasuredRun, b: MeasuredRun): boolean {
  const others = new Map(b.series.map((series) => [keyOf(series), series]));
  const pairs = a.series.flatMap((series) => {
    const other = others.get(keyOf(series));
    return other === undefined ? [] : [[series, other] as const];
  });
  // All over the run: its first families may all stand still.
  const step = Math.max(1, Math.floor(pairs.length / LOOKED_AT));
  const looked = pairs.filter((_, i) => i % step === 0);
  return (
    looked.length > 0 &&
    looked.every(([one, other]) => {
      const [x, y] = [one.amount(), other.amount()];
      return Number.isNaN(x) || Number.isNaN(y) || Math.abs(x - y) <= ROUNDING * Math.max(Math.abs(x), Math.abs(y));
    })
  );
}

/** A CSV has the displayed names of its endpoints. */
function keyOf({ canonical, endpointUrl, labels }: SourceSeries): string {
  return JSON.stringify([canonical, displayName(endpointUrl), labelKey(labels)]);
}

/** Without the runs of a set that another one of it is already: one run in two formats is not a repetition. */
export function withoutDuplicates(sets: readonly (readonly MeasuredRun[])[]): {
  readonly sets: readonly (readonly MeasuredRun[])[];
  readonly dropped: readonly { readonly set: number; readonly run: MeasuredRun; readonly of: MeasuredRun }[];
} {
  const dropped: { readonly set: number; readonly run: MeasuredRun; readonly of: MeasuredRun }[] = [];
  const kept = sets.map((runs, set) => {
    const own: MeasuredRun[] = [];
    for (const run of runs) {
      const of = own.find((other) => isSameRun(other, run));
      if (of === undefined) own.push(run);
      else dropped.push({ set, run, of });
    }
    return own;
  });
  return { sets: kept, dropped };
}

/** What tells how many requests a server finished: counters of them, else latencies observed of each. */
const COUNTS = [
  { concept: "finished", type: "counter" },
  { concept: "e2e-latency", type: "histogram" },
] as const;

/** Requests that a run's servers finished per second, by the first family that tells it; NaN where none does. */
function requestRateOf(run: MeasuredRun): number {
  const seconds = windowSeconds(run);
  // A CSV does not tell its window.
  if (seconds <= 0) return NaN;
  for (const { concept, type } of COUNTS)
    for (const member of conceptById(concept).members) {
      const names = familiesOfMember(member);
      const own = run.series.filter(({ canonical, family }) => family.type === type && names.includes(canonical));
      if (own.length > 0) return own.reduce((sum, { amount }) => sum + amount(), 0) / seconds;
    }
  return NaN;
}

/** What tells whether a run is a repeat of others. */
export function traitsOf(run: MeasuredRun): RunTraits {
  const { facts, servers, models, inputConfig } = run;
  return {
    configured: configurationLeaves(configuredOf(inputConfig)),
    provenance: provenanceLeaves(provenanceOf(inputConfig) ?? {}),
    ...{ facts, servers, models, seconds: windowSeconds(run) },
    requestRate: requestRateOf(run),
    clientLoad: run.run.clientLoad,
  };
}

/** "concurrency 8, 3.2 requests/s finished"; "not known" where neither is. */
export function loadText(traits: RunTraits): string {
  const { requestRate } = traits;
  const finished = Number.isNaN(requestRate) ? [] : [`${formatValue(requestRate, undefined)} requests/s finished`];
  const parts = [requestedLoad(traits) ?? [], finished].flat();
  return parts.length === 0 ? "not known" : parts.join(", ");
}

/** Says of which repeats nothing tells the load. @param sets the baseline, then each candidate */
export function unknownLoads(sets: readonly (readonly MeasuredRun[])[]): ComparisonWarning[] {
  return sets.flatMap((runs, s): ComparisonWarning[] => {
    const unknown = runs.length < 2 ? [] : runs.filter((run) => !isLoadKnown(traitsOf(run)));
    if (unknown.length === 0) return [];
    const labels = unknown.map(({ run }) => run.label);
    const message = `${labels.join(", ")}: nothing tells the load. That ${noun(labels.length, "it is a repeat", "they are repeats")} rests on configuration and length.`;
    return [{ kind: "load", severity: "note", message, ...(s === 0 ? {} : { candidate: s - 1 }) }];
  });
}

/** A run and what people call it. */
export interface NamedRun {
  readonly label: string;
  readonly run: MeasuredRun;
}

/**
 * The runs as sets of repeats, in the order of the first of each: by configuration and load where that tells at least
 * two apart, else by their common name ("base" of "base-1" and "base-2"), where nothing in their configuration differs.
 * Each run by itself where neither gives several sets with a repeat among them. Two files of one run are no repeats.
 */
export function setsOfRepeats<Run extends NamedRun>(runs: readonly Run[]): readonly (readonly Run[])[] {
  const traits = new Map(runs.map((run) => [run, traitsOf(run.run)]));
  const belongs = (first: Run, run: Run) => {
    const [a, b] = [traits.get(first), traits.get(run)];
    return a !== undefined && b !== undefined && isRepeat(a, b);
  };
  const isNamesake = (first: Run, run: Run) => {
    const name = repeatedName(first.label);
    return name !== undefined && name === repeatedName(run.label) && belongs(first, run);
  };
  for (const belong of [belongs, isNamesake]) {
    const sets = groupRepeats(
      runs,
      (first, run, others) => belong(first, run) && !others.some((other) => isSameRun(other.run, run.run)),
    );
    if (sets.length > 1 && sets.length < runs.length) return sets;
  }
  return runs.map((run) => [run]);
}
