import { useState } from "preact/hooks";

/** Lines that the legend of a chart has hidden, by their keys. */
export interface HiddenLines {
  readonly keys: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
  /** Shows only this one of all lines; again: all. */
  readonly isolate: (key: string, all: readonly { readonly key: string }[]) => void;
}

export function useHiddenLines(): HiddenLines {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    keys,
    toggle(key) {
      const next = new Set(keys);
      if (!next.delete(key)) next.add(key);
      setKeys(next);
    },
    isolate(key, all) {
      const others = all.map((line) => line.key).filter((other) => other !== key);
      setKeys(new Set(others.every((other) => keys.has(other)) ? [] : others));
    },
  };
}
