import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  aliasesOf,
  familiesOf,
  titledName,
  canonicalName,
  factsOf,
  groupOf,
  hintsFor,
  isStaticFamily,
  keyMetricOf,
  knownType,
  modelOf,
  recogniseServers,
  SERVERS,
  shownUnit,
  vectorLabelOf,
  watchLevel,
} from "../../../../src/core/catalog/index.js";
import { makeLabels } from "../../../../src/core/model/index.js";
import { describeConformance } from "../../../support/conformance.js";

const keyMetricById = (id: string) => SERVERS.flatMap(({ keyMetrics }) => keyMetrics).find((one) => one.id === id);

describe("the definitions", () => {
  it("have unique ids and families of their own prefix", () => {
    const ids = SERVERS.flatMap((server) => server.keyMetrics.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const server of SERVERS) {
      const [prefix = "?"] = server.prefixes;
      for (const metric of server.keyMetrics) {
        expect(metric.family.startsWith(prefix), metric.id).toBe(true);
        expect(metric.id.startsWith(`${server.id}.`), metric.id).toBe(true);
        expect(canonicalName(metric.family), metric.id).toBe(metric.family);
      }
      for (const name of Object.keys(server.families)) expect(canonicalName(name)).toBe(name);
    }
  });

  it("title every family once, and tell what a metric is derived from", () => {
    for (const server of SERVERS) {
      for (const [name, { title }] of Object.entries(server.families)) {
        expect(title, name).toMatch(/^[A-Z]/);
        expect(titledName(name)).toEqual({ title, name });
      }
      for (const { id, derivation } of server.derived)
        for (const family of familiesOf(derivation))
          expect(server.families, `${id} ${family}`).toHaveProperty([family]);
      expect(new Set(server.keyMetrics.map(({ title }) => title)).size, server.id).toBe(server.keyMetrics.length);
    }
    expect(titledName("vllm_gpu_cache_usage_perc").title).toBe("KV cache usage");
    expect(titledName("app_queue_depth").title).toBe("App Queue Depth");
  });

  it("give each type a statistic that it has", () => {
    for (const { id, type, statistic, derived } of SERVERS.flatMap((server) => server.keyMetrics)) {
      const allowed =
        derived !== undefined
          ? ["avg"]
          : type === "histogram"
            ? ["p99_estimate", "avg"]
            : type === "counter"
              ? ["total", "rate"]
              : ["avg", "max"];
      expect(allowed, id).toContain(statistic);
    }
  });
});

describe("recogniseServers", () => {
  it.each([
    [["vllm:num_requests_running", "python_info"], ["vLLM"]],
    [["vllm_num_requests_running"], ["vLLM"]],
    [
      ["trtllm_request_success", "dynamo_component_requests", "dynamo_frontend_requests"],
      ["TensorRT-LLM", "Dynamo frontend", "Dynamo component"],
    ],
    [["nv_gpu_utilization"], ["Triton"]],
    [["DCGM_FI_DEV_GPU_UTIL"], ["DCGM"]],
    [["node_cpu_seconds", "vllmish"], ["node_exporter"]],
    [["ray_vllm_num_requests_running"], ["vLLM"]],
    [
      ["kvbm_offload_blocks_d2h", "dynamo_router_overhead_total_ms"],
      ["Dynamo KVBM", "Dynamo router"],
    ],
    [["inference_pool_ready_pods"], ["llm-d endpoint picker"]],
    [
      ["tgi_queue_size", "llamacpp:requests_deferred"],
      ["TGI", "llama.cpp"],
    ],
    [
      ["lmcache:retrieve_hit_rate", "amd_gpu_clock"],
      ["LMCache", "AMD GPU"],
    ],
    [["unknown_family"], []],
  ])("%j → %j", (families, servers) => {
    expect(recogniseServers(families).map(({ name }) => name)).toEqual(servers);
  });
});

