import type { Family, SamplePart } from "../model/index.js";
import { canonicalName } from "./aliases.js";
import { serverOf } from "./recognise.js";

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
