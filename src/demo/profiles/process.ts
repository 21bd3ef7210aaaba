import { timesOf, type Request } from "../request.js";
import { HTTP_FINE_SECONDS, HTTP_SECONDS } from "./buckets.js";
import type { Families } from "./families.js";

const CHAT = { handler: "/v1/chat/completions", method: "POST" };
const BYTES_PER_TOKEN = 4.4;
/** Steps of the model between two collections of garbage, by its generation. */
const COLLECTED_EVERY = [12, 140, 1500];

/** Families of Python's client library about the process itself. */
export function pythonProcess(server: Families, startSeconds: number): void {
  const { simulation } = server;
  const { running, waiting } = simulation;
  const families = server.others("", {});
  families.gauge("python_info{implementation,major,minor,patchlevel,version}", "Python platform information", () => [
    [1, { implementation: "CPython", major: "3", minor: "12", patchlevel: "9", version: "3.12.9" }],
  ]);
  let steps = 0;
  const collected = (objects: (every: number) => number) =>
    COLLECTED_EVERY.flatMap((every, generation) =>
      steps % every === 0 ? [[objects(every), { generation: String(generation) }] as const] : [],
    );
  families.counter("python_gc_collections_total{generation}", "Number of times this generation was collected", {
    stepped: () => {
      steps++;
      return collected(() => 1);
    },
  });
  families.counter("python_gc_objects_collected_total{generation}", "Objects collected during gc", {
    stepped: () => collected((every) => every * 31),
  });
  families.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", 38_654_705_664);
  const inFlight = () => running.length + waiting.length;
  const leaked = () => (simulation.options.leakBytesPerSecond ?? 0) * simulation.now;
  families.gauge(
    "process_resident_memory_bytes",
    "Resident memory size in bytes.",
    () => 5_905_580_032 + inFlight() * 262_144 + leaked(),
  );
  families.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", startSeconds);
  const cpu = families.counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.");
  families.gauge("process_open_fds", "Number of open file descriptors.", () => 58 + inFlight());
  families.gauge("process_max_fds", "Maximum number of open file descriptors.", 1_048_576);
  let reported = 0;
  families.exporter.beforeExposition(() => {
    // One core drives the GPU whenever it works, and some of another serves HTTP.
    const spent = 14 + simulation.busySeconds * 0.97 + simulation.now * 0.02;
    cpu(Math.max(0, spent - reported));
    reported = Math.max(reported, spent);
  });
}

/** Families of the HTTP server in front: one chat completion a request. */
export function httpServer(server: Families): void {
  const families = server.others("http_", {});
  const requests = families.counter(
    "requests_total{handler,method,status}",
    "Total number of requests by method, status and handler.",
    { finished: ({ finishReason }) => [[1, { ...CHAT, status: finishReason === "abort" ? "4xx" : "2xx" }]] },
  );
  const size = (what: string, direction: string, tokens: (request: Request) => number) =>
    families.summary(
      `${what}_size_bytes{handler}`,
      `Content length of ${direction} ${what}s by handler. Only value of header is respected. Otherwise ignored.`,
      { finished: (request) => [[Math.round(tokens(request) * BYTES_PER_TOKEN), { handler: CHAT.handler }]] },
    );
  size("request", "incoming", ({ promptTokens }) => promptTokens);
  size("response", "outgoing", ({ generated }) => generated);
  families.histogram(
    "request_duration_highr_seconds",
    "Latency with many buckets but no API specific labels. Made for more accurate percentile calculations.",
    HTTP_FINE_SECONDS,
    { finished: (request) => timesOf(request).e2e },
  );
  families.histogram(
    "request_duration_seconds{handler,method}",
    "Latency with only few buckets by handler. Made to be only used if aggregation by handler is important.",
    HTTP_SECONDS,
    { finished: (request) => [[timesOf(request).e2e, CHAT]] },
  );
  requests(1, { handler: "/health", method: "GET", status: "2xx" });
}
