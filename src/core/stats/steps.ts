/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<void, T>;

/** Runs work in steps to its end, without a pause. */
export function complete<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
