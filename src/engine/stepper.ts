import { setImmediate } from "node:timers/promises";
import { engineError } from "./described.js";

/** How long a computation may hold the event loop that also scrapes. */
const SLICE_MS = 12;

/**
 * Runs work in steps, which may yield its progress, without holding up the event loop.
 * @throws RequestError "cancelled" once the signal aborts
 */
export async function runSteps<T>(
  steps: Generator<number | void, T>,
  signal?: AbortSignal,
  onProgress?: (fraction: number) => void,
): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    if (typeof step.value === "number") onProgress?.(step.value);
    await setImmediate();
    if (signal?.aborted === true) throw engineError("cancelled", "the request was cancelled");
    since = performance.now();
  }
}
