import { formatLabels, type Labels } from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import type { ConceptMatch } from "./concepts.js";
import type { SeriesGroup } from "./group.js";
import { placeOf, type Matching } from "./labels.js";
import type { Quantity } from "../types.js";

/**
 * A name for each group of series that stays whichever run is the baseline: the canonical family with the labels that
 * must match. Groups that differ only in what merely identifies (endpoints, paired labels) are numbered, in an order
 * that goes by the series of all runs alike.
 */
export function groupNames(
  groups: Iterable<SeriesGroup>,
  { rules, labelsOf }: Matching,
): ReadonlyMap<SeriesGroup, string> {
  const identifying = new Set(rules.filter(({ applied }) => applied !== "match").map(({ label }) => label));
  const alike = new Map<string, { readonly group: SeriesGroup; readonly place: string }[]>();
  for (const group of groups) {
    const all = group.series.flat();
    const [head] = all;
    if (head === undefined) continue;
    const name =
      group.concept !== undefined
        ? conceptName(group.concept, group.role)
        : `${head.canonical}${formatLabels(labelsOf(head).filter(([label]) => !identifying.has(label)))}`;
    const places = all.map(({ endpointUrl, labels, family }) =>
      JSON.stringify([placeOf(endpointUrl), labels, endpointUrl, family.type]),
    );
    const place = places.reduce((least, one) => (one < least ? one : least));
    getOrInsert(alike, name, () => []).push({ group, place });
  }
  const names = new Map<SeriesGroup, string>();
  for (const [name, same] of alike) {
    same.sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0));
    same.forEach(({ group }, i) => names.set(group, i === 0 ? name : `${name} #${i + 1}`));
  }
  return names;
}

/** Of series that are compared by a concept. @param role of their endpoints */
export function conceptName({ concept }: ConceptMatch, role: Labels = []): string {
  return `concept:${concept.id}${formatLabels(role)}`;
}

/** Of a group's row. */
export function rowId(groupName: string, quantity: Quantity): string {
  return `${groupName} ${quantity}`;
}
