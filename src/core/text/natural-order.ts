/** Orders names as a person does: "run-2" before "run-10". For `sort`. */
export const naturalOrder: (a: string, b: string) => number = new Intl.Collator("en", { numeric: true }).compare;

/** Orders cells of a column: numbers by their size, anything else as `naturalOrder` does its text. */
export function cellOrder(a: unknown, b: unknown): number {
  return typeof a === "number" && typeof b === "number" ? a - b : naturalOrder(String(a), String(b));
}
