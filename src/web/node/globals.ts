/* Globals of Node that bundles for browsers have put in. */

export { Buffer } from "buffer/";

export const process = {
  env: self.environment ?? {},
  platform: "browser",
  pid: 0,
  cwd: () => "/",
  versions: { node: "0" },
  /** A browser tells no worker what it holds. */
  memoryUsage: () => ({ heapTotal: 0, external: 0, arrayBuffers: 0, rss: 0 }),
};

const turns = new self.MessageChannel();
const waiting: (() => void)[] = [];
turns.port1.onmessage = () => waiting.shift()?.();

/** Sooner than setTimeout, which browsers make wait 4 ms. */
export function setImmediate(work: () => void): void {
  waiting.push(work);
  turns.port2.postMessage(undefined);
}

/** A page that is not isolated from others has none: nothing is shared with other threads here. */
const shared = self.SharedArrayBuffer ?? ArrayBuffer;
export { shared as SharedArrayBuffer };
