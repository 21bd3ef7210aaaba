import { setImmediate } from "node:timers/promises";

export interface Turns {
  /** How long the work may hold the event loop at a time. */
  readonly holdMs: number;
  /** Waits between two turns; absent: for the other work of the event loop. */
  readonly rest?: () => Promise<unknown>;
  /** Called before each turn but the first; what it throws ends the work. */
  readonly check: () => void;
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/** Runs work in steps, which may yield the share done, without holding up the event loop. */
export async function runInBackground<T>(
  steps: Generator<number | void, T>,
  { holdMs, rest = setImmediate, check, onProgress }: Turns,
): Promise<T> {
  let since = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - since < holdMs) continue;
    if (typeof step.value === "number") onProgress?.(step.value);
    await rest();
    check();
    since = performance.now();
  }
}
