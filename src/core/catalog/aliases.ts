import type { MetricType, Family, SamplePart } from "../model/index.js";
import type { ServerDefinition } from "./definition.js";
import { serverOf, typeOfCanonical } from "./recognise.js";

const TOTAL = "_total";

/**
 * The one name by which the catalogue knows a family, whatever its age and exporter: older names become today's,
 * `vllm_` becomes `vllm:`, and a counter's `_total` goes. A family of no known server keeps its name, for there `x` and
 * `x_total` may both exist.
 */
export function canonicalName(name: string): string {
  const server = serverOf(name);
  if (server === undefined) {
    const base = withoutTotal(name);
    return typeOfCanonical(base) === undefined ? name : base;
  }
  const prefixed = (server.prefixes[0] ?? "") + bareName(server, name);
  // vllm:iteration_tokens_total is a histogram in spite of its suffix.
  const base = typeOfCanonical(prefixed) === undefined ? withoutTotal(prefixed) : prefixed;
  return server.renamed[base] ?? base;
}

/**
 * All other names under which a run may hold the same thing, likeliest first. The list is symmetric but for one name:
 * vLLM's `request_time_per_output_token_seconds` lists the older `time_per_output_token_seconds`, whose canonical name
 * is `inter_token_latency_seconds`.
 */
export function aliasesOf(name: string): string[] {
  const canonical = canonicalName(name);
  const server = serverOf(canonical);
  const bases = [canonical];
  if (server !== undefined) {
    for (const [older, newer] of Object.entries(server.renamed)) if (newer === canonical) bases.push(older);
    if (canonical === "vllm:request_time_per_output_token_seconds") bases.push("vllm:time_per_output_token_seconds");
  }
  const all = bases.flatMap((base) => prefixVariants(server, base));
  const names = new Set(all);
  if (mayEndInTotal(canonical)) for (const base of all) names.add(base + TOTAL);
  names.delete(name);
  return [...names];
}

/** Type of a family by any of its names, for files without metadata; undefined when the catalogue does not list it. */
export function knownType(name: string): MetricType | undefined {
  return typeOfCanonical(canonicalName(name));
}

function withoutTotal(name: string): string {
  return name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name;
}

function mayEndInTotal(canonical: string): boolean {
  const type = typeOfCanonical(canonical);
  return !canonical.endsWith(TOTAL) && (type === undefined || type === "counter");
}

function bareName(server: ServerDefinition, name: string): string {
  return name.slice(server.prefixes.find((prefix) => name.startsWith(prefix))?.length ?? 0);
}

function prefixVariants(server: ServerDefinition | undefined, name: string): string[] {
  if (server === undefined) return [name];
  const bare = bareName(server, name);
  return [...server.prefixes.map((prefix) => prefix + bare), ...(server.bare ? [bare] : [])];
}

/**
 * The name under which a server exposes a sample. A counter's is known of a run that was scraped or read from a store.
 * Files have only the family's name, without `_total`: it is added unless the catalogue knows the counter to be served
 * without.
 */
export function exposedName(
  { name, type, exposedName: served }: Pick<Family, "name" | "type" | "exposedName">,
  part: SamplePart["kind"],
): string {
  if (part !== "value") return `${name}_${part}`;
  if (type !== "counter") return name;
  if (served !== undefined) return served;
  return name.endsWith("_total") || isServedWithoutTotal(name) ? name : `${name}_total`;
}

function isServedWithoutTotal(name: string): boolean {
  return serverOf(name)?.withoutTotal?.test(canonicalName(name)) ?? false;
}
