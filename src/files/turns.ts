import { setImmediate, setTimeout } from "node:timers/promises";

export interface Turns {
  /** How long the work may hold the event loop at a time. */
  readonly holdMs: number;
  /**
   * How long it rests between two turns. Where other threads of this process want all cores, one that rests now and
   * then gets a core as soon as it asks; one that does not waits for theirs in the middle of its turns.
   */
  readonly restMs?: number;
  /** Called before each turn but the first; what it throws ends the work. */
  readonly check: () => void;
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** Runs work in steps, which may yield the share done, without holding up the event loop. */
export async function inTurns<T>(
  steps: Generator<number | void, T>,
  { holdMs, restMs = 0, check, onProgress }: Turns,
): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < holdMs) continue;
    if (typeof step.value === "number") onProgress?.(step.value);
    await (restMs > 0 ? setTimeout(restMs) : setImmediate());
    check();
    since = performance.now();
  }
}
