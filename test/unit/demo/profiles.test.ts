import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonicalName, recogniseServers } from "../../../src/core/catalog/index.js";
import { ExpositionParser } from "../../../src/core/exposition/index.js";
import { DEMO_PROFILES, type DemoProfile } from "../../../src/demo/index.js";
import { simulate } from "../../../src/demo/options.js";
import { PROFILES } from "../../../src/demo/profiles/index.js";
import { describeConformance } from "../../support/conformance.js";
import { readPage, sumOf, type Page } from "../../support/page.js";

async function exposed(profile: DemoProfile, seconds = 90) {
  const { simulation } = simulate({ profile });
  const arrivals = { count: 0 };
  simulation.observe({ arrived: () => arrivals.count++ });
  const exporter = PROFILES[profile].expose(simulation, 1_765_000_000);
  simulation.advanceTo(seconds);
  return { simulation, arrivals, page: readPage(await exporter.exposition()) };
}

function histograms(page: Page): string[] {
  return [...page.types].filter(([, type]) => type === "histogram").map(([name]) => name);
}

describe.each(DEMO_PROFILES)("%s", (profile) => {
  it("is recognised, and shows key metrics of its servers with their types", async () => {
    const { page } = await exposed(profile);
    const names = [...page.types.keys()];
    const servers = recogniseServers(names);
    const expected: Record<DemoProfile, string[]> = {
      vllm: ["vllm"],
      sglang: ["sglang"],
      trtllm: ["trtllm"],
      dynamo: ["trtllm", "kvbm", "dynamo-frontend", "dynamo-component", "dynamo-planner", "dynamo-router"],
      triton: ["triton"],
      dcgm: ["dcgm"],
    };
    expect(servers.map(({ id }) => id)).toEqual(expected[profile]);
    const types = new Map([...page.types].map(([name, type]) => [canonicalName(name), type]));
    for (const { id, keyMetrics } of servers) {
      const shown = keyMetrics.filter(({ family }) => types.has(family));
      expect(shown.length, id).toBeGreaterThan(3);
      for (const { family, type } of shown) expect(types.get(family), family).toBe(type);
    }
  });

  it("is read by the project's parser as by an independent reader, scrape after scrape", async () => {
    const { simulation } = simulate({ profile });
    const exporter = PROFILES[profile].expose(simulation, 1_765_000_000);
    const parser = new ExpositionParser();
    for (const seconds of [30, 60, 61]) {
      simulation.advanceTo(seconds);
      const body = await exporter.exposition();
      const { ids, values, length, defs } = parser.parse(new TextEncoder().encode(body), "text");
      const ours = new Map<string, number>();
      for (let i = 0; i < length; i++) {
        const def = defs[ids[i]!]!;
        const bound = def.part.kind === "bucket" ? [["le", def.part.bound]] : [];
        ours.set(JSON.stringify([def.family.name, def.part.kind, [...def.labels, ...bound].sort()]), values[i]!);
      }
      const theirs = new Map<string, number>();
      const page = readPage(body);
      for (const { name, labels, value } of page.samples) {
        const [, base = name, kind = "value"] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
        const isHistogram = page.types.get(base) === "histogram";
        if (page.types.get(base) === "summary" || /_uptime_/.test(name)) continue;
        const family = isHistogram ? base : page.types.get(name) === "counter" ? name.replace(/_total$/, "") : name;
        theirs.set(JSON.stringify([family, isHistogram ? kind : "value", Object.entries(labels).sort()]), value);
      }
      expect(Object.fromEntries([...ours].sort())).toEqual(Object.fromEntries([...theirs].sort()));
    }
  });

  it("has histograms whose buckets rise to their count", async () => {
    const { page } = await exposed(profile);
    const names = histograms(page);
    // Triton counts microseconds instead, and a GPU observes nothing.
    if (profile === "triton") expect(names).toEqual(["nv_inference_first_response_histogram_ms"]);
    else if (profile === "dcgm") expect(names).toEqual([]);
    else expect(names.length).toBeGreaterThan(3);
    for (const name of names) {
      const series = new Map<string, Page["samples"][number][]>();
      for (const sample of page.samples.filter((candidate) => candidate.name === `${name}_bucket`)) {
        const { le: _, ...rest } = sample.labels;
        const key = JSON.stringify(rest);
        series.set(key, [...(series.get(key) ?? []), sample]);
      }
      expect(series.size, name).toBeGreaterThan(0);
      for (const [labels, buckets] of series) {
        const values = buckets.map(({ value }) => value);
        expect(values, name).toEqual(values.toSorted((a, b) => a - b));
        expect(buckets.at(-1)?.labels["le"]).toBe("+Inf");
        expect(values.at(-1), name).toBe(sumOf(page, `${name}_count`, JSON.parse(labels) as Record<string, string>));
      }
    }
  });
});

