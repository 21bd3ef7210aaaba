import { Worker } from "node:worker_threads";
import { ChannelClient, type EngineEvents, type EngineRequests } from "../protocol/index.js";
import { workerPort } from "./port.js";

export type EngineClient = ChannelClient<EngineRequests, EngineEvents>;

/** A worker thread that owns one run. */
export interface SpawnedEngine {
  readonly client: EngineClient;
  /** Settles once the worker is gone; rejects with its error when it crashed rather than being disposed. */
  readonly exited: Promise<void>;
  /** Ends the worker at once. A capture in it keeps its journal. */
  dispose(): Promise<void>;
}

/** @param workerPath the bundled `engine.js` */
export function spawnEngine(workerPath: string): SpawnedEngine {
  const worker = new Worker(workerPath, { name: "server-metrics engine" });
  const client: EngineClient = new ChannelClient(workerPort(worker));
  const exited = new Promise<void>((resolve, reject) => {
    worker.once("error", (error) => {
      client.dispose(`the engine stopped unexpectedly: ${error.message}`);
      reject(error);
    });
    worker.once("exit", () => {
      client.dispose("the engine has ended");
      resolve();
    });
  });
  return {
    client,
    exited,
    dispose: async () => {
      client.dispose("the engine was closed");
      await worker.terminate();
    },
  };
}
