import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  aliasesOf,
  canonicalName,
  conceptOf,
  conceptOfRatio,
  derivedById,
  familyEntry,
  groupOf,
  keyMetricOf,
  serverById,
  serverOf,
  shownUnit,
  type ServerId,
} from "../../../../src/core/catalog/index.js";
import { keyTiles } from "../../../../src/core/query/index.js";
import { recordedRun } from "../../../support/recordings.js";

/**
 * Families of the servers of 2026 as they are exposed: name, type, unit ("-": a plain count), and the id of the tile
 * that shows it ("-": none).
 */
const FAMILIES: Readonly<Partial<Record<ServerId, string>>> = {
  vllm: `
    vllm:prompt_tokens_cached_by_source_total counter tokens vllm.cached-by-source
    vllm:num_requests_kv_fetch_by_stage gauge requests vllm.kv-fetch
    vllm:request_num_preemptions histogram preemptions vllm.request-preemptions
    vllm:kv_block_lifetime_seconds histogram seconds vllm.kv-block-lifetime
    vllm:kv_block_idle_before_evict_seconds histogram seconds vllm.kv-block-idle
    vllm:kv_block_reuse_gap_seconds histogram seconds vllm.kv-block-reuse
    vllm:corrupted_requests_total counter requests vllm.corrupted
    vllm:kv_offload_load_bytes_total counter bytes vllm.offload-loads
    vllm:kv_offload_store_bytes_total counter bytes vllm.offload-stores
    vllm:kv_offload_load_time_total counter seconds -
    vllm:kv_offload_store_time_total counter seconds -
    vllm:kv_offload_load_size histogram bytes -
    vllm:kv_offload_store_size histogram bytes -
    vllm:kv_offload_stores_skipped_total counter stores -
    vllm:kv_offload_cpu_cache_occupancy_perc gauge ratio -
    vllm:admission_rejections_total counter requests -
    vllm:engine_healthy gauge - -
    vllm:eplb_max_tokens_per_rank gauge tokens -
    vllm:eplb_balancedness_ratio gauge ratio -
    vllm:ep_all2all_dispatch_latency_seconds histogram seconds vllm.ep-dispatch
    vllm:ep_all2all_combine_latency_seconds histogram seconds vllm.ep-combine
    ray_vllm_num_requests_running gauge requests vllm.running
    ray_vllm_corrupted_requests_total counter requests vllm.corrupted`,
  sglang: `
    sglang:kv_available_tokens gauge tokens sglang.kv-available
    sglang:kv_evictable_tokens gauge tokens sglang.kv-evictable
    sglang:kv_used_tokens gauge tokens sglang.kv-used
    sglang_token_usage gauge ratio sglang.token-usage
    sglang:fwd_occupancy gauge percent sglang.fwd-occupancy
    sglang:num_prefill_bootstrap_queue_reqs gauge requests sglang.prefill-bootstrap
    sglang:num_prefill_prealloc_queue_reqs gauge requests sglang.prefill-prealloc
    sglang:num_prefill_inflight_queue_reqs gauge requests sglang.prefill-transfer
    sglang:num_decode_prealloc_queue_reqs gauge requests sglang.decode-prealloc
    sglang:num_decode_transfer_queue_reqs gauge requests sglang.decode-transfer
    sglang_num_transfer_failed_reqs_total counter requests sglang.transfer-failed
    sglang_num_bootstrap_failed_reqs_total counter requests sglang.bootstrap-failed
    sglang:hicache_host_used_tokens gauge tokens sglang.hicache-usage
    sglang:hicache_host_total_tokens gauge tokens sglang.hicache-usage
    sglang:lora_pool_utilization gauge ratio sglang.lora-pool
    sglang:grammar_compilation_time_seconds histogram seconds sglang.grammar-time
    sglang:kv_cache_usage_perc gauge ratio sglang.token-usage
    sglang_kv_cache_usage_perc gauge ratio sglang.token-usage
    sglang:swa_token_usage gauge ratio sglang.swa-usage
    sglang:diffusion_requests_total counter requests -
    sglang:diffusion_request_latency_seconds histogram seconds -
    sglang:diffusion_stage_host_latency_seconds histogram seconds -
    sglang:mamba_usage gauge ratio sglang.mamba-usage
    sglang:num_retracted_reqs gauge requests -
    sglang:num_retracted_requests_total counter requests -
    sglang:kv_transfer_latency_ms histogram milliseconds -
    sglang:prefill_effective_tokens_total counter tokens sglang.effective-hit-rate`,
  trtllm: `
    trtllm_kv_transfer_success_total counter count trtllm.kv-transfer-success
    trtllm_kv_transfer_latency_seconds histogram seconds trtllm.kv-transfer-latency
    trtllm_kv_transfer_bytes histogram bytes trtllm.kv-transfer-bytes
    trtllm_kv_transfer_speed_gb_s histogram gb/s trtllm.kv-transfer-speed
    trtllm_num_aborted_requests_total counter requests trtllm.aborted
    trtllm_scheduled_batch_size gauge requests -
    trtllm:inter_token_latency_seconds histogram seconds -
    trtllm:num_preemptions_total counter count -`,
  "dynamo-component": `
    dynamo_component_gpu_cache_usage_percent gauge ratio dynamo-component.kv-usage
    dynamo_component_kvstats_gpu_cache_usage_percent gauge ratio dynamo-component.kv-usage
    dynamo_component_network_transit_seconds histogram seconds dynamo-component.transit
    dynamo_component_engine_failover_state gauge - -
    dynamo_component_engine_failover_switch_attempts_total counter count -
    dynamo_component_router_remote_indexer_query_failures_total counter count -
    dynamo_component_router_active_sequence_zmq_ingress_dropped_events_total counter count -
    dynamo_component_router_kv_selected_cached_prefix_tokens_total counter tokens -`,
  "dynamo-frontend": `
    dynamo_frontend_active_requests gauge requests dynamo-frontend.active
    dynamo_frontend_stage_duration_seconds histogram seconds dynamo-frontend.stages
    dynamo_frontend_event_loop_stall_total counter count dynamo-frontend.stalls
    dynamo_frontend_tokenizer_latency_ms histogram milliseconds dynamo-frontend.tokenizer
    dynamo_frontend_worker_active_decode_blocks gauge blocks dynamo-frontend.decode-blocks
    dynamo_frontend_router_queue_pending_requests gauge requests dynamo-frontend.router-queue
    dynamo_frontend_model_migration_total counter requests dynamo-frontend.migrations
    dynamo_frontend_model_migration_max_seq_len_exceeded_total counter requests -
    dynamo_frontend_router_queue_backpressure_total counter requests -
    dynamo_frontend_router_admission_rejected_total counter requests -
    dynamo_frontend_failures_total counter requests -`,
  "dynamo-router": `
    dynamo_router_overhead_total_ms histogram milliseconds dynamo-router.overhead
    dynamo_router_overhead_scheduling_ms histogram milliseconds -
    dynamo_request_plane_queue_seconds histogram seconds dynamo-router.plane-queue
    dynamo_request_plane_send_seconds histogram seconds dynamo-router.plane-send
    dynamo_request_plane_roundtrip_ttft_seconds histogram seconds dynamo-router.plane-ttft
    dynamo_tokio_queue_overload_warnings_total counter count -`,
  kvbm: `
    kvbm_offload_blocks_d2h counter blocks kvbm.offload-d2h
    kvbm_offload_blocks_h2d counter blocks -
    kvbm_onboard_blocks_h2d counter blocks kvbm.onboard-h2d
    kvbm_onboard_blocks_d2d counter blocks kvbm.onboard-d2d
    kvbm_host_cache_hit_rate gauge ratio kvbm.host-hit-rate
    kvbm_disk_cache_hit_rate gauge ratio kvbm.disk-hit-rate
    kvbm_object_cache_hit_rate gauge ratio kvbm.object-hit-rate`,
  "dynamo-planner": `
    dynamo_planner_observed_ttft_ms gauge milliseconds dynamo-planner.ttft`,
  triton: `
    nv_inference_first_response_histogram_ms histogram milliseconds triton.first-response
    nv_cache_hit_duration_per_model counter microseconds triton.cache-hit-time
    nv_cache_miss_duration_per_model counter microseconds triton.cache-miss-time
    nv_trt_llm_request_metrics gauge requests -
    nv_trt_llm_kv_cache_block_metrics gauge - -
    nv_trt_llm_runtime_memory_metrics gauge bytes -
    nv_inference_queue_duration_us counter microseconds triton.queue-time`,
  dcgm: `
    DCGM_FI_PROF_SM_ACTIVE gauge ratio dcgm.sm-active
    DCGM_FI_DEV_POWER_VIOLATION counter nanoseconds dcgm.power-violation
    DCGM_FI_DEV_THERMAL_VIOLATION counter nanoseconds dcgm.thermal-violation
    DCGM_FI_PROF_PCIE_TX_BYTES gauge bytes/s dcgm.pcie-tx
    DCGM_FI_PROF_PCIE_RX_BYTES gauge bytes/s dcgm.pcie-rx
    DCGM_FI_DEV_PCIE_TX_THROUGHPUT counter kilobytes -
    DCGM_FI_DEV_PCIE_RX_THROUGHPUT counter kilobytes -
    DCGM_FI_DEV_ENC_UTIL gauge percent -
    DCGM_FI_DEV_DEC_UTIL gauge percent -
    DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS counter rows dcgm.remapped-rows
    DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS counter rows -
    DCGM_FI_DEV_ROW_REMAP_FAILURE gauge - -
    DCGM_FI_DEV_FB_USED gauge mebibytes dcgm.memory`,
  amd: `
    amd_gpu_gfx_activity gauge percent amd.utilization
    amd_gpu_used_vram gauge megabytes amd.memory
    amd_gpu_package_power gauge watt amd.power
    amd_gpu_junction_temperature gauge celsius amd.temperature
    amd_gpu_edge_temperature gauge celsius amd.temperature-edge
    amd_gpu_average_package_power gauge watt amd.power-average
    gpu_gfx_activity gauge percent amd.utilization
    gpu_used_vram gauge megabytes amd.memory`,
  epp: `
    llm_d_router_epp_flow_control_queue_size gauge requests epp.flow-queue
    inference_extension_flow_control_queue_size gauge requests epp.flow-queue
    inference_objective_normalized_time_per_output_token_seconds histogram seconds epp.ntpot
    llm_d_router_epp_ready_endpoints gauge endpoints epp.ready
    inference_pool_ready_pods gauge endpoints epp.ready
    inference_pool_average_kv_cache_utilization gauge ratio epp.pool-kv-usage
    llm_d_epp_request_total counter requests epp.requests
    inference_objective_request_error_total counter requests epp.errors
    llm_d_epp_average_queue_size gauge requests epp.pool-queue
    llm_d_epp_request_ttft_seconds histogram seconds epp.ttft
    inference_extension_scheduler_e2e_duration_seconds histogram seconds epp.scheduling`,
  lmcache: `
    lmcache:retrieve_hit_rate gauge ratio lmcache.retrieve-hit-rate-reported
    lmcache:lookup_hit_rate gauge ratio lmcache.lookup-hit-rate-reported
    lmcache:time_to_retrieve histogram seconds lmcache.retrieve-time
    lmcache:time_to_store histogram seconds lmcache.store-time
    lmcache:remote_time_to_get histogram milliseconds lmcache.remote-get-time
    lmcache:local_cache_usage gauge bytes lmcache.local-usage`,
  tgi: `
    tgi_queue_size gauge requests tgi.queue
    tgi_request_duration histogram seconds tgi.e2e
    tgi_request_queue_duration histogram seconds tgi.queue-time
    tgi_request_inference_duration histogram seconds tgi.inference`,
  llamacpp: `
    llamacpp:requests_processing gauge requests llamacpp.running
    llamacpp:requests_deferred gauge requests llamacpp.waiting
    llamacpp:n_busy_slots_per_decode gauge slots llamacpp.busy-slots
    llamacpp:n_decode_total counter count llamacpp.busy-slots`,
  node: `
    node_cpu_seconds_total counter seconds node.cpu-busy
    node_memory_MemAvailable_bytes gauge bytes node.memory-used
    node_memory_MemTotal_bytes gauge bytes node.memory-used
    node_network_receive_bytes_total counter bytes node.network-received
    node_network_transmit_bytes_total counter bytes node.network-sent
    node_disk_read_bytes_total counter bytes node.disk-read
    node_disk_written_bytes_total counter bytes node.disk-written`,
};

