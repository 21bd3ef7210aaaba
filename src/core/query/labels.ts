import type { SeriesKey } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import type { LabelCount } from "./types/index.js";

/** Every value of every label, family by family, in the order in which the series appeared. Looks at no sample. */
export function labelCounts(keys: Iterable<SeriesKey>): LabelCount[] {
  const families = new Map<string, Map<string, Map<string, number>>>();
  for (const { family, labels } of keys) {
    const names = getOrInsert(families, family.name, () => new Map<string, Map<string, number>>());
    for (const [name, value] of labels) {
      const values = getOrInsert(names, name, () => new Map<string, number>());
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
