import { setImmediate, setTimeout } from "node:timers/promises";
import { runInBackground } from "../files/background.js";
import { engineError } from "./engine-error.js";

/** How long a computation may hold the event loop that also scrapes. */
const SLICE_MS = 12;
/** How long work that others go before waits at most for its next turn: it must end on a busy engine, too. */
const LONGEST_WAIT_MS = 200;
const LOOK_AGAIN_MS = 4;

/** Works under way that others stand behind. */
let inFront = 0;

/**
 * Runs work in steps, which may yield its progress, without holding up the event loop.
 * @throws UserError "cancelled" once the signal aborts
 */
export async function runSteps<T>(
  steps: Generator<number | void, T>,
  signal?: AbortSignal,
  onProgress?: (fraction: number) => void,
): Promise<T> {
  inFront++;
  try {
    return await runInBackground(steps, { holdMs: SLICE_MS, onProgress, check: () => checkCancelled(signal) });
  } finally {
    inFront--;
  }
}

/**
 * As `runSteps`, behind all other work: what a view shows at once, such as tiles and tables, does not wait for it.
 * @throws as `runSteps`
 */
export async function runInIdleTime<T>(steps: Generator<number | void, T>, signal?: AbortSignal): Promise<T> {
  await idleTurn();
  checkCancelled(signal);
  return runInBackground(steps, { holdMs: SLICE_MS, rest: idleTurn, check: () => checkCancelled(signal) });
}

/** Until nothing is in front, or for the longest wait. */
async function idleTurn(): Promise<void> {
  const since = performance.now();
  await setImmediate();
  while (inFront > 0 && performance.now() - since < LONGEST_WAIT_MS) await setTimeout(LOOK_AGAIN_MS);
}

function checkCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw engineError("cancelled", "the request was cancelled");
}
