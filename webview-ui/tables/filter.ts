import { isFound, searchWords } from "../../src/core/catalog/search.js";
import type { Labels } from "../../src/core/model/index.js";
import type { RowFilter } from "./table-state.js";

export interface Filterable {
  /** Lower case, all that words are looked for in. */
  readonly haystack: string;
  readonly labels: Labels;
}

/** Whether texts that stand for one thing contain all words of a filter. */
export function holdsWords(filter: string, ...texts: readonly (string | undefined)[]): boolean {
  return isFound(texts.join("\n").toLowerCase(), searchWords(filter));
}

/**
 * Words are separated by blanks; "engine=0" finds the label as it is displayed. Undefined where there is nothing to
 * filter by.
 */
export function makeFilter(
  text: string,
  label?: { readonly name: string; readonly value: string },
): RowFilter<Filterable> {
  const words = searchWords(text);
  if (words.length === 0 && label === undefined) return undefined;
  return (row) =>
    (label === undefined || row.labels.some(([name, value]) => name === label.name && value === label.value)) &&
    isFound(row.haystack, words);
}
