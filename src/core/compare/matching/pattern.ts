import { RE2JS } from "re2js";
import { AssertionError, type LabelSelector } from "../gates/assertion.js";

const compiled = new WeakMap<LabelSelector, RE2JS>();

/**
 * Whether all of a text matches a selector's pattern, as in PromQL: RE2's syntax, in time linear in the text, because
 * patterns come from files, settings and agents. @throws AssertionError for a pattern that RE2 cannot read
 */
export function matchesWhole(selector: LabelSelector, text: string): boolean {
  let pattern = compiled.get(selector);
  if (pattern === undefined) {
    try {
      pattern = RE2JS.compile(selector.value);
    } catch {
      throw new AssertionError(selector.value, 0, "expected a pattern in RE2's syntax, as PromQL takes it");
    }
    compiled.set(selector, pattern);
  }
  return pattern.matches(text);
}
