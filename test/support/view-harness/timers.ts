/** What of node:timers/promises the engine's own code takes, for a page. */

export function setImmediate(): Promise<void> {
  return setTimeout(0);
}

export function setTimeout(ms: number): Promise<void> {
  return new Promise((resolve) => globalThis.setTimeout(resolve, ms));
}
