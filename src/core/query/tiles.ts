import { complete, currentWindow, type RunWindow } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { runReader } from "./readings.js";
import { NOTHING, tileOf, tilePlans, type TilePlan } from "./tile.js";
import type { Tile } from "./types/index.js";

/**
 * The key metrics of the servers found, over the profiling phase so far (the warm-up while it goes on). A generator,
 * because an hour of twenty endpoints takes longer than scrapes may wait: yields the share done, at least after each
 * series.
 * @param plans absent: all that the run has
 * @param endpointUrl only what this endpoint reports; absent: all together
 */
export function* tileSteps(
  run: Run,
  plans: readonly TilePlan[] = tilePlans(run.store.families()),
  window: RunWindow = currentWindow(run),
  endpointUrl?: string,
): Generator<number, Tile[]> {
  const all = runReader(run, window);
  const reader = endpointUrl === undefined ? all : all.within((key) => key.endpointUrl === endpointUrl);
  const tiles: Tile[] = [];
  for (const [i, plan] of plans.entries()) {
    const steps = reader.read(plan, [plan.metric.statistic]);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield i / plans.length;
    tiles.push(tileOf(plan, step.value[0] ?? NOTHING));
  }
  return tiles;
}

export function keyTiles(run: Run, window?: RunWindow): Tile[] {
  return complete(tileSteps(run, undefined, window));
}
