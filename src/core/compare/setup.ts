import { getOrInsert } from "../math/index.js";
import { UserError } from "../text/errors.js";
import { matchConcepts, conceptOfSeries, type ConceptMatches, type ConceptMatch } from "./matching/concepts.js";
import type { SeriesGroup, GroupContext } from "./matching/group.js";
import { settleRules, type Matching, placeOf } from "./matching/labels.js";
import { chooseSliceSeconds } from "../stats/index.js";
import { windowSeconds, type MeasuredRun, type SourceSeries } from "./source.js";
import { DEFAULT_CONFIDENCE, DEFAULT_THRESHOLD, type ComparisonOptions, type Quantity } from "./types.js";
import { formatLabels, type Labels } from "../model/index.js";

/** Of an error that tells why runs cannot be compared at all. */
export const INCOMPARABLE = { code: "incomparable" };

/** All that is settled before the first series is read. */
export interface Setup {
  readonly runs: readonly MeasuredRun[];
  readonly context: GroupContext;
  readonly matching: Matching;
  readonly groups: ReadonlyMap<string, SeriesGroup>;
  readonly groupNames: ReadonlyMap<SeriesGroup, string>;
  readonly concepts: ConceptMatches;
}

/**
 * Settles what a baseline and a candidate are compared by.
 * @throws UserError for runs that cannot be compared at all
 */
export function prepare(
  baseline: readonly MeasuredRun[],
  candidate: readonly MeasuredRun[],
  options: ComparisonOptions,
): Setup {
  const runs = [...baseline, ...candidate];
  for (const run of runs) {
    if (run.series.length === 0)
      throw new UserError(
        `${run.run.label} holds no metrics: there is nothing to compare.`,
        "Choose a run in which an endpoint answered with metrics.",
        INCOMPARABLE,
      );
    // A CSV does not tell its window.
    if (run.run.kind === "samples" && windowSeconds(run) <= 0)
      throw new UserError(
        `${run.run.label} has an empty window: profiling ends when it starts.`,
        "Choose a run that was captured for longer.",
        INCOMPARABLE,
      );
  }
  const concepts = matchConcepts(runs);
  requireCommonFamily(runs, baseline.length, concepts);
  const matching = settleRules(runs, options.labelRules ?? []);
  const groups = groupSeries(runs, matching, concepts, options);
  const [reference] = runs;
  const context: GroupContext = {
    // Each run as it is cut against the baseline, that one as against the first of the others.
    grids: runs.map((run, r) => {
      const other = r === 0 ? runs[1] : reference;
      return run.grid(options.sliceSeconds ?? sliceSecondsOf(run, other ?? run));
    }),
    sets: [baseline.map((_, r) => r), candidate.map((_, r) => baseline.length + r)],
    confidence: options.confidence ?? DEFAULT_CONFIDENCE,
    threshold: options.threshold ?? DEFAULT_THRESHOLD,
  };
  return {
    runs,
    context,
    matching,
    groups,
    groupNames: groupNames(groups.values(), matching),
    concepts,
  };
}

/** Of two runs, whatever else is compared: a file's own, else chosen for both. */
function sliceSecondsOf(a: MeasuredRun, b: MeasuredRun): number {
  const own = [a, b].find((run) => (run.ownSliceSeconds ?? 0) > 0)?.ownSliceSeconds;
  if (own !== undefined) return own;
  const sampled = [a, b].filter(({ run }) => run.kind === "samples");
  return sampled.length === 0
    ? 0
    : chooseSliceSeconds(sampled.map((run) => ({ seconds: windowSeconds(run), interval: run.intervalSeconds })));
}

/** @param repeats so many of the runs are of the baseline */
function requireCommonFamily(runs: readonly MeasuredRun[], repeats: number, concepts: ConceptMatches): void {
  const [first] = runs;
  if (first === undefined) return;
  const own = new Set(first.series.map(({ canonical }) => canonical));
  runs.forEach((run, r) => {
    if (r === 0 || run.series.some(({ canonical }) => own.has(canonical))) return;
    if (concepts.matches.some(({ members }) => members[r] !== undefined)) return;
    const what = (source: MeasuredRun) =>
      `${source.run.label} holds ${source.servers.join(", ") || (source.series[0]?.canonical ?? "nothing")}`;
    const word = r < repeats ? "repeats of one run" : "runs";
    throw new UserError(
      `These ${word} have no metric family in common: ${what(first)}, ${what(run)}.`,
      "Choose runs of the same kind of server.",
      INCOMPARABLE,
    );
  });
}

function groupSeries(
  runs: readonly MeasuredRun[],
  matching: Matching,
  concepts: ConceptMatches,
  options: ComparisonOptions,
): Map<string, SeriesGroup> {
  const groups = new Map<string, SeriesGroup & { readonly series: SourceSeries[][] }>();
  runs.forEach((run, r) => {
    for (const series of run.series) {
      if (options.includes?.(series.canonical) === false) continue;
      // Engines label their series differently, so by concept all of a family's are one, of a role.
      const concept = conceptOfSeries(concepts, r, series);
      const role = concept === undefined ? [] : matching.roleOf(r, series);
      const key = concept === undefined ? matching.keyOf(r, series) : conceptName(concept, role);
      const about = concept === undefined ? {} : { concept, role };
      const group = getOrInsert(groups, key, () => ({
        type: series.family.type,
        ...about,
        series: runs.map(() => []),
      }));
      group.series[r]?.push(series);
    }
  });
  return groups;
}

/**
 * A name for each group of series that stays whichever run is the baseline: the canonical family with the labels that
 * must match. Groups that differ only in what merely identifies (endpoints, paired labels) are numbered, in an order
 * that goes by the series of all runs alike.
 */
export function groupNames(
  groups: Iterable<SeriesGroup>,
  { rules, labelsOf }: Matching,
): ReadonlyMap<SeriesGroup, string> {
  const identifying = new Set(rules.filter(({ applied }) => applied !== "match").map(({ label }) => label));
  const alike = new Map<string, { readonly group: SeriesGroup; readonly place: string }[]>();
  for (const group of groups) {
    const all = group.series.flat();
    const [head] = all;
    if (head === undefined) continue;
    const name =
      group.concept !== undefined
        ? conceptName(group.concept, group.role)
        : `${head.canonical}${formatLabels(labelsOf(head).filter(([label]) => !identifying.has(label)))}`;
    const places = all.map(({ endpointUrl, labels, family }) =>
      JSON.stringify([placeOf(endpointUrl), labels, endpointUrl, family.type]),
    );
    const place = places.reduce((least, one) => (one < least ? one : least));
    getOrInsert(alike, name, () => []).push({ group, place });
  }
  const names = new Map<SeriesGroup, string>();
  for (const [name, same] of alike) {
    same.sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0));
    same.forEach(({ group }, i) => names.set(group, i === 0 ? name : `${name} #${i + 1}`));
  }
  return names;
}

/** Of series that are compared by a concept. @param role of their endpoints */
export function conceptName({ concept }: ConceptMatch, role: Labels = []): string {
  return `concept:${concept.id}${formatLabels(role)}`;
}

/** Of a group's row. */
export function rowId(groupName: string, quantity: Quantity): string {
  return `${groupName} ${quantity}`;
}
