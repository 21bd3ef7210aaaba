import type { MetricType } from "../model/index.js";
import { COMMON_FAMILIES } from "./common.js";
import type { FamilyEntry, ServerDefinition, ServerId } from "./definition.js";
import { SERVERS } from "./servers/index.js";

/** Servers whose families also occur without a prefix, by the rest of the name. */
const BARE: ReadonlyMap<string, ServerDefinition> = new Map(
  SERVERS.filter(({ bare }) => bare).flatMap((server) => {
    const { length } = server.prefixes[0] ?? "";
    return Object.keys(server.families).map((family) => [family.slice(length), server] as const);
  }),
);

/** The server that a family belongs to, by its prefix. */
export function serverOf(familyName: string): ServerDefinition | undefined {
  return (
    SERVERS.find((server) => server.prefixes.some((prefix) => familyName.startsWith(prefix))) ?? BARE.get(familyName)
  );
}

/** The servers whose families are among these, in the catalogue's order. */
export function recogniseServers(familyNames: Iterable<string>): ServerDefinition[] {
  const found = new Set<ServerDefinition>();
  for (const name of familyNames) {
    const server = serverOf(name);
    if (server !== undefined) found.add(server);
  }
  return SERVERS.filter((server) => found.has(server));
}

/** @throws RangeError for an id that the catalogue does not have */
export function serverById(id: ServerId): ServerDefinition {
  const server = SERVERS.find((candidate) => candidate.id === id);
  if (server === undefined) throw new RangeError(`no server "${id}" in the catalogue`);
  return server;
}

/** @param name as its makers write it */
export function serverByName(name: string): ServerDefinition | undefined {
  return SERVERS.find((server) => server.name === name);
}

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
