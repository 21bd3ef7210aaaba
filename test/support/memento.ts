import type { Memento } from "vscode";

/** What a workbench remembers for an extension, in memory alone. */
export function memento(kept = new Map<string, unknown>()): Memento {
  return {
    keys: () => [...kept.keys()],
    get: <T>(key: string, byDefault?: T) => (kept.get(key) ?? byDefault) as T,
    update: (key, value) => Promise.resolve(void kept.set(key, value)),
  };
}
