import { isFields, type Fields } from "../core/text/index.js";
import { parsedJson } from "./http/encoding.js";
import type { EndpointSource } from "../core/model/index.js";
import { notIterationStatisticsFailure } from "./not-prometheus.js";
import { TextSource, type Body, type BodyRead, type LiveSourceOptions } from "./text-source.js";

/** The message ends a sentence: what is wrong with the body. */
export class NoStatisticsError extends Error {
  override readonly name = "NoStatisticsError";
}

type Kind =
  /** As of the newest iteration. */
  | "gauge"
  /** Counted by the server since its start. */
  | "counter"
  /** Of one iteration: summed here. */
  | "sum";

interface Metric {
  readonly name: string;
  readonly kind: Kind;
  /** The server's unit in units of the metric. */
  readonly factor?: number;
}

const gauge = (name: string, factor?: number): Metric => ({
  name,
  kind: "gauge",
  ...(factor === undefined ? {} : { factor }),
});
const counter = (name: string): Metric => ({ name: `${name}_total`, kind: "counter" });
const sum = (name: string): Metric => ({ name: `${name}_total`, kind: "sum" });

/** Fields by their paths, under the names that TensorRT-LLM gives them in its own Prometheus metrics. */
const KNOWN: ReadonlyMap<string, Metric> = new Map([
  ["numActiveRequests", gauge("num_requests_running")],
  ["numQueuedRequests", gauge("num_requests_waiting")],
  ["numCompletedRequests", sum("num_requests_completed")],
  ["numNewActiveRequests", sum("num_new_active_requests")],
  ["maxNumActiveRequests", gauge("max_num_active_requests")],
  ["iterLatencyMS", gauge("iteration_latency_seconds", 1 / 1000)],
  ["newActiveRequestsQueueLatencyMS", gauge("new_active_requests_queue_latency_seconds", 1 / 1000)],
  ["gpuMemUsage", gauge("gpu_memory_usage_bytes")],
  ["cpuMemUsage", gauge("cpu_memory_usage_bytes")],
  ["pinnedMemUsage", gauge("pinned_memory_usage_bytes")],
  ["kvCacheStats.cacheHitRate", gauge("kv_cache_hit_rate")],
  ["kvCacheStats.reusedBlocks", counter("kv_cache_reused_blocks")],
  ["kvCacheStats.missedBlocks", counter("kv_cache_missed_blocks")],
  ["kvCacheStats.allocTotalBlocks", counter("kv_cache_alloc_total_blocks")],
  ["kvCacheStats.allocNewBlocks", counter("kv_cache_alloc_new_blocks")],
  ["kvCacheStats.maxNumBlocks", gauge("kv_cache_max_blocks")],
  ["kvCacheStats.freeNumBlocks", gauge("kv_cache_free_blocks")],
  ["kvCacheStats.usedNumBlocks", gauge("kv_cache_used_blocks")],
  ["kvCacheStats.tokensPerBlock", gauge("kv_cache_tokens_per_block")],
  ["inflightBatchingStats.numContextRequests", gauge("num_context_requests")],
  ["inflightBatchingStats.numGenRequests", gauge("num_generation_requests")],
  ["inflightBatchingStats.numPausedRequests", gauge("num_paused_requests")],
  ["inflightBatchingStats.numScheduledRequests", gauge("num_scheduled_requests")],
  ["inflightBatchingStats.numCtxTokens", gauge("total_context_tokens")],
  ["inflightBatchingStats.avgNumDecodedTokensPerIter", gauge("avg_decoded_tokens_per_iter")],
  ["specDecodingStats.numDraftTokens", sum("spec_decode_num_draft_tokens")],
  ["specDecodingStats.numAcceptedTokens", sum("spec_decode_num_accepted_tokens")],
  ["specDecodingStats.acceptanceLength", gauge("spec_decode_acceptance_length")],
  ["specDecodingStats.draftOverhead", gauge("spec_decode_draft_overhead")],
]);

