import { type GroupOfRun, resetsOf } from "../run-view.js";

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
    fell: resetsOf(view) > 0,
  }));
}

/** A gauge never tells; a counter that stands still has nowhere to fall from. */
function isActive({ series, slices }: GroupOfRun): boolean {
  const type = series[0]?.family.type;
  if (slices === undefined || (type !== "counter" && type !== "histogram")) return false;
  return (slices.kind === "values" ? slices.values : slices.observed).some((value) => value > 0);
}

/** Which endpoints of which runs restarted inside the windows, once the series of all groups were counted. */
export class Restarts {
  private readonly tallies: readonly Map<string, { readonly active: number; readonly fell: number }>[];
  private readonly fallen: number[];

  constructor(runs: number) {
    this.tallies = Array.from({ length: runs }, () => new Map<string, { active: number; fell: number }>());
    this.fallen = Array.from({ length: runs }, () => 0);
  }

  /** @param traces of one group, for each run */
  count(traces: readonly Trace[]): void {
    traces.forEach(({ endpoints, active, fell }, r) => {
      if (!active) return;
      this.fallen[r] = (this.fallen[r] ?? 0) + Number(fell);
      for (const url of endpoints) {
        const before = this.tallies[r]?.get(url) ?? { active: 0, fell: 0 };
        this.tallies[r]?.set(url, { active: before.active + 1, fell: before.fell + Number(fell) });
      }
    });
  }

  /** Series of run `r` that fell. */
  seriesOf(r: number): number {
    return this.fallen[r] ?? 0;
  }

  /** Endpoints of run `r` whose server restarted. */
  endpointsOf(r: number): readonly string[] {
    return [...(this.tallies[r] ?? [])].flatMap(([url, { active, fell }]) =>
      fell > 0 && fell >= RESTARTED_SHARE * active ? [url] : [],
    );
  }
}

/**
 * Did what a row is measured from fall, or a server behind it restart? @param restarted endpoints of the run that did
 */
export function isAffected({ endpoints, fell }: Trace, restarted: readonly string[]): boolean {
  return fell || restarted.some((url) => endpoints.includes(url));
}
