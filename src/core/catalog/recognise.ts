import { counter, gauge, histogram } from "./define.js";
import type { FamilyEntry, ServerDefinition, ServerId } from "./definition.js";
import type { MetricType } from "../model/index.js";
import { SERVERS } from "./servers/index.js";

/** Families of the exporters' own libraries and of the HTTP servers in front, counters without `_total`. */
export const COMMON_FAMILIES: Readonly<Record<string, FamilyEntry>> = {
  http_requests: counter("HTTP requests", "requests"),
  http_request_duration_seconds: histogram("HTTP request duration", "seconds, down"),
  http_request_duration_highr_seconds: histogram("HTTP request duration, fine buckets", "seconds, down"),
  process_cpu_seconds: counter("Process CPU time", "seconds"),
  process_virtual_memory_bytes: gauge("Process virtual memory", "bytes"),
  process_resident_memory_bytes: gauge("Process memory", "bytes"),
  process_start_time_seconds: gauge("Process start", "timestamp"),
  process_open_fds: gauge("Open files"),
  process_max_fds: gauge("Open files, limit"),
  python_info: gauge("Python"),
  python_gc_objects_collected: counter("Python objects collected"),
  python_gc_objects_uncollectable: counter("Python objects uncollectable", "down"),
  python_gc_collections: counter("Python garbage collections"),
};

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
