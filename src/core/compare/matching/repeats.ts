import {
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
import { conceptById, familiesOfMember } from "../../catalog/index.js";
import { formatValue } from "../../catalog/display.js";
import { noun } from "../../text/plural.js";
import { isSameRun } from "../same-run.js";
import { windowSeconds, type MeasuredRun } from "../source.js";
import type { ComparisonWarning } from "../types.js";
import { repeatedName } from "./set-label.js";

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
