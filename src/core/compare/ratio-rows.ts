import { admits, SERVERS } from "../catalog/index.js";
import { labelKey, type Labels, type MetricType } from "../model/index.js";
import { groupBy } from "../math/index.js";
import type { ConceptMatch } from "./matching/concepts.js";
import { conceptName } from "./matching/group-names.js";
import { compareRatio, type DraftRow, type SeriesGroup } from "./matching/group.js";
import { tracesOf, type Trace } from "./slices/restarts.js";
import type { Setup } from "./setup.js";
import type { SourceSeries } from "./source.js";
import type { ComparisonOptions } from "./types.js";
import { type GroupOfRun, viewOf } from "./run-view.js";

/** A row before the correction for the number of rows. */
export interface Draft extends DraftRow {
  /** Of its group. */
  readonly name: string;
  /** Where it is not that of its family or concept. */
  readonly title?: string;
  readonly concept?: ConceptMatch;
  /** Of those compared by a concept, as of their group. */
  readonly role?: Labels;
  readonly family: string;
  readonly type: MetricType;
  readonly head: SourceSeries;
  readonly names: readonly string[];
  /** For each run; of a ratio those of both counters. */
  readonly traces: readonly (readonly Trace[])[];
}

/** The catalogue's ratios of two counters, where both sides have both. */
export function ratioDrafts(
  { groups, groupNames, runs, matching, context }: Setup,
  options: ComparisonOptions,
): Draft[] {
  const drafts: Draft[] = [];
  const metrics = SERVERS.flatMap((server) => server.keyMetrics.filter(({ derived }) => derived !== undefined));
  for (const metric of metrics) {
    const { derived } = metric;
    if (derived?.kind !== "rate-ratio" || options.includes?.(derived.numerator) === false) continue;
    for (const above of groups.values()) {
      const head = above.series[0]?.[0];
      const name = groupNames.get(above);
      if (head?.canonical !== derived.numerator || name === undefined) continue;
      const below = derived.denominator.flatMap((canonical) => groups.get(matching.keyOf(0, head, canonical)) ?? []);
      if (below.length < derived.denominator.length || derived.numeratorOf !== undefined) continue;
      const views = (parts: readonly SeriesGroup[]): GroupOfRun[] =>
        runs.map((_, r) =>
          viewOf(
            parts.flatMap(({ series }) => series[r] ?? []),
            context.grids[r] ?? { start: 0, length: 0, count: 0 },
            "sum",
          ),
        );
      const [numerators, denominators] = [views([above]), views(below)];
      const traces = [tracesOf(numerators), tracesOf(denominators)];
      for (const row of compareRatio(numerators, denominators, context))
        drafts.push({ ...row, name, family: derived.numerator, type: "counter", head, names: [], traces });
    }
  }
  return drafts;
}

/** Ratios that different engines tell by counters of their own, for each role where runs are disaggregated. */
export function conceptRatioDrafts({ runs, context, concepts, matching }: Setup, options: ComparisonOptions): Draft[] {
  const roles = runs.flatMap(({ series }, r) => series.map((one) => matching.roleOf(r, one)));
  const distinct = [...groupBy(roles, labelKey).values()].flatMap(([role]) => (role === undefined ? [] : [role]));
  return concepts.matches.flatMap((match) =>
    match.members.some((member) => member?.derived !== undefined)
      ? distinct.flatMap((role) => ratioOf(match, role))
      : [],
  );

  function ratioOf(match: ConceptMatch, role: Labels): Draft[] {
    const derivations = match.members.map((member) => member?.derived?.derivation);
    const viewsOf = (belongs: (series: SourceSeries, r: number) => boolean): GroupOfRun[] =>
      runs.map((run, r) =>
        viewOf(
          run.series.filter((series) => belongs(series, r) && labelKey(matching.roleOf(r, series)) === labelKey(role)),
          context.grids[r] ?? { start: 0, length: 0, count: 0 },
          "sum",
        ),
      );
    const part = (r: number) => (derivations[r]?.kind === "rate-ratio" ? derivations[r] : undefined);
    const numerators = viewsOf(({ canonical, labels }, r) => {
      const filter = part(r)?.numeratorOf;
      return canonical === part(r)?.numerator && (filter === undefined || admits(filter, labels));
    });
    const denominators = viewsOf(({ canonical }, r) => part(r)?.denominator.includes(canonical) === true);
    const head = numerators[0]?.series[0];
    if (head === undefined || options.includes?.(head.canonical) === false) return [];
    const names = context.sets.map((set) => numerators[set[0] ?? 0]?.series[0]?.family.name ?? "");
    const traces = [tracesOf(numerators), tracesOf(denominators)];
    const name = conceptName(match, role);
    return compareRatio(numerators, denominators, context).map((row): Draft => ({
      ...{ ...row, name, role },
      concept: match,
      family: head.canonical,
      type: "counter",
      head,
      names,
      traces,
    }));
  }
}
