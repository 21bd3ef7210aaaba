import { NS_PER_MS, NS_PER_SECOND, offsetNs, toEpoch, type EndpointInfo, type EpochNs } from "../model/index.js";
import { medianInterval } from "../math/index.js";
import type { EndpointAxis } from "../store/index.js";
import { percentilesInPlace } from "./moments.js";

/**
 * Of the whole capture, or of one phase; failed scrapes are no fetches. Undefined when none succeeded.
 * @param within OffsetNs, both ends included
 */
export function endpointInfo(
  axis: EndpointAxis,
  origin: EpochNs,
  within?: { readonly start: number; readonly end: number },
): EndpointInfo | undefined {
  const order = axis.timeOrder();
  const fetches: number[] = [];
  const updates: number[] = [];
  let failed = 0;
  let lastFailure = NaN;
  let latency = 0;
  for (let i = 0; i < axis.rows; i++) {
    const row = order?.[i] ?? i;
    const kind = axis.kind(row);
    const time = axis.times.at(row);
    if (within !== undefined && (time < within.start || time > within.end)) continue;
    if (kind === "failed") {
      failed++;
      lastFailure = time;
      continue;
    }
    fetches.push(time);
    latency += axis.latencies.at(row);
    if (kind === "update") updates.push(time);
  }
  const firstFetch = fetches[0];
  const lastFetch = fetches.at(-1);
  const firstUpdate = updates[0];
  const lastUpdate = updates.at(-1);
  if (firstFetch === undefined || lastFetch === undefined || firstUpdate === undefined || lastUpdate === undefined)
    return undefined;
  const epoch = (offset: number) => toEpoch(offsetNs(offset), origin);
  const intervals = Float64Array.from(updates.slice(1), (time, i) => time - (updates[i] ?? 0));
  const usual = fetches.length < 2 ? undefined : medianInterval(Float64Array.from(fetches)) / NS_PER_MS;
  return {
    total_fetches: fetches.length,
    ...(failed > 0 ? { failed_fetches: failed, last_failure_ns: epoch(lastFailure) } : {}),
    first_fetch_ns: epoch(firstFetch),
    last_fetch_ns: epoch(lastFetch),
    avg_fetch_latency_ms: latency / fetches.length / NS_PER_MS,
    unique_updates: updates.length,
    first_update_ns: epoch(firstUpdate),
    last_update_ns: epoch(lastUpdate),
    duration_seconds: (lastUpdate - firstUpdate) / NS_PER_SECOND,
    ...(intervals.length > 0
      ? {
          avg_update_interval_ms: (lastUpdate - firstUpdate) / intervals.length / NS_PER_MS,
          median_update_interval_ms: (percentilesInPlace(intervals, [0.5])[0] ?? NaN) / NS_PER_MS,
        }
      : {}),
    ...(usual === undefined ? {} : { median_fetch_interval_ms: usual }),
  };
}

/** Time of the last non-duplicate scrape, OffsetNs; undefined when there was none. */
export function lastUpdateTime(axis: EndpointAxis): number | undefined {
  const order = axis.timeOrder();
  for (let i = axis.rows - 1; i >= 0; i--) {
    const row = order?.[i] ?? i;
    if (axis.kind(row) === "update") return axis.times.at(row);
  }
  return undefined;
}
