/**
 * A second, plain opinion on well-formed expositions: one regular expression a line, and the rules of what is kept
 * spelt out.
 */
export function parseIndependently(text: string): Map<string, number> {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  const samples = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)(?: .*)?$/.exec(line);
    if (match === null) {
      if (line !== "" && !line.startsWith("#")) throw new Error(`not understood: ${line}`);
      continue;
    }
    const [, name = "", labelText = "", valueText = ""] = match;
    const labels = new Map(
      [...labelText.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [
        label!,
        value!.replace(/\\(.)/g, (whole, c: string) => (c === "n" ? "\n" : c === "\\" || c === '"' ? c : whole)),
      ]),
    );
    const base = name.replace(/_(bucket|sum|count|created|total)$/, "");
    const [family, type] = types.has(name)
      ? [name, types.get(name)]
      : types.has(base) && isSampleOf(name, types.get(base)!)
        ? [base, types.get(base)]
        : [name, "untyped"];
    const short = family.replace(/_total$/, "");
    const exported = type === "counter" && (types.get(short) ?? "counter") === "counter" ? short : family;
    if (type === "summary" || [name, exported].some((each) => /_created$|_uptime$|_uptime_/.test(each))) continue;
    const part = type === "histogram" ? name.slice(family.length + 1) : "value";
    const bound = part === "bucket" ? labels.get("le") : undefined;
    if (part === "bucket") labels.delete("le");
    const value = Number(valueText.replace(/^([+-]?)Inf$/, "$1Infinity"));
    samples.set(sampleKey(exported, type === "untyped" ? "unknown" : type!, [...labels], part, bound), value);
  }
  return samples;
}

export function sampleKey(
  family: string,
  type: string,
  labels: readonly (readonly [string, string])[],
  part: string,
  bound?: string,
): string {
  return JSON.stringify([type, family, [...labels].sort(([a], [b]) => (a < b ? -1 : 1)), part, bound]);
}

function isSampleOf(name: string, type: string): boolean {
  if (type === "counter") return /_(total|created)$/.test(name);
  if (type === "histogram") return /_(bucket|sum|count|created)$/.test(name);
  return type === "summary" && /_(sum|count|created)$/.test(name);
}
