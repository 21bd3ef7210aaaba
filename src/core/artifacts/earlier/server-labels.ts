/** What names a server in the earlier layouts, and the label that its series have for it. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["server", "server"],
  ["server_id", "server"],
  ["instance", "instance"],
  ["hostname", "hostname"],
  ["model", "model_name"],
  ["model_name", "model_name"],
  ["type", "server_type"],
  ["server_type", "server_type"],
]);

export type ServerLabels = ReadonlyMap<string, string>;

const nameOf = (field: string) => field.trim().toLowerCase().replaceAll(" ", "_");

/** Whether a field names a server, as `serverLabels` reads it. */
export function isServerField(field: string): boolean {
  return LABELS.has(nameOf(field));
}

/** Labels for the fields that name a server; of any other field, or without a text or number, none. */
export function serverLabels(fields: Iterable<readonly [field: string, value: unknown]>): ServerLabels {
  const labels = new Map<string, string>();
  for (const [field, value] of fields) {
    const label = LABELS.get(nameOf(field));
    if (label !== undefined && (typeof value === "number" || (typeof value === "string" && value !== "")))
      labels.set(label, String(value));
  }
  return labels;
}