/** Of one window size of the KV cache; summed over all of them and over iterations. */
const OF_WINDOWS: ReadonlyMap<string, Metric> = new Map([
  ["iterReusedBlocks", sum("kv_cache_iter_reused_blocks")],
  ["iterFullReusedBlocks", sum("kv_cache_iter_full_reused_blocks")],
  ["iterPartialReusedBlocks", sum("kv_cache_iter_partial_reused_blocks")],
  ["iterMissedBlocks", sum("kv_cache_iter_missed_blocks")],
  ["iterGenAllocBlocks", sum("kv_cache_gen_alloc_blocks")],
  ["iterOnboardBytes", sum("kv_cache_onboard_bytes")],
  ["iterOffloadBytes", sum("kv_cache_offload_bytes")],
  ["iterIntraDeviceCopyBytes", sum("kv_cache_intra_device_copy_bytes")],
]);

const WINDOWS = "kvCacheIterationStats";
/** Sections whose fields carry their name; those of the other sections speak for themselves. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ["kvCacheStats", "kv_cache_"],
  ["crossKvCacheStats", "cross_kv_cache_"],
  ["specDecodingStats", "spec_decode_"],
  ["staticBatchingStats", "static_batch_"],
]);
const PREFIX = "trtllm:";
const UPPER_BOUNDS = [0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 10];

/**
 * The iteration statistics that trtllm-serve answers at `/metrics`: a JSON list of what has been queued since the last
 * reading, one record an iteration. Gauges are those of the newest record; what is said of single iterations is summed,
 * so that no record is lost. A reading without records has counters only.
 */
export class IterationStatistics {
  private readonly sums = new Map<string, number>();
  private readonly buckets = UPPER_BOUNDS.map(() => 0);
  private iterations = 0;
  private timed = 0;
  private seconds = 0;
  private skipped = 0;
  private newest: number | undefined;

  /**
   * @returns an exposition in Prometheus' text format
   * @throws NoStatisticsError for a body that holds none
   */
  translate(body: Uint8Array): string {
    const gauges = new Map<string, number>();
    for (const record of recordsOf(body)) {
      this.count(record);
      gauges.clear();
      for (const [path, value] of numbersOf(record)) {
        const { name, kind, factor = 1 } = KNOWN.get(path) ?? gauge(nameOf(path));
        if (kind === "sum") this.sums.set(name, (this.sums.get(name) ?? 0) + value);
        else if (kind === "counter") this.sums.set(name, value);
        else gauges.set(name, value * factor);
      }
      this.addWindows(record[WINDOWS], gauges);
      const [used, most] = [gauges.get("kv_cache_used_blocks"), gauges.get("kv_cache_max_blocks")];
      if (used !== undefined && most !== undefined && most > 0) gauges.set("kv_cache_utilization", used / most);
    }
    return this.exposition(gauges);
  }

  private count(record: Fields): void {
    this.iterations++;
    const { iter, iterLatencyMS: latency } = record;
    if (typeof iter === "number") {
      // A smaller number is that of a server that was started again.
      if (this.newest !== undefined && iter > this.newest) this.skipped += iter - this.newest - 1;
      this.newest = iter;
    }
    if (typeof latency !== "number" || !(latency >= 0)) return;
    this.timed++;
    this.seconds += latency / 1000;
    UPPER_BOUNDS.forEach((bound, i) => {
      if (latency / 1000 <= bound) this.buckets[i] = (this.buckets[i] ?? 0) + 1;
    });
  }

  private addWindows(windows: unknown, gauges: Map<string, number>): void {
    if (!isFields(windows)) return;
    let used = 0;
    let most = 0;
    for (const window of Object.values(windows).filter(isFields)) {
      for (const [field, { name }] of OF_WINDOWS) {
        const value = window[field];
        if (typeof value === "number") this.sums.set(name, (this.sums.get(name) ?? 0) + value);
      }
      const { secondaryUsedNumBlocks, secondaryMaxNumBlocks } = window;
      if (typeof secondaryUsedNumBlocks === "number") used += secondaryUsedNumBlocks;
      if (typeof secondaryMaxNumBlocks === "number") most += secondaryMaxNumBlocks;
    }
    if (most > 0) gauges.set("kv_cache_host_utilization", used / most);
  }

