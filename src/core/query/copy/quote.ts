/** A string literal of SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A column's name in SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A string literal of JSON; jq, Python and PromQL read the same escapes. */
export function quoted(text: string): string {
  // Astral characters as they are; Python and Go know no surrogate escapes.
  return JSON.stringify(text).replace(/\u007f/g, "\\u007f");
}
