import { getOrInsert } from "../../src/core/math/group-by.js";
import { isFound, searchDistance, searchWords, type SearchWord } from "../../src/core/catalog/search.js";
import type { FamilySummary, LabelCount } from "../../src/protocol/index.js";
import type { Layout, LayoutActions } from "../state/layout.js";

/** What a search in a run can end at. */
export type SearchHit =
  | { readonly kind: "family"; readonly family: FamilySummary }
  /** Without a value: any of the label's values. */
  | {
      readonly kind: "label";
      readonly name: string;
      readonly value?: string;
      readonly values: number;
      readonly families: readonly string[];
      readonly seriesCount: number;
    }
  | { readonly kind: "description"; readonly family: FamilySummary };

interface SearchResult {
  readonly families: readonly SearchHit[];
  readonly labels: readonly SearchHit[];
  readonly descriptions: readonly SearchHit[];
}

type LabelHit = Extract<SearchHit, { kind: "label" }>;

interface Entry<T> {
  readonly item: T;
  /** Lower case. */
  readonly text: string;
  /** First letters of the words of the name: "ttfts" of time_to_first_token_seconds. */
  readonly initials: string;
}

/** All that can be found in a run, ready to be searched at every key. */
interface SearchIndex {
  readonly families: readonly Entry<FamilySummary>[];
  readonly labels: readonly Entry<LabelHit>[];
}

export function searchIndex(families: readonly FamilySummary[], labels: readonly LabelCount[]): SearchIndex {
  return {
    families: families.map((item) => ({
      item,
      text: `${item.name}\n${item.displayName}`.toLowerCase(),
      initials: initialsOf(item.name),
    })),
    labels: labelHits(labels).map((item) => ({
      item,
      text: `${item.name}${item.value === undefined ? "" : `=${item.value}`}`.toLowerCase(),
      initials: "",
    })),
  };
}

/** How many series, of which families, carry each value of each label. */
export function labelsOf(counts: readonly LabelCount[]) {
  const labels = new Map<string, Map<string, { series: number; readonly families: Set<string> }>>();
  for (const { family, label, value, seriesCount } of counts) {
    const values = getOrInsert(labels, label, () => new Map());
    const known = getOrInsert(values, value, () => ({ series: 0, families: new Set<string>() }));
    known.series += seriesCount;
    known.families.add(family);
  }
  return labels;
}

/** Names first, then their values; what several families carry is one hit. */
function labelHits(counts: readonly LabelCount[]): LabelHit[] {
  const labels = [...labelsOf(counts)];
  const any = labels.map(([name, values]): LabelHit => {
    const carrying = [...values.values()];
    return {
      kind: "label",
      name,
      values: values.size,
      families: [...new Set(carrying.flatMap(({ families }) => [...families]))],
      seriesCount: carrying.reduce((sum, { series }) => sum + series, 0),
    };
  });
  const each = labels.flatMap(([name, values]) =>
    [...values].map(([value, { series, families }]): LabelHit => ({
      kind: "label",
      name,
      value,
      values: 1,
      families: [...families],
      seriesCount: series,
    })),
  );
  return [...any, ...each];
}

/**
 * What contains every word of the search, whatever its case, or what practitioners mean by it ("ttft"): names of
 * families (or their initials), labels as name=value, and descriptions of families that are not found by name. Best
 * first: a word at the beginning of a name or of a part of it counts more. An empty search finds what `proposed` says.
 */
export function find(index: SearchIndex, search: string, proposed: (family: FamilySummary) => boolean): SearchResult {
  const words = searchWords(search);
  if (words.length === 0)
    return {
      families: index.families
        .filter(({ item }) => proposed(item))
        .map(({ item }) => ({ kind: "family", family: item })),
      labels: [],
      descriptions: [],
    };
  const families = ranked(index.families, words);
  const named = new Set(families.map(({ name }) => name));
  const described = index.families.filter(({ item }) => {
    if (named.has(item.name)) return false;
    const text =
      `${item.description} ${item.group} ${item.server ?? ""} ${item.type} ${item.unit ?? ""} ${item.name}`.toLowerCase();
    return isFound(text, words);
  });
  return {
    families: families.map((family) => ({ kind: "family", family })),
    labels: ranked(index.labels, words),
    descriptions: described.map(({ item }) => ({ kind: "description", family: item })),
  };
}

function ranked<T>(entries: readonly Entry<T>[], words: readonly SearchWord[]): T[] {
  return entries
    .map(({ item, text, initials }) => ({ item, distance: searchDistance(text, words, initials) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance)
    .map(({ item }) => item);
}

function initialsOf(name: string): string {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((part) => part[0] ?? "")
    .join("");
}

/** A stretch of a description around the first word found, with what was left out marked. */
export function excerpt(description: string, search: string, length = 90): string {
  if (description.length <= length) return description;
  const word =
    search
      .toLowerCase()
      .split(/\s+/)
      .find((one) => one !== "" && description.toLowerCase().includes(one)) ?? "";
  const at = description.toLowerCase().indexOf(word);
  const from = Math.max(0, Math.min(at - Math.floor(length / 3), description.length - length));
  return `${from > 0 ? "…" : ""}${description.slice(from, from + length).trim()}${from + length < description.length ? "…" : ""}`;
}

/**
 * What picking a hit does to the view: a family is charted, or shown in the table in front; a label filters a table.
 */
export function go(
  hit: SearchHit,
  layout: Layout,
  view: LayoutActions,
  familyOf: (name: string) => FamilySummary | undefined,
): void {
  if (hit.kind !== "label") {
    const { name, isInfo } = hit.family;
    // What never changes is no chart.
    if (isInfo || layout.tab === "statistics" || layout.tab === "timeslices") {
      const table = layout.tab === "timeslices" && !isInfo ? "timeslices" : "statistics";
      view.changeTable(table, { subject: { family: name }, label: undefined });
      view.set({ filter: "", tab: table });
    } else view.show(name);
    return;
  }
  const label = hit.value === undefined ? undefined : { name: hit.name, value: hit.value };
  const filter = hit.value === undefined ? `${hit.name}=` : "";
  const { subject } = layout.tables.timeslices;
  if (
    layout.tab === "timeslices" &&
    subject !== undefined &&
    "family" in subject &&
    hit.families.includes(subject.family)
  ) {
    view.changeTable("timeslices", { label });
    view.set({ filter });
  } else {
    view.changeTable("statistics", { subject: subjectOf(hit, layout, familyOf), label });
    view.set({ filter, tab: "statistics" });
  }
}

/** The table's subject where it has the label; else the one family that has it, or the type of most of them. */
function subjectOf(
  { families }: Extract<SearchHit, { kind: "label" }>,
  layout: Layout,
  familyOf: (name: string) => FamilySummary | undefined,
): Layout["tables"]["statistics"]["subject"] {
  const { subject } = layout.tables.statistics;
  const has = (name: string) =>
    subject !== undefined && ("family" in subject ? subject.family === name : familyOf(name)?.type === subject.type);
  if (subject !== undefined && families.some(has)) return subject;
  const [only] = families;
  if (families.length === 1 && only !== undefined) return { family: only };
  const counts = new Map<FamilySummary["type"], number>();
  for (const name of families) {
    const type = familyOf(name)?.type;
    if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most === undefined ? undefined : { type: most[0] };
}
