import type { MetricsPage } from "../exporter.js";
import { BLOCK_SIZE, type Simulation } from "../simulation.js";
import { OFFLOAD_BYTES, RESIDENCY_SECONDS } from "./buckets.js";

/** Of an 8 B model. */
export const KV_BYTES_PER_TOKEN = 131_072;
/** To the CPU over PCIe. */
const OFFLOAD_BYTES_PER_SECOND = 20e9;
const FETCH_STAGES = ["waiting_to_start", "in_progress", "completed_waiting"] as const;

/** What vLLM tells of its KV cache beside its usage: residency of blocks, offloading, and fetches from elsewhere. */
export function kvCache(exporter: MetricsPage, simulation: Simulation): void {
  residency(exporter, simulation);
  offloading(exporter, simulation);
  fetches(exporter, simulation);
}

/** With --kv-cache-metrics: one block of each request is followed. */
function residency(exporter: MetricsPage, simulation: Simulation): void {
  const histogram = (name: string, help: string) =>
    exporter.histogram(`vllm:kv_block_${name}`, help, RESIDENCY_SECONDS);
  const lifetime = histogram("lifetime_seconds", "Histogram of KV cache block lifetime from allocation to eviction.");
  const idle = histogram("idle_before_evict_seconds", "Histogram of idle time before KV cache block eviction.");
  const gap = histogram("reuse_gap_seconds", "Histogram of time gaps between consecutive KV cache block accesses.");
  const lastUses = new Map<number, number>();
  let released = 0;
  simulation.observe({
    scheduled: ({ prefixTokens, cachedTokens }) => {
      const last = lastUses.get(prefixTokens);
      if (cachedTokens > 0 && last !== undefined) gap(simulation.now - last);
      lastUses.set(prefixTokens, simulation.now);
    },
    finished: ({ promptTokens, generated, scheduled = 0 }) => {
      released += Math.ceil((promptTokens + generated) / BLOCK_SIZE);
      // A free block is taken again once all that were free before it have been.
      const untilEvicted = ((simulation.options.kvBlocks - simulation.usedBlocks) * simulation.now) / released;
      idle(untilEvicted);
      lifetime(simulation.now - scheduled + untilEvicted);
    },
  });
}

/** Everything computed is stored on the CPU; the prefix cache of the GPU is large enough that nothing is loaded. */
function offloading(exporter: MetricsPage, simulation: Simulation): void {
  const counter = (name: string, help: string) => exporter.counter(`vllm:kv_offload_${name}_total`, help);
  const size = (name: string, help: string) => exporter.histogram(`vllm:kv_offload_${name}_size`, help, OFFLOAD_BYTES);
  counter("load_bytes", "Bytes of KV loaded from offload storage to the GPU.");
  counter("load_time", "Seconds that loads from offload storage took.");
  size("load", "Histogram of the bytes of a load from offload storage.");
  const bytes = counter("store_bytes", "Bytes of KV stored from the GPU to offload storage.");
  const seconds = counter("store_time", "Seconds that stores to offload storage took.");
  const sizes = size("store", "Histogram of the bytes of a store to offload storage.");
  counter("stores_skipped", "Number of stores left out because offload storage had no room.");
  simulation.observe({
    finished: ({ promptTokens, cachedTokens, generated }) => {
      const stored = (promptTokens - cachedTokens + generated) * KV_BYTES_PER_TOKEN;
      bytes(stored);
      seconds(stored / OFFLOAD_BYTES_PER_SECOND);
      sizes(stored);
    },
  });
}

function fetches(exporter: MetricsPage, simulation: Simulation): void {
  const fetching = exporter.gauge(
    "vllm:num_requests_kv_fetch_by_stage",
    "Number of requests that fetch KV from elsewhere, by stage.",
    ["stage"],
  );
  const { transferSeconds = 0 } = simulation.options;
  let arrivals: readonly number[] = [];
  if (transferSeconds > 0)
    simulation.observe({
      arrived: () => (arrivals = [...arrivals, simulation.now].filter((at) => at > simulation.now - transferSeconds)),
    });
  exporter.beforeExposition(() => {
    for (const stage of FETCH_STAGES) fetching(0, { stage });
    // As many are on their way as came within the time of a transfer.
    const underWay = arrivals.filter((at) => at > simulation.now - transferSeconds).length;
    fetching(underWay + simulation.lost.length, { stage: "in_progress" });
  });
}
