import { getOrInsert } from "../../math/index.js";
import type { GroupOfRun } from "../run-view.js";

/** Share of an endpoint's series that fall when its server restarts, at the least; fewer fall by themselves. */
const RESTARTED_SHARE = 0.5;

/** What one run's part of a group tells of restarts. */
export interface Trace {
  readonly endpoints: readonly string[];
  /** It counts something that rises, and has risen. */
  readonly active: boolean;
  readonly fell: boolean;
}

/** What each run's part of a group tells of restarts, in the order of the runs. */
export function tracesOf(views: readonly GroupOfRun[]): readonly Trace[] {
  return views.map((view) => ({
    endpoints: [...new Set(view.series.map(({ endpointUrl }) => endpointUrl))],
    active: isActive(view),
    fell: (view.slices?.resets ?? 0) > 0,
  }));
}

/** A gauge never tells; a counter that stands still has nowhere to fall from. */
function isActive({ series, slices }: GroupOfRun): boolean {
  const type = series[0]?.family.type;
  if (slices === undefined || (type !== "counter" && type !== "histogram")) return false;
  return (slices.kind === "values" ? slices.values : slices.observed).some((value) => value > 0);
}

/** What restarted of one run inside its window. */
export interface Restarts {
  /** Series that fell. */
  readonly fallen: number;
  /** Endpoints whose server restarted. */
  readonly endpoints: readonly string[];
}

/** @param traces one run's of all groups */
export function restartsOf(traces: readonly Trace[]): Restarts {
  const active = traces.filter((trace) => trace.active);
  const counts = new Map<string, { active: number; fell: number }>();
  for (const { endpoints, fell } of active) {
    for (const url of endpoints) {
      const count = getOrInsert(counts, url, () => ({ active: 0, fell: 0 }));
      count.active++;
      count.fell += Number(fell);
    }
  }
  const endpoints = [...counts].flatMap(([url, count]) =>
    count.fell > 0 && count.fell >= RESTARTED_SHARE * count.active ? [url] : [],
  );
  return { fallen: active.filter(({ fell }) => fell).length, endpoints };
}

/**
 * Did what a row is measured from fall, or a server behind it restart? @param restarted endpoints of the run that did
 */
export function isAffected({ endpoints, fell }: Trace, restarted: readonly string[]): boolean {
  return fell || restarted.some((url) => endpoints.includes(url));
}
