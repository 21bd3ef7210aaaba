import { familyEntry } from "../catalog/index.js";
import type { Family } from "../model/index.js";

/** The endpoints of clients have URLs of this scheme. */
const SCHEME = "client://";

/** Whether an endpoint of a run stands for a benchmark client, whose samples are requests and no scrapes. */
export function isClientEndpoint(url: string): boolean {
  return url.startsWith(SCHEME);
}

/** A family of the client's side by its name; what the catalogue does not list is a gauge. */
export function clientFamily(name: string): Family {
  const entry = familyEntry(name);
  return {
    name,
    type: entry?.type ?? "gauge",
    description: entry === undefined ? "Measured by the benchmark client, one value per request." : (entry.hint ?? ""),
  };
}
