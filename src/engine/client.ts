import { Worker } from "node:worker_threads";
import type { ComparisonEngineRequests, ComparisonEvents } from "../protocol/comparison.js";
import {
  ChannelClient,
  type DescribedError,
  type EngineEvents,
  type EngineRequests,
  type RequestsOf,
} from "../protocol/index.js";
import { secretParameters } from "../core/model/index.js";
import { workerPort } from "./port.js";
import { SECRET_PARAMETERS_VARIABLE } from "./worker-secrets.js";

export type EngineClient = ChannelClient<EngineRequests, EngineEvents>;
export type ComparisonClient = ChannelClient<ComparisonEngineRequests, ComparisonEvents>;

/** Code of what is rejected because the worker has crashed. */
export const ENGINE_ENDED = "engine-ended";

/** What a worker thread of the one bundle is for, as its `workerData` tells it. */
export type WorkerRole = "run" | "comparison";

/** A worker thread that owns one run, or the runs of one comparison. */
export interface Spawned<Client> {
  readonly client: Client;
  /** Settles once the worker is gone; rejects with its error when it crashed rather than being disposed. */
  readonly exited: Promise<void>;
  /** Ends the worker at once. A capture in it keeps its journal. */
  readonly dispose: () => Promise<void>;
}

export type SpawnedEngine = Spawned<EngineClient>;

/** @param workerPath the bundled `engine.js` */
export function spawnEngine(workerPath: string): SpawnedEngine {
  return spawnWorker<EngineRequests, EngineEvents>(workerPath, "server-metrics engine", "run" satisfies WorkerRole);
}

/** @param workerPath the bundled `engine.js` */
export function spawnComparison(workerPath: string): Spawned<ComparisonClient> {
  const role: WorkerRole = "comparison";
  return spawnWorker<ComparisonEngineRequests, ComparisonEvents>(workerPath, "server-metrics comparison", role);
}

/**
 * A worker thread that answers `Requests`.
 * @param workerPath its bundle
 * @param name as debuggers show it
 * @param workerData what it gets at its start
 */
export function spawnWorker<Requests extends RequestsOf<Requests>, Events>(
  workerPath: string,
  name: string,
  workerData?: unknown,
): Spawned<ChannelClient<Requests, Events>> {
  const env = { ...process.env, [SECRET_PARAMETERS_VARIABLE]: secretParameters().join(",") };
  const worker = new Worker(workerPath, { name, workerData, env });
  const client = new ChannelClient<Requests, Events>(workerPort(worker));
  const exited = new Promise<void>((resolve, reject) => {
    worker.once("error", (error) => {
      client.dispose(ended(error.message));
      reject(error);
    });
    worker.once("exit", () => {
      client.dispose(ended("its thread ended"));
      resolve();
    });
  });
  return {
    client,
    exited,
    dispose: async () => {
      client.dispose({ code: "disposed", message: "the engine was closed" });
      await worker.terminate();
    },
  };
}

/** Nobody asked it to end. */
function ended(reason: string): DescribedError {
  return { code: ENGINE_ENDED, message: `the engine ended unexpectedly: ${reason}` };
}
