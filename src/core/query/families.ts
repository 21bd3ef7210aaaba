import {
  canonicalName,
  conceptOf,
  computedNote,
  familyEntry,
  GROUPS,
  groupOf,
  isCountedAverage,
  keyMetricOf,
  membersOf,
  serverOf,
  shownFamily,
  shownUnit,
  titledName,
} from "../catalog/index.js";
import { isInfoFamily, type Family, type SeriesKey } from "../model/index.js";
import { compareText } from "../stats/index.js";
import type { Run } from "../store/index.js";
import { viewOf } from "./sampled.js";
import { StoredRun } from "./stored.js";
import type { FamilySummary, SeriesSummary } from "./types/index.js";

/** Every family of a run, by group and then by name. */
export function familySummaries(run: Run | StoredRun): FamilySummary[] {
  const names = Array.from(viewOf(run).keys(), (key) => key.family.name);
  return run instanceof StoredRun
    ? summarizeFamilies(run.families, names)
    : summarizeFamilies(run.store.families(), names, (family) => shownFamily(family, run));
}

/** The families of a run as they are shown. */
export function shownFamilies(run: Run | StoredRun): readonly Family[] {
  return viewOf(run).families;
}

/** The series of one family, as they are shown, in the order in which they were first seen. */
export function seriesOfFamily(run: Run | StoredRun, family: string): SeriesKey[] {
  return [...viewOf(run).keys()].filter((key) => key.family.name === family);
}

/**
 * @param families as their server types them
 * @param familyOfSeries the family of each series
 * @param shown a family as views read it
 */
export function summarizeFamilies(
  families: readonly Family[],
  familyOfSeries: readonly string[],
  shown = (family: Family) => family,
): FamilySummary[] {
  const present = new Set(families.map(({ name }) => canonicalName(name)));
  const counts = new Map<string, number>();
  for (const name of familyOfSeries) counts.set(name, (counts.get(name) ?? 0) + 1);
  return families
    .map((family) => ({
      ...familySummary(shown(family), counts.get(family.name) ?? 0),
      ...(isCountedAverage(family) ? { countedAverage: true as const } : {}),
      ...conceptAmong(present, family.name),
    }))
    .sort((a, b) => groupRank(a) - groupRank(b) || compareText(a.name, b.name));
}

/** The concept of a family, where its server has none that tells it better. @param present canonical names */
function conceptAmong(present: ReadonlySet<string>, name: string): Pick<FamilySummary, "concept"> {
  const use = conceptOf(name);
  if (use === undefined) return {};
  const { concept, member } = use;
  const best = membersOf(concept.id, member.server).find(({ family = "" }) => present.has(family));
  return best === member ? { concept: concept.id } : {};
}

function familySummary(family: Family, seriesCount: number): FamilySummary {
  const { name, type, description } = family;
  const unit = shownUnit(family);
  const server = serverOf(name);
  const key = keyMetricOf(name);
  const entry = familyEntry(name);
  const computed = computedNote(name);
  return {
    name,
    displayName: titledName(name).title,
    ...(entry === undefined ? {} : { title: entry.title }),
    ...(entry?.hint === undefined ? {} : { hint: entry.hint }),
    ...(computed === undefined ? {} : { computed }),
    type,
    ...(unit === undefined ? {} : { unit }),
    description,
    group: groupOf(name),
    ...(server === undefined ? {} : { server: server.name }),
    seriesCount,
    isInfo: isInfoFamily(name),
    isKey: key !== undefined && key.derived === undefined && key.family === canonicalName(name),
    direction: entry?.direction ?? "neutral",
  };
}

function groupRank({ group }: FamilySummary): number {
  return GROUPS.findIndex((candidate) => candidate === group);
}

/** Series of one family with their newest values. */
export function seriesSummaries(run: Run | StoredRun, family: string): SeriesSummary[] {
  const view = viewOf(run);
  return seriesOfFamily(run, family).map((key) => {
    const { id, endpointUrl, labels } = key;
    return { id, endpointUrl, labels, last: view.last(key) };
  });
}