describe("names of families", () => {
  it.each([
    ["vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc"],
    ["vllm_gpu_prefix_cache_hits_total", "vllm:prefix_cache_hits"],
    ["vllm:gpu_prefix_cache_queries", "vllm:prefix_cache_queries"],
    ["vllm:time_per_output_token_seconds", "vllm:inter_token_latency_seconds"],
    ["vllm:request_time_per_output_token_seconds", "vllm:request_time_per_output_token_seconds"],
    ["trtllm_time_per_output_token_seconds", "trtllm:time_per_output_token_seconds"],
    ["vllm:iteration_tokens_total", "vllm:iteration_tokens_total"],
    ["sglang_num_running_reqs", "sglang:num_running_reqs"],
    ["vllm:something_new_total", "vllm:something_new"],
    ["process_cpu_seconds_total", "process_cpu_seconds"],
    ["nodejs_active_handles_total", "nodejs_active_handles_total"],
  ])("%s is %s", (name, canonical) => {
    expect(canonicalName(name)).toBe(canonical);
  });

  it("lists every other name, and each of them lists it back", () => {
    expect(aliasesOf("vllm:prefix_cache_hits")).toEqual([
      "vllm_prefix_cache_hits",
      "ray_vllm_prefix_cache_hits",
      "vllm:gpu_prefix_cache_hits",
      "vllm_gpu_prefix_cache_hits",
      "ray_vllm_gpu_prefix_cache_hits",
      "vllm:prefix_cache_hits_total",
      "vllm_prefix_cache_hits_total",
      "ray_vllm_prefix_cache_hits_total",
      "vllm:gpu_prefix_cache_hits_total",
      "vllm_gpu_prefix_cache_hits_total",
      "ray_vllm_gpu_prefix_cache_hits_total",
    ]);
    for (const name of ["vllm:prefix_cache_hits", "trtllm_request_success", "vllm:kv_cache_usage_perc"]) {
      for (const alias of aliasesOf(name)) expect(aliasesOf(alias), alias).toContain(name);
    }
    expect(aliasesOf("vllm:request_time_per_output_token_seconds")).toContain("vllm:time_per_output_token_seconds");
    expect(aliasesOf("vllm:inter_token_latency_seconds")).toContain("vllm:time_per_output_token_seconds");
  });

  it("knows types by any name", () => {
    expect(knownType("vllm:num_preemptions_total")).toBe("counter");
    expect(knownType("vllm_gpu_cache_usage_perc")).toBe("gauge");
    expect(knownType("trtllm_request_success")).toBe("counter");
    expect(knownType("process_cpu_seconds")).toBe("counter");
    expect(knownType("app_jobs")).toBeUndefined();
  });

  it("finds the key metric of an older name", () => {
    expect(keyMetricOf("vllm:gpu_cache_usage_perc")?.id).toBe("vllm.kv-usage");
    expect(keyMetricOf("vllm:prefix_cache_queries")?.id).toBe("vllm.prefix-hit-rate");
    expect(keyMetricOf("vllm:request_params_n")).toBeUndefined();
  });

  it("gives views the unit that a family does not tell itself", () => {
    expect(shownUnit({ name: "sglang:token_usage", description: "The token usage." })).toBe("ratio");
    expect(shownUnit({ name: "vllm:kv_cache_usage_perc", description: "KV-cache usage." })).toBe("ratio");
    expect(shownUnit({ name: "vllm:prefix_cache_hits", description: "Prefix cache hits." })).toBe("tokens");
    expect(shownUnit({ name: "app_memory", description: "Memory (in MiB)." })).toBe("mebibytes");
    expect(shownUnit({ name: "app_start_time_seconds", description: "Start time in seconds." })).toBe("timestamp");
    expect(shownUnit({ name: "llamacpp:prompt_tokens_seconds", description: "" })).toBe("tokens/s");
    expect(shownUnit({ name: "app_jobs", description: "" })).toBeUndefined();
    expect(shownUnit({ name: "app_seconds", description: "" })).toBe("seconds");
  });

  it("takes a share that vLLM's descendants name as it does for one from 0 to 1, and a machine's for a percentage", () => {
    expect(shownUnit({ name: "fork:gpu_cache_usage_perc", description: "Cache usage." })).toBe("ratio");
    expect(shownUnit({ name: "fork:cpu_cache_usage_perc", description: "", declaredUnit: "percent" })).toBe("ratio");
    expect(shownUnit({ name: "app_busy_perc", description: "Busy (0-100)." })).toBe("percent");
    expect(shownUnit({ name: "host_cpu_usage_perc", description: "" })).toBe("percent");
    expect(shownUnit({ name: "app_busy_percent", description: "" })).toBe("percent");
  });

  it("knows vectors", () => {
    expect(vectorLabelOf("vllm:spec_decode_num_accepted_tokens_per_pos")).toBe("position");
    expect(vectorLabelOf("vllm:num_requests_running")).toBeUndefined();
  });
});

