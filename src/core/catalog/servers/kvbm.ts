import { counter, defineServer, gauge } from "../define.js";

const WINDOW = { over: "recent" } as const;
const OWN_WINDOW = "Over the manager's own sliding window.";

/** Dynamo's KV block manager. */
export const kvbm = defineServer({
  id: "kvbm",
  name: "Dynamo KVBM",
  prefixes: ["kvbm_", "dynamo_kvbm_", "dynamo_component_kvbm_"],
  withoutTotal: /^kvbm_/,
  families: {
    kvbm_offload_blocks_d2h: counter("Blocks offloaded, device to host", "KV cache: blocks", {
      hint: "KV written out of GPU memory.",
    }),
    kvbm_offload_blocks_h2d: counter("Blocks offloaded, host to disk", "KV cache: blocks", {
      hint: "KV that host memory had no room for.",
    }),
    kvbm_offload_blocks_d2d: counter("Blocks offloaded, device to disk", "KV cache: blocks"),
    kvbm_offload_blocks_d2o: counter("Blocks offloaded, device to object storage", "KV cache: blocks"),
    kvbm_onboard_blocks_h2d: counter("Blocks onboarded, host to device", "KV cache: blocks, up", {
      hint: "KV that was not computed again.",
    }),
    kvbm_onboard_blocks_d2d: counter("Blocks onboarded, disk to device", "KV cache: blocks, up", {
      hint: "KV that was not computed again.",
    }),
    kvbm_onboard_blocks_o2d: counter("Blocks onboarded, object storage to device", "KV cache: blocks, up"),
    kvbm_matched_tokens: counter("Tokens matched", "KV cache: tokens, up"),
    kvbm_offload_bytes_object: counter("Bytes offloaded to object storage", "KV cache: bytes"),
    kvbm_onboard_bytes_object: counter("Bytes onboarded from object storage", "KV cache: bytes"),
    kvbm_object_read_failures: counter("Object reads failed", "KV cache: blocks, down"),
    kvbm_object_write_failures: counter("Object writes failed", "KV cache: blocks, down"),
    kvbm_host_cache_hit_rate: gauge("Host cache hit rate", "ratio, up", { computed: WINDOW, hint: OWN_WINDOW }),
    kvbm_disk_cache_hit_rate: gauge("Disk cache hit rate", "ratio, up", { computed: WINDOW, hint: OWN_WINDOW }),
    kvbm_object_cache_hit_rate: gauge("Object cache hit rate", "ratio, up", { computed: WINDOW, hint: OWN_WINDOW }),
  },
  tiles: [
    { id: "kvbm.offload-d2h", family: "kvbm_offload_blocks_d2h", statistic: "rate" },
    { id: "kvbm.onboard-h2d", family: "kvbm_onboard_blocks_h2d", statistic: "rate" },
    { id: "kvbm.onboard-d2d", family: "kvbm_onboard_blocks_d2d", statistic: "rate" },
    { id: "kvbm.host-hit-rate", family: "kvbm_host_cache_hit_rate", statistic: "avg" },
    { id: "kvbm.disk-hit-rate", family: "kvbm_disk_cache_hit_rate", statistic: "avg" },
    { id: "kvbm.object-hit-rate", family: "kvbm_object_cache_hit_rate", statistic: "avg" },
  ],
  groups: [{ group: "KV cache", pattern: /^kvbm_/ }],
  enable:
    "Start the worker with DYN_KVBM_METRICS=true; KVBM then serves its metrics at port 6880 (DYN_KVBM_METRICS_PORT).",
});
