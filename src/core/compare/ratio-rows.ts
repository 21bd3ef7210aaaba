import { admits, SERVERS } from "../catalog/index.js";
import { labelKey, type Labels, type MetricType } from "../model/index.js";
import { groupBy } from "../math/index.js";
import type { ConceptMatch } from "./matching/concepts.js";
import { conceptName, type Setup } from "./setup.js";
import { compareRatio, type DraftRow, type SeriesGroup } from "./matching/group.js";
import { tracesOf, type Trace, viewsOf } from "./run-view.js";
import type { SourceSeries } from "./source.js";
import type { ComparisonOptions } from "./types.js";

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
export function ratioDrafts(setup: Setup): Draft[] {
  const { groups, groupNames, matching } = setup;
  const metrics = SERVERS.flatMap((server) => server.keyMetrics.flatMap(({ derived }) => derived ?? []));
  return metrics.flatMap((derived) => {
    if (derived.kind !== "rate-ratio" || derived.numeratorOf !== undefined) return [];
    return [...groups.values()].flatMap((above) => {
      const head = above.series[0]?.[0];
      const name = groupNames.get(above);
      if (head?.canonical !== derived.numerator || name === undefined) return [];
      const below = derived.denominator.flatMap((canonical) => groups.get(matching.keyOf(0, head, canonical)) ?? []);
      if (below.length < derived.denominator.length) return [];
      const part = (parts: readonly SeriesGroup[]) => (r: number) => parts.flatMap(({ series }) => series[r] ?? []);
      return draftsOf(setup, part([above]), part(below), { name });
    });
  });
}

/** Ratios that different engines tell by counters of their own, for each role where runs are disaggregated. */
export function conceptRatioDrafts(setup: Setup, options: ComparisonOptions): Draft[] {
  const { runs, concepts, matching } = setup;
  const roles = runs.flatMap(({ series }, r) => series.map((one) => matching.roleOf(r, one)));
  const distinct = [...groupBy(roles, labelKey).values()].flatMap(([role]) => (role === undefined ? [] : [role]));
  return concepts.matches.flatMap((concept) => {
    const derivations = concept.members.map((member) => {
      const derivation = member?.derived?.derivation;
      return derivation?.kind === "rate-ratio" ? derivation : undefined;
    });
    if (derivations.every((one) => one === undefined)) return [];
    return distinct.flatMap((role) => {
      const seriesOf = (belongs: (series: SourceSeries, r: number) => boolean) => (r: number) =>
        (runs[r]?.series ?? []).filter(
          (series) => belongs(series, r) && labelKey(matching.roleOf(r, series)) === labelKey(role),
        );
      const above = seriesOf(({ canonical, labels }, r) => {
        const filter = derivations[r]?.numeratorOf;
        return canonical === derivations[r]?.numerator && (filter === undefined || admits(filter, labels));
      });
      const below = seriesOf(({ canonical }, r) => derivations[r]?.denominator.includes(canonical) === true);
      const [head] = above(0);
      if (head === undefined || options.includes?.(head.canonical) === false) return [];
      return draftsOf(setup, above, below, { name: conceptName(concept, role), role, concept });
    });
  });
}

/** The ratio of the counters of each run; none where the baseline has none. */
function draftsOf(
  { context }: Setup,
  above: (run: number) => readonly SourceSeries[],
  below: (run: number) => readonly SourceSeries[],
  about: Pick<Draft, "name" | "role" | "concept">,
): Draft[] {
  const [numerators, denominators] = [viewsOf(context.grids, above, "sum"), viewsOf(context.grids, below, "sum")];
  const head = numerators[0]?.series[0];
  if (head === undefined) return [];
  const traces = [tracesOf(numerators), tracesOf(denominators)];
  const names =
    about.concept === undefined ? [] : context.sets.map(([r = 0]) => numerators[r]?.series[0]?.family.name ?? "");
  return compareRatio(numerators, denominators, context).map((row): Draft => ({
    ...{ ...row, ...about, head, names, traces },
    family: head.canonical,
    type: "counter",
  }));
}
