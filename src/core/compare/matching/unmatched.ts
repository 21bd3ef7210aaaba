import type { RefusedConcept } from "./concepts.js";
import type { GroupContext, SeriesGroup } from "./group.js";
import type { MeasuredRun } from "../source.js";
import type { UnmatchedSeries } from "../types.js";

/** What one side has and another has not, with the reason. */
export function unmatchedSeries(
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
