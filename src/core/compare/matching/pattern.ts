import { RE2JS } from "re2js";
import { parseAssertion, type Assertion, type LabelSelector } from "../gates/assertion.js";
import { messageOf } from "../../../core/text/error-text.js";

/*
 * Patterns come from files, settings and agents: they are RE2's, as in PromQL, and match in time linear in the text.
 * RE2 takes 20 ms to load, which the extension's own thread saves: its settings are read without it.
 */

const compiled = new WeakMap<LabelSelector, RE2JS | string>();

/** As `parseAssertion`, with its patterns read. @throws AssertionError */
export function parseWithPatterns(text: string): Assertion {
  return parseAssertion(text, (pattern) => {
    const result = compile(pattern);
    return typeof result === "string" ? result : undefined;
  });
}

/** What is wrong with a selector's pattern, if it has one. */
export function patternProblem(selector: LabelSelector): string | undefined {
  if (!selector.operator.endsWith("~")) return undefined;
  const pattern = patternOf(selector);
  return typeof pattern === "string" ? pattern : undefined;
}

/** Whether all of a text matches a selector's pattern; none does where the pattern cannot be read. */
export function matchesWhole(selector: LabelSelector, text: string): boolean {
  const pattern = patternOf(selector);
  return typeof pattern !== "string" && pattern.matches(text);
}

function patternOf(selector: LabelSelector): RE2JS | string {
  const pattern = compiled.get(selector) ?? compile(selector.value);
  compiled.set(selector, pattern);
  return pattern;
}

/** @returns what is wrong with it otherwise */
function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, "");
    return `the pattern cannot be read as RE2's, PromQL's syntax: ${reason}`;
  }
}
