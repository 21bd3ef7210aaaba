import { recogniseServers } from "../core/catalog/index.js";
import { displayName, type EndpointInfo, type EpochNs } from "../core/model/index.js";
import type { EndpointStatus } from "../protocol/index.js";

/**
 * An endpoint as a file tells of it without its samples.
 * @param families names of those it has
 * @param end of the run; undefined where the file does not tell
 */
export function fileStatus(
  url: string,
  info: EndpointInfo | undefined,
  families: readonly string[],
  end: EpochNs | undefined,
): EndpointStatus {
  return {
    url,
    displayName: displayName(url),
    state: stateAtEnd(info?.last_fetch_ns, end),
    ...(info === undefined ? {} : { latencyMs: info.avg_fetch_latency_ms }),
    scrapes: info?.total_fetches ?? 0,
    failures: 0,
    missedTicks: 0,
    servers: recogniseServers(families).map((server) => server.name),
    families: families.length,
    problems: [],
  };
}

/** Whether it still answered, by what a file without failed scrapes has: one that was answered at the end or later. */
export function stateAtEnd(lastAnswer: EpochNs | undefined, end: EpochNs | undefined): "up" | "recorded" {
  return lastAnswer !== undefined && end !== undefined && lastAnswer >= end ? "up" : "recorded";
}
