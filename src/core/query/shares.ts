import { joiningOf, shownUnit } from "../catalog/index.js";
import { labelValue, type SeriesKey } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import { compareText } from "../stats/index.js";
import { askedEntries, loadOf, measureOf, noDataProblem, type SeriesLoad } from "./load.js";
import { inOrder } from "./order.js";
import type { ResultEntry } from "./tables.js";
import type { Imbalance, SharesData, SharesQuery } from "./types/index.js";

/** How a family's load over the window falls on its endpoints, or on the values of a label. Yields the share done. */
export function* sharesSteps(all: Iterable<ResultEntry>, query: SharesQuery): Generator<number, SharesData> {
  const entries = askedEntries(all, query);
  const family = entries[0]?.key.family;
  const labels = splittingLabels(entries.map(({ key }) => key));
  const by = labels.find((label) => label === query.by);
  const loads = new Map<string, SeriesLoad[]>();
  for (const [i, entry] of entries.entries()) {
    const { key } = entry;
    const computed = entry.result();
    if (computed !== undefined) {
      const part = by === undefined ? key.endpointUrl : (labelValue(key.labels, by) ?? "");
      getOrInsert(loads, part, () => []).push(loadOf(computed));
    }
    yield (i + 1) / entries.length;
  }
  const unit = family === undefined ? undefined : shownUnit(family);
  const measure = measureOf(family?.type ?? "unknown");
  const names = by === undefined ? [...loads.keys()].sort(compareText) : inOrder(loads.keys());
  const parts = names
    .map((name) => ({ name, loads: (loads.get(name) ?? []).filter(({ amount }) => !Number.isNaN(amount)) }))
    .filter((part) => part.loads.length > 0);
  const averaged = measure === "mean" && joiningOf("gauge", unit).compared === "mean";
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const values = Float64Array.from(
    parts,
    ({ loads: of }) => sum(of.map(({ amount }) => amount)) / (averaged ? of.length : 1),
  );
  const total = sum([...values]);
  const shareable = total > 0 && values.every((value) => value >= 0);
  return {
    family: query.family,
    ...(unit === undefined || measure === "observations" ? {} : { unit }),
    measure,
    ...(by === undefined ? {} : { by }),
    labels,
    parts: parts.map(({ name, loads: of }) => {
      const note = of.find((load) => load.note !== undefined)?.note;
      return { name, series: of.length, ...(note === undefined ? {} : { note }) };
    }),
    values,
    rates: Float64Array.from(parts, ({ loads: of }) => sum(of.map(({ rate }) => rate))),
    shares: values.map((value) => (shareable ? value / total : NaN)),
    ...(shareable && parts.length > 1 ? { imbalance: imbalanceOf(values) } : {}),
    ...(parts.length > 0 ? {} : { empty: noDataProblem(query.family, entries.length) }),
  };
}

/** The parts are all there are, not a sample of some: the standard deviation divides by their number. */
export function imbalanceOf(values: ArrayLike<number>): Imbalance {
  const all = Array.from(values);
  const mean = all.reduce((a, b) => a + b, 0) / all.length;
  const variance = all.reduce((a, b) => a + (b - mean) ** 2, 0) / all.length;
  return { maxOverMean: Math.max(...all) / mean, variation: Math.sqrt(variance) / mean };
}

/** Labels in which the series differ, alphabetically. */
function splittingLabels(keys: readonly SeriesKey[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const { labels } of keys) for (const [name] of labels) values.set(name, new Set());
  for (const [name, seen] of values) for (const key of keys) seen.add(labelValue(key.labels, name) ?? "");
  return [...values]
    .filter(([, seen]) => seen.size > 1)
    .map(([name]) => name)
    .sort(compareText);
}
