import type { MetricType } from "../model/index.js";
import { SERVERS } from "./servers/index.js";

/** Families of the exporters' own libraries and of the HTTP servers in front, counters without `_total`. */
const COMMON: Readonly<Record<string, MetricType>> = {
  http_requests: "counter",
  http_request_duration_seconds: "histogram",
  http_request_duration_highr_seconds: "histogram",
  process_cpu_seconds: "counter",
  process_virtual_memory_bytes: "gauge",
  process_resident_memory_bytes: "gauge",
  process_start_time_seconds: "gauge",
  process_open_fds: "gauge",
  process_max_fds: "gauge",
  python_info: "gauge",
  python_gc_objects_collected: "counter",
  python_gc_objects_uncollectable: "counter",
  python_gc_collections: "counter",
};

/** By canonical name. */
const TYPES: ReadonlyMap<string, MetricType> = new Map([
  ...Object.entries(COMMON),
  ...SERVERS.flatMap((server) => [
    ...Object.entries(server.types),
    ...server.keyMetrics.map(({ family, type }) => [family, type] as const),
  ]),
]);

/** Type of a family by its canonical name; undefined for one that the catalogue does not list. */
export function typeOfCanonical(canonical: string): MetricType | undefined {
  return TYPES.get(canonical);
}
