import { recogniseServers } from "../../core/catalog/index.js";
import { displayName, epochNs, toOffset, type EndpointInfo, type EpochNs } from "../../core/model/index.js";
import type { EndpointStatus } from "../../protocol/index.js";

/**
 * An endpoint as a file tells of it without its samples.
 * @param families names of those it has
 * @param end of the run; undefined where the file does not tell
 * @param origin of the run's times
 */
export function fileStatus(
  url: string,
  info: EndpointInfo | undefined,
  families: readonly string[],
  end: EpochNs | undefined,
  origin: EpochNs,
): EndpointStatus {
  return {
    url,
    displayName: displayName(url),
    ...atEnd(info, end, origin),
    ...(info === undefined ? {} : { latencyMs: info.avg_fetch_latency_ms }),
    scrapes: info?.total_fetches ?? 0,
    failures: info?.failed_fetches ?? 0,
    missedTicks: 0,
    servers: recogniseServers(families).map((server) => server.name),
    families: families.length,
    problems: [],
  };
}

/** Those that never answered, which most files only name. One that answers at another path is there under it. */
export function unanswered(
  configured: readonly string[],
  answered: readonly Pick<EndpointStatus, "url">[],
): EndpointStatus[] {
  const there = new Set(answered.map(({ url }) => url));
  return configured
    .filter((url) => !there.has(url) && !there.has(url.replace(/\/metrics$/, "/prometheus/metrics")))
    .map((url) => ({ ...fileStatus(url, undefined, [], undefined, epochNs(0n)), state: "failing" }));
}

/** Endpoints are not scraped at one moment: one that is due within so many of its intervals has not fallen silent. */
const SILENT_INTERVALS = 1.5;

/** When an endpoint was answered, as far as a file has it. */
type AnswerTimes = Pick<
  EndpointInfo,
  "first_fetch_ns" | "last_fetch_ns" | "total_fetches" | "failed_fetches" | "last_failure_ns"
>;

/**
 * Whether it still answered at the end of the run. One that fell silent without a failure may have been removed.
 * @param answers undefined where a file does not tell them
 * @param end undefined likewise
 */
export function atEnd(
  answers: AnswerTimes | undefined,
  end: EpochNs | undefined,
  origin: EpochNs,
): Pick<EndpointStatus, "state" | "answeredUntil"> {
  if (answers === undefined) return { state: "recorded" };
  const { first_fetch_ns: first, last_fetch_ns: last, total_fetches: count } = answers;
  const { failed_fetches: failed = 0, last_failure_ns: failure } = answers;
  const answeredUntil = toOffset(last, origin);
  if (failure !== undefined && failure > last) return { state: "failing", answeredUntil };
  if (end === undefined) return { state: "recorded" };
  const interval = count > 1 ? Number(last - first) / (count - 1) : 0;
  if (Number(end - last) <= SILENT_INTERVALS * interval) return { state: "up" };
  // Files of earlier versions count the failures alone.
  return { state: failed > 0 && failure === undefined ? "failing" : "recorded", answeredUntil };
}