describe("what is exposed is conserved", () => {
  it("by vLLM", async () => {
    const { simulation, arrivals, page } = await exposed("vllm");
    const finished = sumOf(page, "vllm:request_success_total");
    const inFlight = [...simulation.running, ...simulation.waiting];
    expect(finished).toBeGreaterThan(500);
    expect(finished + sumOf(page, "vllm:num_requests_running") + sumOf(page, "vllm:num_requests_waiting")).toBe(
      arrivals.count,
    );
    for (const name of [
      "e2e_request_latency",
      "request_queue_time",
      "request_prefill_time",
      "request_decode_time",
      "request_inference_time",
    ]) {
      expect(sumOf(page, `vllm:${name}_seconds_count`), name).toBe(finished);
    }
    expect(sumOf(page, "http_request_duration_highr_seconds_count")).toBe(finished);
    const phase = (name: string) => sumOf(page, `vllm:request_${name}_time_seconds_sum`);
    expect(phase("queue") + phase("prefill") + phase("decode")).toBeCloseTo(
      sumOf(page, "vllm:e2e_request_latency_seconds_sum"),
      6,
    );
    const generating = inFlight.reduce((sum, { generated }) => sum + generated, 0);
    expect(sumOf(page, "vllm:generation_tokens_total")).toBe(
      sumOf(page, "vllm:request_generation_tokens_sum") + generating,
    );
    const started = inFlight.filter(({ firstToken }) => firstToken !== undefined);
    expect(sumOf(page, "vllm:time_to_first_token_seconds_count")).toBe(finished + started.length);
    const prompts = started.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    expect(sumOf(page, "vllm:prompt_tokens_total")).toBe(sumOf(page, "vllm:request_prompt_tokens_sum") + prompts);
    expect(sumOf(page, "vllm:prompt_tokens_by_source_total")).toBe(sumOf(page, "vllm:prompt_tokens_total"));
    expect(sumOf(page, "vllm:kv_cache_usage_perc")).toBe(simulation.usedBlocks / simulation.options.kvBlocks);
    const hits = sumOf(page, "vllm:prefix_cache_hits_total") / sumOf(page, "vllm:prefix_cache_queries_total");
    expect(hits).toBeGreaterThan(0.3);
    expect(hits).toBeLessThan(0.9);
  });

  it("by vLLM's speculation, which holds the less the further it looks", async () => {
    const { page } = await exposed("vllm");
    const at = (position: string) => sumOf(page, "vllm:spec_decode_num_accepted_tokens_per_pos_total", { position });
    expect(at("0") + at("1") + at("2")).toBe(sumOf(page, "vllm:spec_decode_num_accepted_tokens_total"));
    expect(at("0")).toBeGreaterThan(at("1"));
    expect(at("1")).toBeGreaterThan(at("2"));
    expect(sumOf(page, "vllm:spec_decode_num_draft_tokens_total")).toBe(
      3 * sumOf(page, "vllm:spec_decode_num_drafts_total"),
    );
  });

  it("by SGLang", async () => {
    const { arrivals, page } = await exposed("sglang");
    const finished = sumOf(page, "sglang:num_requests_total");
    expect(finished + sumOf(page, "sglang:num_running_reqs") + sumOf(page, "sglang:num_queue_reqs")).toBe(
      arrivals.count,
    );
    expect(sumOf(page, "sglang:e2e_request_latency_seconds_count")).toBe(finished);
    expect(sumOf(page, "sglang:num_used_tokens") / sumOf(page, "sglang:max_total_num_tokens")).toBeCloseTo(
      sumOf(page, "sglang:token_usage"),
      9,
    );
    expect(sumOf(page, "sglang:gen_throughput")).toBeGreaterThan(100);
    expect(sumOf(page, "sglang:cache_hit_rate")).toBeGreaterThan(0.2);
    const effective = (mode: string) => sumOf(page, "sglang:prefill_effective_tokens_total", { mode });
    expect(effective("device_hit") / (effective("device_hit") + effective("input"))).toBeGreaterThan(0.2);
  });

  it("by TensorRT-LLM and by Dynamo's two layers", async () => {
    const native = await exposed("trtllm");
    const finished = sumOf(native.page, "trtllm:request_success_total");
    expect(finished + native.simulation.running.length + native.simulation.waiting.length).toBe(native.arrivals.count);
    const { arrivals, page } = await exposed("dynamo");
    expect(sumOf(page, "dynamo_frontend_requests_total") + sumOf(page, "dynamo_frontend_inflight_requests")).toBe(
      arrivals.count,
    );
    expect(sumOf(page, "dynamo_component_requests_total")).toBe(sumOf(page, "trtllm_request_success_total"));
    expect(sumOf(page, "dynamo_frontend_request_duration_seconds_sum")).toBeCloseTo(
      sumOf(page, "trtllm_e2e_request_latency_seconds_sum"),
      6,
    );
    expect(sumOf(page, "dynamo_frontend_time_to_first_token_seconds_count")).toBe(
      arrivals.count - sumOf(page, "dynamo_frontend_queued_requests"),
    );
    expect(sumOf(page, "dynamo_component_kvstats_gpu_cache_usage_percent")).toBeLessThanOrEqual(1);
    expect(sumOf(page, "dynamo_frontend_tokenizer_latency_ms_count")).toBe(arrivals.count);
    expect(sumOf(page, "dynamo_frontend_stage_duration_seconds_sum", { stage: "transport_roundtrip" })).toBeCloseTo(
      sumOf(page, "dynamo_frontend_time_to_first_token_seconds_sum"),
      6,
    );
  });
});

