import { getOrInsert } from "../model/index.js";
import type { SeriesKey } from "../model/index.js";
import type { LabelCount } from "./types/index.js";

/** Every value of every label, family by family, in the order in which the series appeared. Looks at no sample. */
export function labelCounts(keys: Iterable<SeriesKey>): LabelCount[] {
  const families = new Map<string, Map<string, Map<string, number>>>();
  for (const { family, labels } of keys) {
    const names = childOf(families, family.name);
    for (const [name, value] of labels) {
      const values = childOf(names, name);
      values.set(value, (values.get(value) ?? 0) + 1);
    }
  }
  const counts: LabelCount[] = [];
  for (const [family, names] of families) {
    for (const [label, values] of names)
      for (const [value, seriesCount] of values) counts.push({ family, label, value, seriesCount });
  }
  return counts;
}

function childOf<V>(parent: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const child = getOrInsert(parent, key, () => new Map<string, V>());
  return child;
}
