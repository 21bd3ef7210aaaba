/** A string literal of SQL. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A column's name in SQL. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A string literal of JSON; jq, Python and PromQL read the same escapes. */
export function quoted(text: string): string {
  // Astral characters as they are; Python and Go know no surrogate escapes.
  return JSON.stringify(text).replace(/\u007f/g, "\\u007f");
}
