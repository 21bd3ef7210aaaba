import type { LogOutputChannel } from "vscode";
import { spawnEngine, type EngineClient } from "../engine/client.js";

/** The worker thread that owns one run. */
export interface Engine {
  readonly client: EngineClient;
  /** Settles when the worker is gone: with the reason when it ended without having been asked to. */
  readonly crashed: Promise<string | undefined>;
  /** Ends the worker; requests still pending reject with code "disposed". */
  dispose(): Promise<void>;
}

export type SpawnEngine = () => Engine;

/** Engines of the bundle at `workerPath`; what they log goes to the extension's log. */
export function engineSpawner(workerPath: string, log: LogOutputChannel): SpawnEngine {
  return () => {
    const spawned = spawnEngine(workerPath);
    const { client } = spawned;
    client.on("log", ({ level, message }) => log[level](message));
    let disposed = false;
    return {
      client,
      crashed: spawned.exited.then(
        () => (disposed ? undefined : "its thread ended"),
        (error: unknown) => (disposed ? undefined : error instanceof Error ? error.message : String(error)),
      ),
      dispose: async () => {
        disposed = true;
        await spawned.dispose();
      },
    };
  };
}
