import type { GridRow } from "./model.js";

/** A filter as the user wrote it, ready to be put to every row. */
export interface RowFilter {
  /** Lower case; all must occur. */
  readonly words: readonly string[];
  readonly label?: { readonly name: string; readonly value: string };
}

/** Words are separated by blanks; "engine=0" finds the label as it is displayed. */
export function makeFilter(text: string, label?: RowFilter["label"]): RowFilter {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return label === undefined ? { words } : { words, label };
}

export function matches(row: Pick<GridRow, "haystack" | "labels">, filter: RowFilter): boolean {
  const { label } = filter;
  if (label !== undefined && !row.labels.some(([name, value]) => name === label.name && value === label.value))
    return false;
  return filter.words.every((word) => row.haystack.includes(word));
}
