/** For something to appear or change, milliseconds. */
export const patience = 60_000;

/** Asks again until it is so. @throws Error with `otherwise()` when it is not in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  otherwise: () => string,
  timeout = patience,
): Promise<void> {
  const deadline = performance.now() + timeout;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(otherwise());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
