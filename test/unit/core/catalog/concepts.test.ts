import { describe, expect, it } from "vitest";
import {
  conceptOf,
  CONCEPTS,
  definitionDifference,
  familyEntry,
  incompatibility,
  membersOf,
  type ConceptId,
  type ServerId,
} from "../../../../src/core/catalog/index.js";
import { familiesInSource, unlistedFamilies } from "../../../support/catalog-diff.js";

const member = (id: ConceptId, server: ServerId, at = 0) => membersOf(id, server)[at]!;

describe("concepts", () => {
  it("stand on families and derived metrics of the catalogue, each in one place", () => {
    const families = CONCEPTS.flatMap(({ members }) => members.flatMap(({ family }) => family ?? []));
    expect(new Set(families).size).toBe(families.length);
    for (const family of families) expect(familyEntry(family), family).toBeDefined();
  });

  it("are found by any name of a family, and of a server", () => {
    expect(conceptOf("vllm_gpu_cache_usage_perc")?.concept.id).toBe("kv-usage");
    expect(conceptOf("ray_vllm_num_requests_running")?.concept.id).toBe("running");
    expect(conceptOf("sglang_num_queue_reqs")?.concept.id).toBe("waiting");
    expect(conceptOf("vllm:prefix_cache_hits")).toBeUndefined();
    expect(membersOf("ttft", "trtllm")[0]?.family).toBe("trtllm:time_to_first_token_seconds");
    expect(membersOf("preempted", "tgi")).toEqual([]);
  });

  it("tell how definitions differ, and what cannot be compared", () => {
    expect(definitionDifference(member("ttft", "vllm"), member("ttft", "sglang"))).toBeUndefined();
    expect(definitionDifference(member("ttft", "vllm"), member("ttft", "dynamo-frontend"))).toContain(
      "network and routing",
    );
    expect(incompatibility(member("ttft", "vllm"), member("ttft", "dynamo-frontend"))).toBeUndefined();
    const [itl, tpot] = [member("inter-token-latency", "vllm"), member("inter-token-latency", "trtllm")];
    expect(incompatibility(itl, tpot)).toContain("one mean for each finished request");
    expect(incompatibility(member("ttft", "vllm"), member("ttft", "triton"))).toContain("milliseconds");
    expect(incompatibility(member("prefix-hit-rate", "vllm"), member("prefix-hit-rate", "sglang"))).toBeUndefined();
    expect(incompatibility(member("prefix-hit-rate", "vllm"), member("prefix-hit-rate", "sglang", 2))).toContain(
      "last batch",
    );
  });
});

describe("unlistedFamilies", () => {
  it("finds what the catalogue lacks in the sources of servers", () => {
    const source = `
      Gauge(name="vllm:num_requests_running"), Counter(name="vllm:brand_new_total")
      const char * x = "nv_new_metric"; pub const A: &str = "dynamo_component_new_thing";
      DCGM_FI_DEV_GPU_UTIL, gauge, GPU utilization (in %).
      DCGM_FI_DEV_NEW, gauge, New.
      pool = "inference_pool"
      prometheus.GaugeOpts{ Subsystem: pool, Name: "ready_pods" }, { Subsystem: "inference_pool", Name: "new_gauge" }
      prefix = "vllm:"`;
    expect(unlistedFamilies(familiesInSource(source))).toEqual([
      { name: "DCGM_FI_DEV_NEW", server: "DCGM" },
      { name: "dynamo_component_new_thing", server: "Dynamo component" },
      { name: "inference_pool_new_gauge", server: "llm-d endpoint picker" },
      { name: "nv_new_metric", server: "Triton" },
      { name: "vllm:brand_new_total", server: "vLLM" },
    ]);
  });

  it("finds families of Go whose subsystem another file names", () => {
    const source = `
      const Subsystem = metricsutil.PickerSubsystem
      prometheus.GaugeOpts{ Subsystem: Subsystem, Name: "new_gauge" }
      prometheus.CounterOpts{ Subsystem: metricsutil.PickerSubsystem, Name: "new_total" }`;
    const beside = `const (
        PickerSubsystem = "llm_d_epp"
      )`;
    expect(familiesInSource(source, [beside])).toEqual(["llm_d_epp_new_gauge", "llm_d_epp_new_total"]);
    expect(familiesInSource(source)).toEqual([]);
  });

  it("takes aliases and parts of histograms for what they are", () => {
    const names = ["vllm_gpu_cache_usage_perc", "vllm:time_to_first_token_seconds_bucket", "tgi_request_duration_sum"];
    expect(unlistedFamilies(names)).toEqual([]);
    expect(unlistedFamilies(["app_jobs", "app_jobs_count"])).toEqual([{ name: "app_jobs" }]);
  });
});
