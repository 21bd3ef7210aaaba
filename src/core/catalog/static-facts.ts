import { labelValue, isInfoFamily, type Labels } from "../model/index.js";
import { canonicalName } from "./aliases.js";
import { serverOf } from "./recognise.js";

/** A fact of the model's or server's configuration. */
export interface CatalogFact {
  readonly name: string;
  readonly value: string;
}

/** Does the family only describe the server? It is shown once, in the header, and not charted by itself. */
export function isStaticFamily(familyName: string): boolean {
  return isInfoFamily(familyName) || rulesOf(familyName).length > 0;
}

/** What one series of a static family says; nothing for any other family. Labels that read "None" or "" say nothing. */
export function factsOf(familyName: string, labels: Labels, value: number): CatalogFact[] {
  return rulesOf(familyName).flatMap((rule) => {
    if (rule.kind === "value")
      return Number.isFinite(value) ? [{ name: rule.fact, value: value.toLocaleString("en-US") }] : [];
    return rule.facts.flatMap(([label, name]) => {
      const text = labelValue(labels, label);
      return text === undefined || text === "" || text === "None" ? [] : [{ name, value: text }];
    });
  });
}

/** The model that a server's series is about, as its labels name it. */
export function modelOf(familyName: string, labels: Labels): string | undefined {
  const names = serverOf(familyName)?.modelLabels ?? [];
  const value = labels.find(([label]) => names.includes(label))?.[1];
  return value === "" ? undefined : value;
}

function rulesOf(familyName: string) {
  const canonical = canonicalName(familyName);
  return serverOf(canonical)?.staticFamilies.filter(({ family }) => family === canonical) ?? [];
}
