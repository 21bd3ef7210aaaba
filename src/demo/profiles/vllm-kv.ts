import type { Request } from "../request.js";
import { BLOCK_SIZE } from "../simulation.js";
import { OFFLOAD_BYTES, RESIDENCY_SECONDS } from "./buckets.js";
import type { Families } from "./families.js";

/** Of an 8 B model. */
export const KV_BYTES_PER_TOKEN = 131_072;
/** To the CPU over PCIe. */
const OFFLOAD_BYTES_PER_SECOND = 20e9;
const FETCH_STAGES = ["waiting_to_start", "in_progress", "completed_waiting"] as const;

/** What vLLM tells of its KV cache beside its usage: residency of blocks, offloading, and fetches from elsewhere. */
export function kvCache(families: Families): void {
  residency(families);
  offloading(families);
  fetches(families);
}

/** With --kv-cache-metrics: one block of each request is followed. */
function residency(families: Families): void {
  const { simulation } = families;
  const histogram = (name: string, help: string) => families.histogram(`kv_block_${name}`, help, RESIDENCY_SECONDS);
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
function offloading(server: Families): void {
  const families = server.others("vllm:kv_offload_");
  const stored = ({ promptTokens, cachedTokens, generated }: Request) =>
    (promptTokens - cachedTokens + generated) * KV_BYTES_PER_TOKEN;
  families.counter("load_bytes_total", "Bytes of KV loaded from offload storage to the GPU.");
  families.counter("load_time_total", "Seconds that loads from offload storage took.");
  families.histogram("load_size", "Histogram of the bytes of a load from offload storage.", OFFLOAD_BYTES);
  families.counter("store_bytes_total", "Bytes of KV stored from the GPU to offload storage.", { finished: stored });
  families.counter("store_time_total", "Seconds that stores to offload storage took.", {
    finished: (request) => stored(request) / OFFLOAD_BYTES_PER_SECOND,
  });
  families.histogram("store_size", "Histogram of the bytes of a store to offload storage.", OFFLOAD_BYTES, {
    finished: stored,
  });
  families.counter("stores_skipped_total", "Number of stores left out because offload storage had no room.");
}

function fetches(families: Families): void {
  const { simulation } = families;
  const { transferSeconds = 0 } = simulation.options;
  let arrivals: readonly number[] = [];
  if (transferSeconds > 0)
    simulation.observe({
      arrived: () => (arrivals = [...arrivals, simulation.now].filter((at) => at > simulation.now - transferSeconds)),
    });
  families.gauge(
    "num_requests_kv_fetch_by_stage{stage}",
    "Number of requests that fetch KV from elsewhere, by stage.",
    () => {
      // As many are on their way as came within the time of a transfer.
      const underWay = arrivals.filter((at) => at > simulation.now - transferSeconds).length + simulation.lost.length;
      return FETCH_STAGES.map((stage) => [stage === "in_progress" ? underWay : 0, { stage }]);
    },
  );
}
