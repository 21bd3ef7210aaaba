import type { SeriesKey } from "../model/index.js";
import type { SeriesQuery, LabelCount } from "./types/index.js";
import { compareText } from "../stats/index.js";
import { getOrInsert } from "../math/index.js";

/** Whether a series is among those asked about. */
export function isAsked({ id, endpointUrl, family }: SeriesKey, query: SeriesQuery): boolean {
  return (
    family.name === query.family &&
    query.series?.includes(id) !== false &&
    query.endpoints?.includes(endpointUrl) !== false
  );
}

/** Values of a label as a person counts them: numbers by size, then words. */
export function inOrder(values: Iterable<string>): string[] {
  return [...values].sort(compareValues);
}

/** Orders series by endpoint, then by their labels' values, for `sort`. */
export function compareSeries(a: Located, b: Located): number {
  const byEndpoint = compareText(a.endpointUrl, b.endpointUrl);
  if (byEndpoint !== 0) return byEndpoint;
  for (const [i, [name, value]] of a.labels.entries()) {
    const other = b.labels[i];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return a.labels.length - b.labels.length;
}

type Located = Pick<SeriesKey, "endpointUrl" | "labels">;

function compareValues(a: string, b: string): number {
  if (a === b) return 0;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || compareText(a, b);
  return x - y || compareText(a, b);
}

function numberOf(text: string): number {
  return text.trim() === "" ? NaN : Number(text);
}

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