describe("profiles of what runs beside an engine", () => {
  it("Triton's microseconds add up, and nothing is lost between its queue and its answers", async () => {
    const { simulation, arrivals, page } = await exposed("triton");
    const success = sumOf(page, "nv_inference_request_success");
    expect(success).toBeGreaterThan(200);
    expect(success + sumOf(page, "nv_inference_request_failure") + simulation.running.length).toBe(
      arrivals.count - sumOf(page, "nv_inference_pending_request_count"),
    );
    const time = (name: string) => sumOf(page, `nv_inference_${name}_duration_us`);
    expect(time("queue") + time("compute_input") + time("compute_infer") + time("compute_output")).toBe(
      time("request"),
    );
    const blocks = (type: string) => sumOf(page, "nv_trt_llm_kv_cache_block_metrics", { kv_cache_block_type: type });
    expect(blocks("used") + blocks("free")).toBe(blocks("max"));
    expect(blocks("used") / blocks("max")).toBeCloseTo(blocks("fraction"), 12);
    expect(sumOf(page, "nv_trt_llm_request_metrics", { request_type: "scheduled" })).toBe(simulation.running.length);
    const hits = sumOf(page, "nv_cache_num_hits_per_model");
    expect(hits).toBeGreaterThan(20);
    expect(hits + sumOf(page, "nv_cache_num_misses_per_model")).toBeLessThanOrEqual(arrivals.count);
  });

  it("a GPU is as busy as the engine, and its energy is its power over time", async () => {
    const { simulation } = simulate({ profile: "dcgm" });
    const exporter = PROFILES.dcgm.expose(simulation, 1_765_000_000);
    const first = { gpu: "0" };
    let millijoules = 0;
    let busy = 0;
    let sent = 0;
    let tokens = 0;
    simulation.observe({ stepped: (step) => (tokens += step.prefillTokens + step.generatedTokens) });
    for (let seconds = 1; seconds <= 90; seconds++) {
      simulation.advanceTo(seconds);
      const page = readPage(await exporter.exposition());
      millijoules += sumOf(page, "DCGM_FI_DEV_POWER_USAGE", first) * 1000;
      busy += sumOf(page, "DCGM_FI_DEV_GPU_UTIL", first) / 100;
      sent += sumOf(page, "DCGM_FI_PROF_NVLINK_TX_BYTES", first);
      const energy = sumOf(page, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", first);
      expect(Math.abs(energy - millijoules)).toBeLessThan(seconds);
      expect(sumOf(page, "DCGM_FI_DEV_FB_USED", first) + sumOf(page, "DCGM_FI_DEV_FB_FREE", first)).toBe(81_559);
      expect(sumOf(page, "DCGM_FI_PROF_SM_ACTIVE", first)).toBeLessThanOrEqual(1);
    }
    expect(sent / tokens).toBeCloseTo(524_288, 0);
    expect(busy / simulation.busySeconds).toBeCloseTo(1, 1);
  });
});

describe("families of engine versions of 2026", () => {
  it("of vLLM's KV cache come from the same requests", async () => {
    const { page } = await exposed("vllm");
    const finished = sumOf(page, "vllm:request_success_total");
    for (const name of ["lifetime_seconds", "idle_before_evict_seconds"])
      expect(sumOf(page, `vllm:kv_block_${name}_count`), name).toBe(finished);
    expect(sumOf(page, "vllm:kv_block_reuse_gap_seconds_count")).toBeGreaterThan(finished / 4);
    expect(sumOf(page, "vllm:kv_block_lifetime_seconds_sum")).toBeGreaterThan(
      sumOf(page, "vllm:kv_block_idle_before_evict_seconds_sum"),
    );
    expect(sumOf(page, "vllm:kv_offload_store_size_count")).toBe(finished);
    expect(sumOf(page, "vllm:kv_offload_store_size_sum")).toBe(sumOf(page, "vllm:kv_offload_store_bytes_total"));
    expect(sumOf(page, "vllm:num_requests_kv_fetch_by_stage")).toBe(0);
  });

  it("of SGLang and Dynamo are there with their types, and agree with what the servers did", async () => {
    const of = async (profile: DemoProfile, names: Readonly<Record<string, string>>) => {
      const { page } = await exposed(profile);
      expect(Object.fromEntries(Object.keys(names).map((name) => [name, page.types.get(name)]))).toEqual(names);
      return page;
    };
    const sglang = await of("sglang", {
      "sglang:num_transfer_failed_reqs_total": "counter",
      "sglang:num_bootstrap_failed_reqs_total": "counter",
      "sglang:grammar_compilation_time_seconds": "histogram",
      "sglang:swa_token_usage": "gauge",
      "sglang:mamba_usage": "gauge",
      "sglang:hicache_host_used_tokens": "gauge",
      "sglang:hicache_host_total_tokens": "gauge",
      "sglang:lora_pool_utilization": "gauge",
    });
    const computed = sumOf(sglang, "sglang:prefill_effective_tokens_total", { mode: "input" });
    expect(sumOf(sglang, "sglang:hicache_host_used_tokens")).toBeGreaterThan(0);
    expect(sumOf(sglang, "sglang:hicache_host_used_tokens")).toBeLessThanOrEqual(computed);
    expect(sumOf(sglang, "sglang:lora_pool_utilization")).toBe(
      sumOf(sglang, "sglang:lora_pool_slots_used") / sumOf(sglang, "sglang:lora_pool_slots_total"),
    );
    expect(sumOf(sglang, "sglang:grammar_compilation_time_seconds_count")).toBeGreaterThan(10);
    const dynamo = await of("dynamo", {
      dynamo_router_overhead_total_ms: "histogram",
      dynamo_request_plane_queue_seconds: "histogram",
      dynamo_request_plane_send_seconds: "histogram",
      dynamo_request_plane_roundtrip_ttft_seconds: "histogram",
      dynamo_component_network_transit_seconds: "histogram",
      dynamo_frontend_model_migration_total: "counter",
      trtllm_num_aborted_requests_total: "counter",
      trtllm_kv_transfer_success_total: "counter",
      trtllm_kv_transfer_latency_seconds: "histogram",
      trtllm_kv_transfer_bytes: "histogram",
      trtllm_kv_transfer_speed_gb_s: "histogram",
      kvbm_offload_blocks_d2h: "counter",
      kvbm_onboard_blocks_h2d: "counter",
      kvbm_host_cache_hit_rate: "gauge",
      kvbm_disk_cache_hit_rate: "gauge",
      kvbm_object_cache_hit_rate: "gauge",
      dynamo_planner_num_decode_replicas: "gauge",
    });
    expect(sumOf(dynamo, "kvbm_offload_blocks_d2h")).toBeGreaterThan(sumOf(dynamo, "kvbm_onboard_blocks_h2d"));
    expect(sumOf(dynamo, "kvbm_onboard_blocks_h2d")).toBeGreaterThan(0);
    expect(sumOf(dynamo, "kvbm_host_cache_hit_rate")).toBeLessThan(0.5);
    // The planner has looked once, over the whole time.
    for (const [planned, name] of [
      ["ttft", "time_to_first_token"],
      ["itl", "inter_token_latency"],
    ] as const) {
      const part = (suffix: string) => sumOf(dynamo, `dynamo_frontend_${name}_seconds_${suffix}`);
      expect(sumOf(dynamo, `dynamo_planner_observed_${planned}_ms`)).toBeCloseTo(
        (1000 * part("sum")) / part("count"),
        6,
      );
    }
    expect(sumOf(dynamo, "dynamo_router_overhead_total_ms_count")).toBe(
      sumOf(dynamo, "dynamo_frontend_tokenizer_latency_ms_count"),
    );
  });
});

describeConformance("the vllm profile against vLLM 0.26", (directory) => {
  it("has every family with its type", async () => {
    const { page } = await exposed("vllm", 30);
    const lines = readFileSync(join(directory, "expositions", "vllm-v0.26.0-families.txt"), "utf8").split("\n");
    const families = lines.filter((line) => line.startsWith("vllm:")).map((line) => line.split(" "));
    expect(families.length).toBeGreaterThan(30);
    expect(families.map(([name = ""]) => [name, page.types.get(name)])).toEqual(families);
  });
});
