/** Work that may be interrupted wherever it yields. */
export type Steps<T> = Generator<void, T>;

/** The same steps, of which each yields the share that is done of all work. */
export function* reporting<S, T>(steps: Generator<S, T>, share: (step: S) => number): Generator<number, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield share(step.value);
  }
}

/** Runs work in steps to its end, without a pause. */
export function complete<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
