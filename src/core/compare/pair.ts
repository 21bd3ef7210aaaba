import { Attainments } from "./gates/attainment.js";
import { joiningOf, shownUnit } from "../catalog/index.js";
import { sharedUppers } from "../stats/index.js";
import type { RunTraits } from "../model/index.js";
import { compareGroup, type SeriesGroup, type GroupContext } from "./matching/group.js";
import { loadText, traitsOf } from "./matching/repeats.js";
import { rowId, prepare, type Setup } from "./setup.js";
import { FALSE_DISCOVERY_RATE, rowsOf } from "./judged-rows.js";
import { conceptRatioDrafts, ratioDrafts, type Draft } from "./ratio-rows.js";
import { restartsOf, tracesOf, type Restarts, type Trace, rebin, viewsOf, type GroupOfRun } from "./run-view.js";
import { summaryOf, type MeasuredRun } from "./source.js";
import { comparisonWarnings, workWarnings } from "./report/warnings.js";
import type { BucketShares, Comparison, ComparisonOptions, ComparisonWarning, UnmatchedSeries } from "./types.js";
import type { RefusedConcept } from "./matching/concepts.js";

/** One run, or several repeats of it, none of them twice. */
interface SourceSet {
  readonly label: string;
  readonly runs: readonly MeasuredRun[];
}

/** With one candidate alone, and without what is told of all runs at once. */
export type PairComparison = Omit<Comparison, "configuration">;

/**
 * Compares a baseline with one candidate, whatever else is compared: rules for labels, concepts, slices and corrections
 * are settled for these two alone. Yields the share done after each group of series.
 */
export function* comparePair(
  baseline: SourceSet,
  candidate: SourceSet,
  options: ComparisonOptions,
): Generator<number, PairComparison> {
  const setup = prepare(baseline.runs, candidate.runs, options);
  const { runs, context, groups } = setup;
  const drafts: Draft[] = [];
  const shares: BucketShares[] = [];
  const traced: (readonly Trace[])[] = [];
  const attainments = new Attainments(options.objectives ?? []);
  let done = 0;
  for (const group of groups.values()) {
    const head = group.series[0]?.[0] ?? group.series.flat()[0];
    const name = setup.groupNames.get(group);
    if (head !== undefined && name !== undefined && isCommon(group, context)) {
      const { compared } = joiningOf(group.type, shownUnit(head.family));
      const views = viewsOf(context.grids, (r) => group.series[r] ?? [], compared);
      const traces = tracesOf(views);
      traced.push(traces);
      const names = namesOf(group, context);
      for (const row of [...compareGroup(group, views, context), ...attainments.rows(head, views, traces, context)])
        drafts.push({
          ...row,
          name,
          ...(group.concept === undefined ? {} : { concept: group.concept }),
          ...(group.role === undefined ? {} : { role: group.role }),
          family: head.canonical,
          type: group.type,
          head,
          names,
          traces: [traces],
        });
      const share = bucketShares(views, context);
      if (share !== undefined) shares.push({ rowId: rowId(name, "avg"), ...share });
    }
    yield ++done / groups.size;
  }
  drafts.push(...ratioDrafts(setup), ...conceptRatioDrafts(setup, options));
  const goodput = attainments.goodput(context);
  if (goodput !== undefined) drafts.push(goodput);
  const restarts = runs.map((_, r) => restartsOf(traced.flatMap(({ [r]: trace }) => trace ?? [])));
  const traits = runs.map(traitsOf);
  const { partial = false } = options;
  const warnings = [
    ...(partial ? [PARTIAL_NOTE] : []),
    ...warningsOf(setup, traits, restarts, drafts),
    // What tells of an objective may still be unread.
    ...(partial ? [] : missingWarnings(attainments)),
  ];
  return {
    ...(partial ? { partial } : {}),
    baseline: summarize(baseline, 0, setup, traits, restarts),
    candidates: [summarize(candidate, 1, setup, traits, restarts)],
    method: {
      threshold: context.threshold,
      confidence: context.confidence,
      falseDiscoveryRate: FALSE_DISCOVERY_RATE,
      notes: methodNotes(context.sets),
    },
    warnings,
    rules: setup.matching.rules,
    rows: rowsOf(drafts, setup, restarts, warnings, options),
    unmatched: unmatchedSeries(groups, runs, context.sets, setup.concepts.refused),
    shares,
  };
}

const PARTIAL_NOTE: ComparisonWarning = {
  kind: "partial",
  severity: "note",
  message:
    "Averages and rates of key metrics only so far: their percentiles and the other metrics are still being read. Verdicts may still change, because they are corrected for the number of rows.",
};

function missingWarnings({ missing }: Attainments): ComparisonWarning[] {
  return missing.map(({ name, threshold }) => ({
    kind: "objectives",
    severity: "caution",
    candidate: 0,
    message: `The objective ${name} ≤ ${threshold} cannot be compared: the runs share no histogram that measures it.`,
  }));
}

/**
 * Shares of all observations in each bucket that all sides have; undefined for other types, and with fewer than two
 * finite common bounds.
 */
function bucketShares(views: readonly GroupOfRun[], { sets }: GroupContext): Omit<BucketShares, "rowId"> | undefined {
  const sides = sets.map((runs) =>
    runs.flatMap((r) => (views[r]?.slices?.kind === "histogram" ? [views[r].slices] : [])),
  );
  if (sides.some((side) => side.length === 0)) return undefined;
  const uppers = sharedUppers(sides.flat().map((slices) => slices.uppers));
  if (uppers.length === 0) return undefined;
  const [baseline, ...candidates] = sides.map((side) => {
    const totals = new Float64Array(uppers.length);
    for (const slices of side)
      rebin(slices, uppers).forEach((bucket, b) =>
        bucket.forEach((n) => (totals[b] = (totals[b] ?? 0) + (Number.isNaN(n) ? 0 : n))),
      );
    const all = totals.reduce((sum, n) => sum + n, 0);
    return totals.map((n) => n / all);
  });
  return baseline === undefined ? undefined : { uppers, baseline, candidates };
}

