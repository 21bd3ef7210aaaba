/** Orders names as a person does: "run-2" before "run-10". For `sort`. */
export const naturalOrder: (a: string, b: string) => number = new Intl.Collator("en", { numeric: true }).compare;

/** Orders cells of a column: numbers by their size, anything else as `naturalOrder` does its text. */
export function cellOrder(a: unknown, b: unknown): number {
  return typeof a === "number" && typeof b === "number" ? a - b : naturalOrder(String(a), String(b));
}

/** Paths without the folder that they have in common, with "/": of files of one folder their names. */
export function pathNames(paths: readonly string[]): readonly string[] {
  const all = paths.map((path) => path.split(/[\\/]/));
  const [first = []] = all;
  const from = first.findIndex((part, i) => all.some((parts) => parts[i] !== part || i === parts.length - 1));
  return all.map((parts) => parts.slice(Math.max(from, 0)).join("/"));
}
