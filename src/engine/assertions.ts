import { familyUnit } from "../core/catalog/index.js";
import {
  assertedFamily,
  checkAssertion,
  type Assertion,
  type CheckableFamily,
  type CheckResult,
} from "../core/compare/index.js";
import type { SeriesResult } from "../core/model/index.js";
import { familyResults, type Answers } from "./answers.js";

/**
 * Holds a run against assertions, reading only the families that they are about. @throws UserError; the signal's reason
 */
export async function checkRun(
  answers: Answers,
  assertions: readonly Assertion[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const families = new Map<string, CheckableFamily & { readonly series: SeriesResult[] }>();
  for (const family of answers.definitions()) {
    const unit = familyUnit(family);
    const { name, type, description } = family;
    if (!families.has(name))
      families.set(name, { name, type, description, ...(unit === undefined ? {} : { unit }), series: [] });
  }
  const known = [...families.values()];
  for (const wanted of new Set(assertions.map((assertion) => assertedFamily(assertion, known)))) {
    const family = wanted === undefined ? undefined : families.get(wanted.name);
    if (family === undefined) continue;
    for (const entry of await familyResults(answers, family.name, signal)) {
      const result = entry.result();
      if (result !== undefined) family.series.push(result);
    }
  }
  return assertions.map((assertion) => checkAssertion(assertion, { families: known }));
}
