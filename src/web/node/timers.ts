/* node:timers/promises where there is no Node. */
import { setImmediate as soon } from "./globals.js";

const later = globalThis.setTimeout;

export function setTimeout<T>(ms: number, value?: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(signal?.reason instanceof Error ? signal.reason : new Error("aborted"));
    if (signal?.aborted === true) refuse();
    signal?.addEventListener("abort", refuse, { once: true });
    later(() => resolve(value as T), ms);
  });
}

export const setImmediate = (): Promise<void> => new Promise((resolve) => soon(resolve));
