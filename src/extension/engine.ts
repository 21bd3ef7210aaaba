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
import { messageOf } from "../core/text/error-text.js";

/** A worker thread and how to talk to it. */
export interface WorkerEngine<Client> {
  readonly client: Client;
  /** Settles when the worker is gone: with the reason when it ended without having been asked to. */
  readonly crashed: Promise<string | undefined>;
  /** Ends the worker; requests still pending reject with code "disposed". */
  dispose(): Promise<void>;
}

/** The worker thread that owns one run. */
export type RunEngine = WorkerEngine<EngineClient>;
/** The worker thread that owns the runs of one comparison. */
export type ComparingEngine = WorkerEngine<ComparisonClient>;

/** @param task a capture may take as much memory as there is: what it holds exists nowhere else but in its journal */
export type SpawnEngine = (task?: "capture") => RunEngine;
export type SpawnComparison = () => ComparingEngine;

/** Engines of the bundle at `workerPath`; what they log goes to the extension's log. */
export function engineSpawner(workerPath: string, log: Log): SpawnEngine {
  return (task) => {
    const spawned = spawnEngine(workerPath, task === "capture" ? undefined : readSetting(SETTINGS.memoryLimit));
    spawned.client.on("log", ({ level, message }) => log[level](message));
    return watched(spawned);
  };
}

/** As `engineSpawner`. */
export function comparisonSpawner(workerPath: string): SpawnComparison {
  return () => watched(spawnComparison(workerPath, readSetting(SETTINGS.memoryLimit)));
}

function watched<Client>({ client, exited, dispose }: Spawned<Client>): WorkerEngine<Client> {
  let disposed = false;
  return {
    client,
    crashed: exited.then(
      () => (disposed ? undefined : "its thread ended"),
      (error: unknown) => (disposed ? undefined : messageOf(error)),
    ),
    dispose: async () => {
      disposed = true;
      await dispose();
    },
  };
}