const lines = Object.entries(FAMILIES).flatMap(([server, text]) =>
  text
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", type = "", unit = "", tile = ""] = line.trim().split(" ");
      return { server, name, type, unit, tile };
    }),
);

/** Tiles that an exposition fills, recorded from a server's own classes or written after its source. */
function filledTiles(): ReadonlySet<string> {
  const read = (folder: string, ending: string, textOf: (file: Buffer) => string) => {
    const directory = path.join(import.meta.dirname, "../../../fixtures", folder);
    return readdirSync(directory)
      .filter((file) => file.endsWith(ending))
      .map((file) => textOf(readFileSync(path.join(directory, file))));
  };
  const texts = [
    ...read("expositions", ".txt", (file) => file.toString()),
    ...read("recordings", ".txt.gz", (file) => gunzipSync(file).toString()),
  ];
  const tiles = texts.flatMap((text) => keyTiles(recordedRun(text, 20).run));
  return new Set(tiles.flatMap(({ id, value }) => (Number.isNaN(value) ? [] : [id])));
}

describe("families of the servers of 2026", () => {
  it("fill each of their tiles from an exposition of their server", () => {
    const filled = filledTiles();
    const tiles = new Set(lines.flatMap(({ tile }) => (tile === "-" ? [] : [tile])));
    expect([...tiles].filter((tile) => !filled.has(tile))).toEqual([]);
  });

  it.each(lines)("$name of $server: $type in $unit, tile $tile", ({ server, name, type, unit, tile }) => {
    const entry = familyEntry(name);
    expect(entry?.type).toBe(type);
    expect(shownUnit({ name, description: "" }) ?? "-").toBe(unit);
    expect(groupOf(name)).not.toBe("Other");
    expect(entry?.title).toMatch(/^[A-Z]/);
    expect(entry?.hint).toMatch(/[.]$/);
    const metric = keyMetricOf(name);
    expect(metric?.id ?? "-").toBe(tile);
    if (metric !== undefined) expect(metric.id.startsWith(`${server}.`)).toBe(true);
  });

  it("are found by each of their names", () => {
    for (const { name } of lines)
      for (const alias of aliasesOf(name)) expect(canonicalName(alias), alias).toBe(canonicalName(name));
  });

  it("say of every average and ratio that the server computes over which time, and give the one of the window", () => {
    const computed = lines.flatMap(({ name }) => familyEntry(name)?.computed ?? []);
    expect(computed.length).toBeGreaterThan(5);
    const windowed = computed.flatMap((how) => how.windowed ?? []);
    for (const id of windowed) expect(derivedById(id), id).toBeDefined();
    // A lifetime average is never shown alone.
    for (const how of computed) if (how.over === "lifetime") expect(how.windowed).toBeDefined();
    expect(windowed).toContain("llamacpp.busy-slots");
  });

  it("NIM's service is Dynamo's frontend under NIM's prefix, not Triton", () => {
    expect(serverOf("nv_llm_http_service_requests_total")?.id).toBe("dynamo-frontend");
    expect(keyMetricOf("nv_llm_http_service_time_to_first_token_seconds")?.id).toBe("dynamo-frontend.ttft");
    expect(conceptOf("nv_llm_http_service_inflight_requests")?.concept.id).toBe("running");
    expect(serverOf("nv_inference_request_success")?.id).toBe("triton");
  });

  it("simulated engines of Dynamo have vLLM's names under another prefix", () => {
    expect(conceptOf("trtllm:gpu_cache_usage_perc")?.concept.id).toBe("kv-usage");
    expect(conceptOf("trtllm:num_preemptions_total")?.concept.id).toBe("preempted");
    expect(conceptOfRatio("trtllm:prefix_cache_hits_total")?.id).toBe("prefix-hit-rate");
  });

  it("AMD's exporter is known without the prefix, too, but only by the names that it has", () => {
    expect(canonicalName("gpu_gfx_activity")).toBe("amd_gpu_gfx_activity");
    expect(aliasesOf("amd_gpu_gfx_activity")).toEqual(["gpu_gfx_activity"]);
    expect(familyEntry("gpu_something_else")).toBeUndefined();
    expect(canonicalName("gpu_something_else")).toBe("gpu_something_else");
    expect(serverById("amd").prefixes).toEqual(["amd_"]);
  });
});
