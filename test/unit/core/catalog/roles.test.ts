import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { isDisaggregated, rolesOf, type RoleSeries } from "../../../../src/core/catalog/index.js";
import { parseDocument } from "../../../../src/core/exposition/index.js";
import type { Labels } from "../../../../src/core/model/index.js";
import { describeReal } from "../../../support/real-runs.js";

const series = (name: string, labels: Labels = [], total?: number): RoleSeries => ({
  name,
  labels,
  ...(total === undefined ? {} : { total }),
});
const roles = (...endpoints: readonly (readonly RoleSeries[])[]) => {
  const found = rolesOf(new Map(endpoints.map((own, i) => [String(i), own])));
  return endpoints.map((_, i) => found.get(String(i)));
};

describe("the role of an endpoint", () => {
  it("is what the engine's labels say", () => {
    const sglang = (type: string) => [series("sglang:num_running_reqs", [["engine_type", type]])];
    expect(roles(sglang("prefill"), sglang("decode"), sglang("unified"))).toEqual(["prefill", "decode", "both"]);
    const vllm = (role: string) => [series("vllm:num_requests_running", [["kv_role", role]])];
    expect(roles(vllm("kv_producer"), vllm("kv_consumer"), vllm("kv_both"))).toEqual(["prefill", "decode", "both"]);
  });

  it("follows from the names of families, and machines have none", () => {
    expect(
      roles(
        [series("dynamo_frontend_requests")],
        [series("llm_d_epp_request")],
        [series("sglang:encoder_requests")],
        [series("lmcache:num_hit_tokens")],
        [series("vllm:num_requests_running"), series("lmcache:num_hit_tokens")],
        [series("DCGM_FI_DEV_GPU_UTIL")],
      ),
    ).toEqual(["frontend", "router", "encoder", "cache", "both", undefined]);
  });

  it("is prefill where requests end with their first token; the others of its deployment then decode", () => {
    const vllm = (tokens: number, model = "m") => [
      series("vllm:generation_tokens", [["model_name", model]], tokens),
      series("vllm:request_success", [["model_name", model]], 100),
    ];
    expect(roles(vllm(100), vllm(9000), vllm(9000, "another"))).toEqual(["prefill", "decode", "both"]);
    expect(roles(vllm(9000), vllm(8000))).toEqual(["both", "both"]);
  });
});

describeReal("roles of a recorded Dynamo", (directory) => {
  const page = (file: string) => {
    const text = gunzipSync(readFileSync(join(directory, "expositions", file)));
    return parseDocument(text, "text").flatMap(({ name, samples }) =>
      samples.map(({ labels }) => series(name, Object.entries(labels))),
    );
  };
  const pages = (kind: string) => [8200, 8301, 8302].map((port) => page(`dynamo-1.6.1-${kind}-${port}.txt.gz`));

  it("are frontend, prefill and decode where it is disaggregated, and else both", () => {
    expect(roles(...pages("disagg"))).toEqual(["frontend", "prefill", "decode"]);
    expect(roles(...pages("agg"))).toEqual(["frontend", "both", "both"]);
    expect(isDisaggregated(roles(...pages("disagg")))).toBe(true);
    expect(isDisaggregated(roles(...pages("agg")))).toBe(false);
  });
});
