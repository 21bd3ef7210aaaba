import { labelKey, type Labels } from "../../src/core/model/index.js";

/** Gives each series (endpoint and labels) a place in the palette, and the same one in every chart. */
export interface ColorBook {
  slot(endpointUrl: string, labels: Labels): number;
  /** Of what stands for all of an endpoint's series: that of the first of them that any chart has drawn. */
  slotOf(endpointUrl: string): number;
  /** In order of their slots, to be handed to `makeColorBook` when the view is created anew. */
  keys(): string[];
}

export function makeColorBook(known: readonly string[] = []): ColorBook {
  const slots = new Map(known.map((key, slot) => [key, slot]));
  const slot = (endpointUrl: string, labels: Labels) => {
    const key = `${endpointUrl} ${labelKey(labels)}`;
    const found = slots.get(key);
    if (found !== undefined) return found;
    const next = slots.size;
    slots.set(key, next);
    return next;
  };
  return {
    slot,
    slotOf(endpointUrl) {
      const first = [...slots].find(([key]) => key.startsWith(`${endpointUrl} `));
      return first?.[1] ?? slot(endpointUrl, []);
    },
    keys: () => [...slots.keys()],
  };
}