  private exposition(gauges: ReadonlyMap<string, number>): string {
    const lines: string[] = [];
    const family = (name: string, type: string, help?: string) => {
      if (help !== undefined) lines.push(`# HELP ${PREFIX}${name} ${help}`);
      lines.push(`# TYPE ${PREFIX}${name} ${type}`);
    };
    const sample = (name: string, value: number) => lines.push(`${PREFIX}${name} ${value}`);
    const own = (name: string, help: string, value: number) => {
      family(name, "counter", help);
      sample(name, value);
    };
    own("iterations_total", "Iterations whose statistics were read.", this.iterations);
    own(
      "iterations_skipped_total",
      "Iterations between those that were read: taken by another reader, dropped from the queue, or not recorded.",
      this.skipped,
    );
    for (const [name, value] of this.sums) {
      family(name, "counter");
      sample(name, value);
    }
    for (const [name, value] of gauges) {
      family(name, "gauge");
      sample(name, value);
    }
    const histogram = "iteration_duration_seconds";
    family(histogram, "histogram", "Latency of each iteration that was read.");
    UPPER_BOUNDS.forEach((bound, i) => sample(`${histogram}_bucket{le="${bound}"}`, this.buckets[i] ?? 0));
    sample(`${histogram}_bucket{le="+Inf"}`, this.timed);
    sample(`${histogram}_sum`, this.seconds);
    sample(`${histogram}_count`, this.timed);
    return `${lines.join("\n")}\n`;
  }
}

/** @throws NoStatisticsError */
function recordsOf(body: Uint8Array): readonly Fields[] {
  const records = parsedJson(body);
  if (records === undefined) throw new NoStatisticsError("it is not JSON");
  if (!Array.isArray(records)) throw new NoStatisticsError("it is not a JSON list");
  if (!records.every(isFields)) throw new NoStatisticsError("its list holds something other than records");
  if (records.length > 0 && !records.some((record) => "iter" in record || "iterLatencyMS" in record))
    throw new NoStatisticsError("its records are not of iterations (no iter, no iterLatencyMS)");
  return records;
}

/** Numbers of a record by their paths, one section deep; its own number and those of single requests are left out. */
function* numbersOf(record: Fields): Generator<readonly [path: string, value: number]> {
  for (const [name, value] of Object.entries(record)) {
    if (typeof value === "number" && name !== "iter") yield [name, value];
    else if (isFields(value) && name !== WINDOWS)
      for (const [field, number] of Object.entries(value))
        if (typeof number === "number") yield [`${name}.${field}`, number];
  }
}

/** Of a field that no version so far had: numFreeSlots becomes num_free_slots. */
function nameOf(path: string): string {
  const [section = "", field = section] = path.split(".");
  const snake = field
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/\W/g, "_");
  return `${path.includes(".") ? (PREFIXES.get(section) ?? "") : ""}${snake}`;
}

/**
 * TensorRT-LLM's iteration statistics, turned into the text format. Each reading takes them away from all other
 * readers.
 */
class IterationStatisticsSource extends TextSource {
  protected override readonly json = true;
  private readonly statistics = new IterationStatistics();

  protected override samplesOf({ body }: Body, url: string): BodyRead {
    try {
      const text = this.statistics.translate(body);
      return super.samplesOf({ body: Buffer.from(text), contentType: "text/plain" }, url);
    } catch (error) {
      if (!(error instanceof NoStatisticsError)) throw error;
      return { kind: "foreign", failure: notIterationStatisticsFailure(url, error.message) };
    }
  }
}

/** The source of one endpoint of a capture. */
export function liveSource(kind: EndpointSource = "prometheus", options: LiveSourceOptions): TextSource {
  switch (kind) {
    case "prometheus":
      return new TextSource(options);
    case "iteration-statistics":
      return new IterationStatisticsSource(options);
  }
}
