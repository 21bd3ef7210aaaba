import { UserError } from "../../core/text/user-error.js";
import type { ProgressListener, RunEvents, RunRequests } from "../../protocol/index.js";

export type RunListener = { readonly [K in keyof RunEvents]: (payload: RunEvents[K]) => void };

/** Whatever answers for the run a view shows: an engine with a capture, a rebuilt run or an opened file. */
export interface RunSource {
  ask<K extends keyof RunRequests>(
    name: K,
    params: RunRequests[K]["params"],
    signal: AbortSignal,
    report: ProgressListener,
  ): Promise<RunRequests[K]["result"]>;
  /** Passes on what the run reports; returns what ends that. */
  subscribe(listener: RunListener): () => void;
}

/** What a source needs of an engine. */
export interface RunClient {
  call<K extends keyof RunRequests>(
    name: K,
    params: RunRequests[K]["params"],
    signal?: AbortSignal,
    onProgress?: ProgressListener,
  ): Promise<RunRequests[K]["result"]>;
  on<K extends keyof RunEvents>(name: K, listener: (payload: RunEvents[K]) => void): () => void;
}

/** A run in an engine. Typed arrays pass through as they are. */
export function engineSource(client: RunClient): RunSource {
  return {
    ask: (name, params, signal, report) => client.call(name, params, signal, report),
    subscribe(listener) {
      const ends = [client.on("progress", listener.progress), client.on("families", listener.families)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** A run that is no more: every request is refused with the reason. */
export function endedSource(message: string, remedy: string): RunSource {
  return {
    ask: () => Promise.reject(new UserError(message, remedy, { code: "run-gone" })),
    subscribe: () => () => {},
  };
}
