import type { MetricsPage } from "../exporter.js";
import type { Simulation } from "../simulation.js";
import { timesOf } from "../request.js";
import { HTTP_FINE_SECONDS, HTTP_SECONDS } from "./buckets.js";

const NONE = {};
const CHAT = { handler: "/v1/chat/completions", method: "POST" };
const BYTES_PER_TOKEN = 4.4;

/** Families of Python's client library about the process itself. */
export function pythonProcess(exporter: MetricsPage, simulation: Simulation, startSeconds: number): void {
  const info = exporter.gauge(
    "python_info",
    "Python platform information",
    ["implementation", "major", "minor", "patchlevel", "version"],
    NONE,
  );
  info(1, { implementation: "CPython", major: "3", minor: "12", patchlevel: "9", version: "3.12.9" });
  const collections = exporter.counter(
    "python_gc_collections_total",
    "Number of times this generation was collected",
    ["generation"],
    NONE,
  );
  const objects = exporter.counter(
    "python_gc_objects_collected_total",
    "Objects collected during gc",
    ["generation"],
    NONE,
  );
  const virtual = exporter.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", [], NONE);
  const resident = exporter.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", [], NONE);
  const start = exporter.gauge(
    "process_start_time_seconds",
    "Start time of the process since unix epoch in seconds.",
    [],
    NONE,
  );
  const cpu = exporter.counter(
    "process_cpu_seconds_total",
    "Total user and system CPU time spent in seconds.",
    [],
    NONE,
  );
  const fds = exporter.gauge("process_open_fds", "Number of open file descriptors.", [], NONE);
  const maxFds = exporter.gauge("process_max_fds", "Maximum number of open file descriptors.", [], NONE);
  start(startSeconds);
  maxFds(1_048_576);
  virtual(38_654_705_664);
  let reported = 0;
  let steps = 0;
  simulation.observe({
    stepped: () => {
      steps++;
      for (const [generation, every] of [
        ["0", 12],
        ["1", 140],
        ["2", 1500],
      ] as const) {
        if (steps % every !== 0) continue;
        collections(1, { generation });
        objects(every * 31, { generation });
      }
    },
  });
  exporter.beforeExposition(() => {
    const inFlight = simulation.running.length + simulation.waiting.length;
    // One core drives the GPU whenever it works, and some of another serves HTTP.
    const spent = 14 + simulation.busySeconds * 0.97 + simulation.now * 0.02;
    cpu(Math.max(0, spent - reported));
    reported = Math.max(reported, spent);
    resident(5_905_580_032 + inFlight * 262_144 + (simulation.options.leakBytesPerSecond ?? 0) * simulation.now);
    fds(58 + inFlight);
  });
}

/** Families of the HTTP server in front: one chat completion a request. */
export function httpServer(exporter: MetricsPage, simulation: Simulation): void {
  const requests = exporter.counter(
    "http_requests_total",
    "Total number of requests by method, status and handler.",
    ["handler", "method", "status"],
    NONE,
  );
  const requestSize = exporter.summary(
    "http_request_size_bytes",
    "Content length of incoming requests by handler. Only value of header is respected. Otherwise ignored.",
    ["handler"],
    NONE,
  );
  const responseSize = exporter.summary(
    "http_response_size_bytes",
    "Content length of outgoing responses by handler. Only value of header is respected. Otherwise ignored.",
    ["handler"],
    NONE,
  );
  const fine = exporter.histogram(
    "http_request_duration_highr_seconds",
    "Latency with many buckets but no API specific labels. Made for more accurate percentile calculations.",
    HTTP_FINE_SECONDS,
    [],
    NONE,
  );
  const duration = exporter.histogram(
    "http_request_duration_seconds",
    "Latency with only few buckets by handler. Made to be only used if aggregation by handler is important.",
    HTTP_SECONDS,
    ["handler", "method"],
    NONE,
  );
  requests(1, { handler: "/health", method: "GET", status: "2xx" });
  simulation.observe({
    finished: (request) => {
      const { e2e } = timesOf(request);
      const handler = { handler: CHAT.handler };
      requests(1, { ...CHAT, status: request.finishReason === "abort" ? "4xx" : "2xx" });
      requestSize(Math.round(request.promptTokens * BYTES_PER_TOKEN), handler);
      responseSize(Math.round(request.generated * BYTES_PER_TOKEN), handler);
      fine(e2e);
      duration(e2e, CHAT);
    },
  });
}
