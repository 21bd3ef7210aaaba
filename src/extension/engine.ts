import {
  spawnComparison,
  spawnEngine,
  type ComparisonClient,
  type EngineClient,
  type Spawned,
} from "../engine/client.js";
import { SETTINGS } from "./settings/definitions.js";
import { readSetting } from "./settings/read.js";
import type { Log } from "./workbench-text.js";

/** The worker thread that owns one run. */
export type RunEngine = Omit<Spawned<EngineClient>, "exited">;
/** The worker thread that owns the runs of one comparison. */
export type ComparingEngine = Omit<Spawned<ComparisonClient>, "exited">;

/** @param task a capture may take as much memory as there is: what it holds exists nowhere else but in its journal */
export type SpawnEngine = (task?: "capture") => RunEngine;
export type SpawnComparison = () => ComparingEngine;

/** Engines of the bundle at `workerPath`; what they log goes to the extension's log. */
export function engineSpawner(workerPath: string, log: Log): SpawnEngine {
  return (task) => {
    const spawned = spawnEngine(workerPath, task === "capture" ? undefined : readSetting(SETTINGS.memoryLimit));
    spawned.client.on("log", ({ level, message }) => log[level](message));
    return spawned;
  };
}

/** As `engineSpawner`. */
export function comparisonSpawner(workerPath: string): SpawnComparison {
  return () => spawnComparison(workerPath, readSetting(SETTINGS.memoryLimit));
}
