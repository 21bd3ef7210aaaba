import { recogniseServers } from "../../core/catalog/index.js";
import { displayName, type EndpointInfo, type EpochNs } from "../../core/model/index.js";
import type { EndpointStatus } from "../../protocol/index.js";

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
    state: stateAtEnd(info, end),
    ...(info === undefined ? {} : { latencyMs: info.avg_fetch_latency_ms }),
    scrapes: info?.total_fetches ?? 0,
    failures: 0,
    missedTicks: 0,
    servers: recogniseServers(families).map((server) => server.name),
    families: families.length,
    problems: [],
  };
}

/** Endpoints are not scraped at one moment: one that is due within so many of its intervals has not fallen silent. */
const SILENT_INTERVALS = 1.5;

/** When an endpoint was answered, as far as a file has it. */
type AnswerTimes = Pick<EndpointInfo, "first_fetch_ns" | "last_fetch_ns" | "total_fetches">;

/** Whether it still answered at the end of the run, by what a file without failed scrapes has. */
export function stateAtEnd(answers: AnswerTimes | undefined, end: EpochNs | undefined): "up" | "recorded" {
  if (answers === undefined || end === undefined) return "recorded";
  const { first_fetch_ns: first, last_fetch_ns: last, total_fetches: count } = answers;
  const interval = count > 1 ? Number(last - first) / (count - 1) : 0;
  return Number(end - last) <= SILENT_INTERVALS * interval ? "up" : "recorded";
}
