import { inTurns } from "../files/turns.js";
import { engineError } from "./described.js";

/** How long a computation may hold the event loop that also scrapes. */
const SLICE_MS = 12;

/**
 * Runs work in steps, which may yield its progress, without holding up the event loop.
 * @throws RequestError "cancelled" once the signal aborts
 */
export function runSteps<T>(
  steps: Generator<number | void, T>,
  signal?: AbortSignal,
  onProgress?: (fraction: number) => void,
): Promise<T> {
  return inTurns(steps, {
    holdMs: SLICE_MS,
    onProgress,
    check: () => {
      if (signal?.aborted === true) throw engineError("cancelled", "the request was cancelled");
    },
  });
}
