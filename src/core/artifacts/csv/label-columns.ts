const PREFIX = "label_";

/**
 * The column of a label, in a table that has columns of its own beside those of labels. A label that is called as one
 * of them (`value`, `count`) gets a prefix, `label_value`, and so does one that is called as such a column would be:
 * `label_label_value` is the label `label_value`. So no two are one, and reading finds the label again.
 */
export function columnOfLabel(label: string, own: ReadonlySet<string>): string {
  return own.has(withoutPrefixes(label)) ? PREFIX + label : label;
}

/** The label that a column was written for by `columnOfLabel`. */
export function labelOfColumn(column: string, own: ReadonlySet<string>): string {
  return column.startsWith(PREFIX) && own.has(withoutPrefixes(column)) ? column.slice(PREFIX.length) : column;
}

function withoutPrefixes(name: string): string {
  return name.replace(/^(label_)+/, "");
}
