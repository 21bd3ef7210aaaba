import { Worker } from "node:worker_threads";
import type { ComparisonEngineRequests, ComparisonEvents } from "../protocol/comparison.js";
import {
  ChannelClient,
  type DescribedError,
  type EngineEvents,
  type EngineRequests,
  type RequestsOf,
} from "../protocol/index.js";
import { errorCode, messageOf, secretParameters } from "../core/text/index.js";
import { memoryOption } from "../files/memory.js";
import { threadPort } from "./port.js";
import { WORKER_MEMORY_VARIABLE, SECRET_PARAMETERS_VARIABLE } from "./worker-setup.js";
import { grouped } from "../core/text/plural.js";

export type EngineClient = ChannelClient<EngineRequests, EngineEvents>;
export type ComparisonClient = ChannelClient<ComparisonEngineRequests, ComparisonEvents>;

/** Reading is given up by itself: the heap may hold more for large files, and ends a step without bound. */
const HEAP_SHARE = 2;
/**
 * What `parseJson` may take at once, MiB: ten million values of 60 bytes. V8 cannot stop JSON.parse, and where the heap
 * ends in the midst of it, so does the process, with all that the extension host holds.
 */
const ONE_PARSE_MIB = 600;
/** The young generation of a comparison's thread, MiB, instead of 48. */
const COMPARISON_YOUNG_MIB = 96;
/** Code of what is rejected because the worker has crashed. */
export const ENGINE_ENDED = "engine-ended";

/** A worker thread that owns one run, or the runs of one comparison. */
export interface Spawned<Client> {
  readonly client: Client;
  /** Settles once the worker is gone; rejects with its error when it crashed rather than being disposed. */
  readonly exited: Promise<void>;
  /** Settles with it: with the reason when the worker ended without having been asked to. */
  readonly crashed: Promise<string | undefined>;
  /** Ends the worker at once. A capture in it keeps its journal. */
  readonly dispose: () => Promise<void>;
}

export type SpawnedEngine = Spawned<EngineClient>;

/** @param workerPath the bundled `engine.js`; `memoryMiB` as `spawnWorker` */
export function spawnEngine(workerPath: string, memoryMiB?: number): SpawnedEngine {
  return spawnWorker<EngineRequests, EngineEvents>(workerPath, "server-metrics engine", { memoryMiB });
}

/** @param workerPath the bundled `comparison.js`; `memoryMiB` as `spawnWorker` */
export function spawnComparison(workerPath: string, memoryMiB?: number): Spawned<ComparisonClient> {
  return spawnWorker<ComparisonEngineRequests, ComparisonEvents>(workerPath, "server-metrics comparison", {
    youngMiB: COMPARISON_YOUNG_MIB,
    memoryMiB,
  });
}

interface WorkerOptions {
  /** Of its young generation; absent: V8's own. */
  readonly youngMiB?: number;
  /** It refuses files that need more, and ends where that is not enough; absent: as much as there is. */
  readonly memoryMiB?: number | undefined;
}

/**
 * A worker thread that answers `Requests`.
 * @param workerPath its bundle
 * @param name as debuggers show it
 */
export function spawnWorker<Requests extends RequestsOf<Requests>, Events>(
  workerPath: string,
  name: string,
  { youngMiB, memoryMiB }: WorkerOptions,
): Spawned<ChannelClient<Requests, Events>> {
  const env = {
    ...process.env,
    [SECRET_PARAMETERS_VARIABLE]: secretParameters().join(","),
    ...(memoryMiB === undefined ? {} : { [WORKER_MEMORY_VARIABLE]: String(memoryMiB) }),
  };
  const resourceLimits = {
    ...(youngMiB === undefined ? {} : { maxYoungGenerationSizeMb: youngMiB }),
    ...(memoryMiB === undefined ? {} : { maxOldGenerationSizeMb: HEAP_SHARE * memoryMiB + ONE_PARSE_MIB }),
  };
  const worker = new Worker(workerPath, { name, env, resourceLimits });
  const client = new ChannelClient<Requests, Events>(threadPort(worker));
  const exited = new Promise<void>((resolve, reject) => {
    worker.once("error", (thrown) => {
      const error = errorCode(thrown) === "ERR_WORKER_OUT_OF_MEMORY" ? new Error(memoryWords(memoryMiB)) : thrown;
      client.dispose(ended(error.message));
      reject(error);
    });
    worker.once("exit", () => {
      client.dispose(ended("its thread ended"));
      resolve();
    });
  });
  let disposed = false;
  const unlessDisposed = (reason: string) => (disposed ? undefined : reason);
  return {
    client,
    exited,
    crashed: exited.then(
      () => unlessDisposed("its thread ended"),
      (error: unknown) => unlessDisposed(messageOf(error)),
    ),
    dispose: async () => {
      disposed = true;
      client.dispose({ code: "disposed", message: "the engine was closed" });
      await worker.terminate();
    },
  };
}

function memoryWords(mib: number | undefined): string {
  if (mib === undefined) return "its memory was used up";
  return `it needed more than ${grouped(mib)} MiB of memory, which ${memoryOption()} allows`;
}

/** Nobody asked it to end. */
function ended(reason: string): DescribedError {
  return { code: ENGINE_ENDED, message: `the engine ended unexpectedly: ${reason}` };
}
