import { recogniseServers } from "../core/catalog/index.js";
import { displayName, type EndpointInfo } from "../core/model/index.js";
import type { EndpointStatus } from "../protocol/index.js";

/** An endpoint as a file tells of it without its samples. @param families names of those it has */
export function fileStatus(url: string, info: EndpointInfo | undefined, families: readonly string[]): EndpointStatus {
  return {
    url,
    displayName: displayName(url),
    state: "up",
    ...(info === undefined ? {} : { latencyMs: info.avg_fetch_latency_ms }),
    scrapes: info?.total_fetches ?? 0,
    failures: 0,
    missedTicks: 0,
    servers: recogniseServers(families).map((server) => server.name),
    families: families.length,
    problems: [],
  };
}
