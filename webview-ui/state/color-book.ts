import { labelKey, type Labels } from "../../src/core/model/index.js";

/** Gives each series (endpoint and labels) a place in the palette, and the same one in every chart. */
export interface ColorBook {
  slot(endpointUrl: string, labels: Labels): number;
  /** In order of their slots, to be handed to `makeColorBook` when the view is created anew. */
  keys(): string[];
}

export function makeColorBook(known: readonly string[] = []): ColorBook {
  const slots = new Map(known.map((key, slot) => [key, slot]));
  return {
    slot(endpointUrl, labels) {
      const key = `${endpointUrl} ${labelKey(labels)}`;
      const found = slots.get(key);
      if (found !== undefined) return found;
      const slot = slots.size;
      slots.set(key, slot);
      return slot;
    },
    keys: () => [...slots.keys()],
  };
}
