import { RE2JS } from "re2js";
import type { LabelSelector } from "./assertion.js";

const compiled = new WeakMap<LabelSelector, RE2JS>();

/**
 * Whether all of a text matches a selector's pattern, as in PromQL: RE2's syntax, in time linear in the text, because
 * patterns come from files, settings and agents. @throws Error for a pattern that RE2 cannot read
 */
export function matchesWhole(selector: LabelSelector, text: string): boolean {
  let pattern = compiled.get(selector);
  if (pattern === undefined) compiled.set(selector, (pattern = RE2JS.compile(selector.value)));
  return pattern.matches(text);
}
