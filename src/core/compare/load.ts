import { familiesOfMember, keyMetricOf } from "../catalog/index.js";
import type { ConceptMatches } from "./matching/concepts.js";
import type { SliceGrid } from "./slices/slices.js";
import type { MeasuredRun } from "./source.js";
import { viewOf, totalRate } from "./run-view.js";

/**
 * Requests finished per second in each run, by the first family that tells it and that all have, else by what each
 * engine calls it; NaN when there is none.
 */
export function loadsOf(runs: readonly MeasuredRun[], grids: readonly SliceGrid[], concepts: ConceptMatches): number[] {
  const [first] = runs;
  const families = [
    ...new Set(
      first?.series.flatMap(({ canonical, family }) => (showsLoad(canonical, family.type) ? [canonical] : [])),
    ),
  ];
  // Counters of requests before histograms, which count them by the way.
  families.sort((a, b) => Number(keyMetricOf(a)?.type === "histogram") - Number(keyMetricOf(b)?.type === "histogram"));
  const common = families.find((family) =>
    runs.every((run) => run.series.some(({ canonical }) => canonical === family)),
  );
  const finished = concepts.matches.find(({ concept }) => concept.id === "finished");
  return runs.map((run, r) => {
    const grid = grids[r];
    const member = finished?.members[r];
    const name = common ?? (member === undefined ? undefined : familiesOfMember(member)[0]);
    if (name === undefined || grid === undefined) return NaN;
    return totalRate(
      viewOf(
        run.series.filter(({ canonical }) => canonical === name),
        grid,
        "sum",
      ),
      grid,
    );
  });
}

function showsLoad(family: string, type: string): boolean {
  const metric = keyMetricOf(family);
  if (metric === undefined || metric.derived !== undefined || metric.type !== type) return false;
  return type === "counter"
    ? metric.direction === "up" && /request/.test(family)
    : type === "histogram" && /e2e|duration|time_to_first/.test(family);
}
