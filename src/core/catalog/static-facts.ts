import { labelValue, isInfoFamily, type Family, type Labels } from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import { canonicalName } from "./aliases.js";
import { entryOfCanonical, recogniseServers, serverOf } from "./recognise.js";

/** A fact of the model's or server's configuration. */
export interface CatalogFact {
  readonly name: string;
  readonly value: string;
}

/** Does the family only describe the server? It is shown once, in the header, and not charted by itself. */
export function isStaticFamily(familyName: string): boolean {
  return isInfoFamily(familyName) || entryOfCanonical(canonicalName(familyName))?.isFact === true;
}

/** What one series of a static family says; nothing for any other family. Labels that read "None" or "" say nothing. */
export function factsOf(familyName: string, labels: Labels, value: number): CatalogFact[] {
  const canonical = canonicalName(familyName);
  const { isFact, title = "" } = entryOfCanonical(canonical) ?? {};
  if (isFact && Number.isFinite(value)) return [{ name: title, value: value.toLocaleString("en-US") }];
  return Object.entries(serverOf(canonical)?.labelFacts?.[canonical] ?? {}).flatMap(([label, name]) => {
    const text = labelValue(labels, label);
    return text === undefined || text === "" || text === "None" ? [] : [{ name, value: text }];
  });
}

/** One series of a run, and its value where that is a fact. */
interface TellingSeries {
  readonly family: Pick<Family, "name">;
  readonly labels: Labels;
  readonly value: () => number;
}

/**
 * What a run's series tell of its servers: which they are, their models, and facts: labels of info families and the
 * catalogue's static facts, several values of one name side by side.
 */
export function aboutServers(series: readonly TellingSeries[]): {
  readonly servers: readonly string[];
  readonly models: readonly string[];
  readonly facts: ReadonlyMap<string, string>;
} {
  const found = new Map<string, Set<string>>();
  const add = (name: string, value: string) => {
    getOrInsert(found, name, () => new Set()).add(value);
  };
  for (const { family, labels, value } of series) {
    if (!isStaticFamily(family.name)) continue;
    if (isInfoFamily(family.name))
      for (const [label, text] of labels) add(`${canonicalName(family.name)} ${label}`, text);
    else for (const fact of factsOf(family.name, labels, value())) add(fact.name, fact.value);
  }
  return {
    servers: recogniseServers(series.map(({ family }) => family.name)).map(({ name }) => name),
    models: [...new Set(series.flatMap(({ family, labels }) => modelOf(family.name, labels) ?? []))].sort(),
    facts: new Map([...found].map(([name, values]) => [name, [...values].sort().join(", ")])),
  };
}

/** The model that a server's series is about, as its labels name it. */
export function modelOf(familyName: string, labels: Labels): string | undefined {
  const names = serverOf(familyName)?.modelLabels ?? [];
  const value = labels.find(([label]) => names.includes(label))?.[1];
  return value === "" ? undefined : value;
}
