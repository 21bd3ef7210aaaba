/** Label pairs sorted by name, names unique; an empty list for a series without labels. */
export type Labels = readonly (readonly [name: string, value: string])[];

/** Identity of a label set within its family and endpoint, whatever the order the labels were written in. */
export type LabelKey = string & { readonly __key: "labels" };

/** Sorts by name; of a name that occurs twice the last value wins. */
export function makeLabels(pairs: Iterable<readonly [string, string]>): Labels {
  const unique = new Map<string, string>();
  for (const [name, value] of pairs) unique.set(name, value);
  return [...unique].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A label's value; undefined where a series lacks it. */
export function labelValue(labels: Labels, name: string): string | undefined {
  return labels.find(([own]) => own === name)?.[1];
}

/** One text for equal labels, whatever made them. */
export function labelKey(labels: Labels): LabelKey {
  return JSON.stringify(labels) as LabelKey;
}

/** The way Prometheus writes a label set: `{engine="0",le="0.5"}`; empty for no labels. */
export function formatLabels(labels: Labels): string {
  if (labels.length === 0) return "";
  return `{${labels.map(([name, value]) => `${name}="${escapedText(value)}"`).join(",")}}`;
}

/** A label's value as an exposition writes it between quotes, and as OpenMetrics writes HELP. */
export function escapedText(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');
}
