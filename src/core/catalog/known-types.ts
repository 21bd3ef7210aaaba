import type { MetricType } from "../model/index.js";
import { COMMON_FAMILIES } from "./common.js";
import type { FamilyEntry } from "./definition.js";
import { SERVERS } from "./servers/index.js";

/** By canonical name. */
const ENTRIES: ReadonlyMap<string, FamilyEntry> = new Map([
  ...Object.entries(COMMON_FAMILIES),
  ...SERVERS.flatMap((server) => Object.entries(server.families)),
]);

/** What is known of a family by its canonical name; undefined for one that the catalogue does not list. */
export function entryOfCanonical(canonical: string): FamilyEntry | undefined {
  return ENTRIES.get(canonical);
}

/** Type of a family by its canonical name; undefined for one that the catalogue does not list. */
export function typeOfCanonical(canonical: string): MetricType | undefined {
  return ENTRIES.get(canonical)?.type;
}