/** A group that one side alone has is listed as unmatched, not compared. */
function isCommon({ series }: SeriesGroup, { sets }: GroupContext): boolean {
  return sets.every((runs) => runs.some((r) => (series[r] ?? []).length > 0));
}

/** The name each side uses; empty when all use the canonical one. */
function namesOf(group: SeriesGroup, { sets }: GroupContext): readonly string[] {
  const names = sets.map(
    (runs) => runs.map((r) => group.series[r]?.[0]?.family.name).find((name) => name !== undefined) ?? "",
  );
  const canonical = group.series.flat()[0]?.canonical;
  return names.every((name) => name === canonical) ? [] : names;
}

function warningsOf(
  { runs, context, concepts }: Setup,
  traits: readonly RunTraits[],
  restarts: readonly Restarts[],
  drafts: readonly Draft[],
): ComparisonWarning[] {
  const loads = traits.map(({ requestRate }) => requestRate);
  const [first, other] = context.sets.map(([r = 0]) => runs[r]);
  const warnings = [
    ...comparisonWarnings(
      runs.map((source, r) => ({
        source,
        candidate: context.sets[0].includes(r) ? -1 : 0,
        slices: context.grids[r]?.count ?? 0,
        sliceLength: context.grids[r]?.length ?? 0,
        restarts: restarts[r] ?? { fallen: 0, endpoints: [] },
        load: loads[r] ?? NaN,
        concepts: concepts.matches.filter(({ members }) => members[r] !== undefined).length,
        refused: concepts.refused
          .filter(({ run }) => run === r)
          .map(({ concept, reason }) => `${concept.title} (${reason})`),
      })),
    ),
    ...(first === undefined || other === undefined
      ? []
      : workWarnings([first, other], drafts, [loads[0] ?? NaN, loads[context.sets[1][0] ?? 1] ?? NaN])),
  ];
  const differing = new Set(
    drafts
      .filter(({ obstacle }) => obstacle?.startsWith("the bucket bounds differ") === true)
      .map(({ family }) => family),
  );
  if (differing.size > 0) {
    const [first = ""] = differing;
    const rest = differing.size > 1 ? ` and ${differing.size - 1} more` : "";
    warnings.push({
      kind: "bounds",
      severity: "caution",
      message: `The bucket bounds of ${first}${rest} differ: their quantiles cannot be compared, their averages can.`,
    });
  }
  return warnings;
}

function methodNotes(sets: readonly (readonly number[])[]): string[] {
  const repeated = sets.some((runs) => runs.length > 1);
  return [
    repeated
      ? "Repeats: the error is the spread between runs, pooled over the compared sets; slices are not used."
      : "Single runs: a verdict says how this run was. Run-to-run variation is unknown; add repeats to measure it (three or more of each, given as sets). An experiment makes them: Add Repeats in the editor, or in a terminal experiment init --from BASELINE CANDIDATE.",
    "Intervals are for each row alone; verdicts are corrected for the number of rows (Benjamini-Hochberg).",
  ];
}

function summarize(
  set: SourceSet,
  s: number,
  { runs, context }: Setup,
  traits: readonly RunTraits[],
  restarts: readonly Restarts[],
) {
  const positions = context.sets[s] ?? [];
  return {
    label: set.label,
    runs: positions.flatMap((r) => {
      const [source, own, grid] = [runs[r], traits[r], context.grids[r]];
      return source === undefined || own === undefined || grid === undefined
        ? []
        : [summaryOf(source, loadText(own), grid, restarts[r]?.fallen ?? 0)];
    }),
  };
}

/** What one side has and another has not, with the reason. */
function unmatchedSeries(
  groups: ReadonlyMap<string, SeriesGroup>,
  runs: readonly MeasuredRun[],
  sets: GroupContext["sets"],
  refused: readonly RefusedConcept[],
): UnmatchedSeries[] {
  const types = sets.map(
    (side) => new Map(side.flatMap((r) => runs[r]?.series ?? []).map((one) => [one.canonical, one.family.type])),
  );
  const has = (group: SeriesGroup, side: readonly number[]) => side.some((r) => (group.series[r] ?? []).length > 0);
  return [...groups.values()].flatMap((group): UnmatchedSeries[] => {
    const [inBaseline, inCandidate] = [has(group, sets[0]), has(group, sets[1])];
    if (inBaseline === inCandidate) return [];
    const side = inBaseline ? "baseline" : "candidate";
    const where = inBaseline ? "the candidate" : "the baseline";
    const series = sets[inBaseline ? 0 : 1].map((r) => group.series[r] ?? []).find((list) => list.length > 0) ?? [];
    return series.map(({ canonical: family, endpointUrl, labels }) => {
      const type = types[inBaseline ? 1 : 0]?.get(family);
      const concept = refused.find(({ run, families }) => sets[1].includes(run) && families.includes(family));
      const reason =
        concept !== undefined
          ? concept.reason
          : type === undefined
            ? `${where} has no such family`
            : type !== group.type
              ? `it is a ${type} in ${where}`
              : `${where} has no series with these labels`;
      return { family, type: group.type, endpointUrl, labels, side, candidate: 0, reason };
    });
  });
}
