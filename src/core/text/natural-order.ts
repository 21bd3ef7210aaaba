/** Orders names as a person does: "run-2" before "run-10". For `sort`. */
export const naturalOrder: (a: string, b: string) => number = new Intl.Collator("en", { numeric: true }).compare;