describe("groupOf", () => {
  it.each([
    ["vllm:time_to_first_token_seconds", "Latency"],
    ["vllm:request_queue_time_seconds", "Latency"],
    ["vllm:generation_tokens", "Throughput"],
    ["vllm:request_success", "Throughput"],
    ["vllm:num_requests_waiting", "Queue and batch"],
    ["sglang:num_queue_reqs", "Queue and batch"],
    ["vllm:kv_cache_usage_perc", "KV cache"],
    ["sglang:token_usage", "KV cache"],
    ["vllm:prefix_cache_hits", "KV cache"],
    ["vllm:num_preemptions", "KV cache"],
    ["vllm:spec_decode_num_accepted_tokens_per_pos", "Speculative decoding"],
    ["http_requests", "HTTP server"],
    ["process_cpu_seconds", "Process and system"],
    ["python_info", "Process and system"],
    ["memory_used_bytes", "Process and system"],
    ["dynamo_frontend_model_context_length", "Model configuration"],
    ["dynamo_component_kvstats_active_blocks", "KV cache"],
    ["dynamo_component_inflight_requests", "Queue and batch"],
    ["dynamo_component_requests", "Throughput"],
    ["dynamo_component_response_bytes", "Throughput"],
    ["vllm:cache_config_info", "Model configuration"],
    ["DCGM_FI_DEV_GPU_UTIL", "GPU"],
    ["nv_gpu_power_usage", "GPU"],
    ["app_something", "Other"],
  ])("%s is in %s", (name, group) => {
    expect(groupOf(name)).toBe(group);
  });
});

describe("hintsFor", () => {
  it("tells that only the process answers", () => {
    expect(hintsFor(["python_info", "process_cpu_seconds"])).toMatchObject([{ severity: "warning" }]);
    expect(hintsFor(["python_info", "vllm:num_requests_running"])).toEqual([]);
    expect(hintsFor(["node_cpu_seconds"])).toEqual([]);
    expect(hintsFor([])).toEqual([]);
  });

  it("tells how to get the engine's metrics under Dynamo", () => {
    expect(hintsFor(["dynamo_component_requests"])[0]?.remedy).toContain("--publish-metrics");
    expect(hintsFor(["dynamo_component_requests", "trtllm_request_success"])).toEqual([]);
  });
});

describe("static facts", () => {
  const info = makeLabels([
    ["num_gpu_blocks", "4096"],
    ["block_size", "16"],
    ["sliding_window", "None"],
    ["engine", "0"],
  ]);

  it("are read from labels and from values", () => {
    expect(factsOf("vllm:cache_config_info", info, 1)).toEqual([
      { name: "KV cache blocks", value: "4096" },
      { name: "KV cache block size", value: "16" },
    ]);
    expect(factsOf("dynamo_frontend_model_context_length", [], 40960)).toEqual([
      { name: "Context length", value: "40,960" },
    ]);
    expect(factsOf("vllm:num_requests_running", [], 3)).toEqual([]);
  });

  it("mark their families static", () => {
    expect(isStaticFamily("dynamo_frontend_model_workers")).toBe(true);
    expect(isStaticFamily("python_info")).toBe(true);
    expect(isStaticFamily("vllm:num_requests_running")).toBe(false);
  });

  it("name the model", () => {
    expect(modelOf("vllm:num_requests_running", makeLabels([["model_name", "m"]]))).toBe("m");
    expect(modelOf("node_cpu_seconds", makeLabels([["model_name", "m"]]))).toBeUndefined();
  });
});

describe("watchLevel", () => {
  const waiting = keyMetricById("vllm.waiting")?.watch;
  const usage = keyMetricById("vllm.kv-usage")?.watch;

  it("needs more than the threshold, or growth", () => {
    expect(watchLevel(usage, 0.9, true).level).toBe("none");
    expect(watchLevel(usage, 0.91, false).level).toBe("warning");
    expect(watchLevel(usage, NaN, false).level).toBe("none");
    expect(watchLevel(waiting, 12, false).level).toBe("none");
    expect(watchLevel(waiting, 12, true).level).toBe("warning");
    expect(watchLevel(waiting, 0, true).level).toBe("none");
    expect(watchLevel(undefined, 5, true).level).toBe("none");
  });
});

describeConformance("the catalogue against real families", (directory) => {
  it("knows every family of vLLM 0.26 with its type", () => {
    const lines = readFileSync(join(directory, "expositions", "vllm-v0.26.0-families.txt"), "utf8").split("\n");
    const families = lines.filter((line) => line.startsWith("vllm:")).map((line) => line.split(" "));
    expect(families.length).toBeGreaterThan(30);
    expect(families.map(([name = ""]) => [name, knownType(name)])).toEqual(families);
    expect(families.filter(([name = ""]) => groupOf(name) === "Other")).toEqual([]);
  });

  it("types the families of the reference's artifacts as they are", () => {
    let known = 0;
    for (const run of readdirSync(join(directory, "runs"))) {
      const file = join(directory, "runs", run, "expected", "server_metrics_export.json.gz");
      const { metrics } = JSON.parse(gunzipSync(readFileSync(file)).toString()) as {
        metrics: Record<string, { type: string }>;
      };
      for (const [name, { type }] of Object.entries(metrics)) {
        const ours = knownType(name);
        if (ours === undefined) continue;
        known++;
        expect(ours, name).toBe(type);
      }
    }
    expect(known).toBeGreaterThan(40);
  });
});
