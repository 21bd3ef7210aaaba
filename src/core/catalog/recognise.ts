import type { ServerDefinition, ServerId } from "./definition.js";
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
