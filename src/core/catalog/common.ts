import { counter, gauge, histogram } from "./define.js";
import type { FamilyEntry } from "./definition.js";

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
