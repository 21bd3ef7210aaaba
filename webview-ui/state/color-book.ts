import { labelKey, type Labels } from "../../src/core/model/index.js";

/** Gives each series (endpoint and labels) a place in the palette, and the same one in every chart. */
export interface ColorBook {
  slot(endpointUrl: string, labels: Labels): number;
  /** Of what stands for all of an endpoint's series: that of the first of them that any chart has drawn or will. */
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
    const next = slots.get(anySeries(endpointUrl)) ?? slots.size;
    slots.delete(anySeries(endpointUrl));
    slots.set(key, next);
    return next;
  };
  return {
    slot,
    slotOf(endpointUrl) {
      const first = [...slots].find(([key]) => key.startsWith(`${endpointUrl} `));
      if (first !== undefined) return first[1];
      const next = slots.size;
      slots.set(anySeries(endpointUrl), next);
      return next;
    },
    keys: () => [...slots].sort(([, a], [, b]) => a - b).map(([key]) => key),
  };
}

/** Holds an endpoint's place until one of its series takes it. No labels give this key. */
function anySeries(endpointUrl: string): string {
  return `${endpointUrl} *`;
}
