import { familyUnit } from "../core/catalog/index.js";
import { assertedFamily, checkAssertion, type Assertion, type CheckableFamily, type CheckResult } from "../core/compare/index.js";
import type { SeriesResult } from "../core/model/index.js";
import type { ResultEntry } from "../core/query/index.js";

/** Holds a run against assertions, reading only the families that they are about. Yields the share done after each series. */
export function* checkSteps(all: Iterable<ResultEntry>, assertions: readonly Assertion[]): Generator<number, CheckResult[]> {
  const entries = [...all];
  const families = new Map<string, CheckableFamily & { readonly series: SeriesResult[] }>();
  for (const { key } of entries) {
    const { name, type } = key.family;
    const unit = familyUnit(key.family);
    if (!families.has(name)) families.set(name, { name, type, ...(unit === undefined ? {} : { unit }), series: [] });
  }
  const known = [...families.values()];
  const wanted = new Set(assertions.map((assertion) => assertedFamily(assertion, known)));
  for (const [i, entry] of entries.entries()) {
    const family = families.get(entry.key.family.name);
    if (!wanted.has(family)) continue;
    const found = entry.result();
    if (found !== undefined) family?.series.push(found);
    yield (i + 1) / entries.length;
  }
  return assertions.map((assertion) => checkAssertion(assertion, { families: known }));
}
