import { UserError } from "../../core/text/user-error.js";
import type { ProgressListener, RunEvents, RunRequests } from "../../protocol/index.js";

/**
 * Whatever answers for the run a view shows: an engine with a capture or a rebuilt run, or an opened file. Typed arrays
 * pass through as they are.
 */
export interface RunSource {
  call<K extends keyof RunRequests>(
    name: K,
    params: RunRequests[K]["params"],
    signal?: AbortSignal,
    onProgress?: ProgressListener,
  ): Promise<RunRequests[K]["result"]>;
  /** Passes on what the run reports; returns what ends that. */
  on<K extends keyof RunEvents>(name: K, listener: (payload: RunEvents[K]) => void): () => void;
}

/** A run that is no more: every request is refused with the reason. */
export function endedSource(message: string, remedy: string): RunSource {
  return {
    call: () => Promise.reject(new UserError(message, remedy, { code: "run-gone" })),
    on: () => () => {},
  };
}
