import type { RefusedConcept } from "./concepts.js";
import type { SeriesGroup } from "./group.js";
import type { MeasuredRun } from "../source.js";
import type { UnmatchedSeries } from "../types.js";

/** What one side has and another has not, with the reason. */
export function unmatchedSeries(
  groups: ReadonlyMap<string, SeriesGroup>,
  runs: readonly MeasuredRun[],
  sets: readonly (readonly number[])[],
  refused: readonly RefusedConcept[],
): UnmatchedSeries[] {
  const types = sets.map((positions) => {
    const known = new Map<string, string>();
    for (const r of positions)
      for (const { canonical, family } of runs[r]?.series ?? []) known.set(canonical, family.type);
    return known;
  });
  const found: UnmatchedSeries[] = [];
  const [baseline = [], ...candidates] = sets;
  const add = (
    side: UnmatchedSeries["side"],
    candidate: number,
    group: SeriesGroup,
    positions: readonly number[],
    other: ReadonlyMap<string, string> | undefined,
    where: string,
  ) => {
    const series = positions.map((r) => group.series[r] ?? []).find((list) => list.length > 0) ?? [];
    for (const { canonical: family, endpointUrl, labels } of series) {
      const type = other?.get(family);
      const concept = refused.find(
        ({ run, families }) => sets[candidate + 1]?.includes(run) === true && families.includes(family),
      );
      const reason =
        concept !== undefined
          ? concept.reason
          : type === undefined
            ? `${where} has no such family`
            : type !== group.type
              ? `it is a ${type} in ${where}`
              : `${where} has no series with these labels`;
      found.push({ family, type: group.type, endpointUrl, labels, side, candidate, reason });
    }
  };
  for (const group of groups.values()) {
    const has = (positions: readonly number[]) => positions.some((r) => (group.series[r] ?? []).length > 0);
    candidates.forEach((positions, c) => {
      if (has(baseline) && !has(positions)) add("baseline", c, group, baseline, types[c + 1], "the candidate");
      if (!has(baseline) && has(positions)) add("candidate", c, group, positions, types[0], "the baseline");
    });
  }
  return found;
}
