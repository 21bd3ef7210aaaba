import type { Labels } from "../../src/core/model/index.js";
import type { RowFilter } from "./table-state.js";

export interface Filterable {
  /** Lower case, all that words are looked for in. */
  readonly haystack: string;
  readonly labels: Labels;
}

/** The words of a filter as the user wrote it, lower case; all must occur. */
export function filterWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

/** Whether texts that stand for one thing contain all words of a filter. */
export function holdsWords(filter: string, ...texts: readonly (string | undefined)[]): boolean {
  const text = texts.join("\n").toLowerCase();
  return filterWords(filter).every((word) => text.includes(word));
}

/**
 * Words are separated by blanks; "engine=0" finds the label as it is displayed. Undefined where there is nothing to
 * filter by.
 */
export function makeFilter(
  text: string,
  label?: { readonly name: string; readonly value: string },
): RowFilter<Filterable> {
  const words = filterWords(text);
  if (words.length === 0 && label === undefined) return undefined;
  return (row) =>
    (label === undefined || row.labels.some(([name, value]) => name === label.name && value === label.value)) &&
    words.every((word) => row.haystack.includes(word));
}
