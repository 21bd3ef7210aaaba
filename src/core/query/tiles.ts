import { shownRoles, type Role } from "../catalog/index.js";
import { NS_PER_SECOND, epochNs } from "../model/index.js";
import { complete, reporting, type RunWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { shownFamilies } from "./families.js";
import { metricReader } from "./readings.js";
import { roleSeriesOf } from "./overview.js";
import { StoredRun } from "./stored.js";
import {
  isKnown,
  NOTHING,
  plansByRole,
  readerOf,
  tileOf,
  tilePlans,
  type MetricReader,
  type TilePlan,
} from "./tile.js";
import type { Tile } from "./types/index.js";

/** What is counted or observed in so many seconds is what a rate or a percentile is now. */
const RECENT_SECONDS = 10;

interface TileOptions {
  /** Absent: all that the run has. */
  readonly plans?: readonly TilePlan[];
  readonly window?: RunWindow;
  /** By endpoint; absent: as the run's series tell them. */
  readonly roles?: ReadonlyMap<string, Role>;
  /** Samples still come: a tile says what its metric is now, and warns of that. */
  readonly isLive?: boolean;
  /** Called with the tiles so far, whenever another one is read. */
  readonly onSome?: (tiles: readonly Tile[]) => void;
}

/**
 * The key metrics of the servers found, over the profiling phase so far (the warm-up while it goes on). A generator,
 * because an hour of twenty endpoints takes longer than scrapes may wait: yields the share done, at least after each
 * series.
 */
export function* tileSteps(run: Run | StoredRun, options: TileOptions = {}): Generator<number, Tile[]> {
  const { window, isLive = false, onSome, roles = shownRoles(roleSeriesOf(run)) } = options;
  const reader = metricReader(run, window);
  const plans = options.plans ?? plansByRole(tilePlans(shownFamilies(run)), reader.keysOf, roles);
  const recent = isLive && !(run instanceof StoredRun) ? metricReader(run, recentWindow(run)) : undefined;
  const tiles: Tile[] = [];
  for (const [i, plan] of plans.entries()) {
    const read = (from: MetricReader) => readSteps(readerOf(from, plan, roles), plan, i / plans.length);
    const reading = yield* read(reader);
    const latest = recent === undefined ? undefined : yield* read(recent);
    // A gauge is now what it was last; all else is now what its last seconds make it.
    const current = plan.metric.type === "gauge" ? latest?.sparkline.findLast(isKnown) : latest?.value;
    tiles.push(tileOf(plan, latest === undefined ? reading : { ...reading, current: current ?? NaN }));
    onSome?.(tiles);
  }
  return tiles;
}

/** The tiles that a run will have. */
export function runPlans(run: Run): readonly TilePlan[] {
  return plansByRole(tilePlans(shownFamilies(run)), metricReader(run).keysOf, shownRoles(roleSeriesOf(run)));
}

function* readSteps(reader: MetricReader, plan: TilePlan, done: number) {
  const [reading] = yield* reporting(reader.read(plan, [plan.metric.statistic]), () => done);
  return reading ?? NOTHING;
}

export function recentWindow(run: Run): RunWindow {
  const end = run.store.origin + BigInt(run.newest);
  return { start: epochNs(end - BigInt(RECENT_SECONDS * NS_PER_SECOND)), end: epochNs(end), kind: "exact" };
}

/** The tiles of a run, at once. @param window absent: the run's current one */
export function keyTiles(run: Run | StoredRun, window?: RunWindow): Tile[] {
  return complete(tileSteps(run, window === undefined ? {} : { window }));
}
