import { describe, expect, it } from "vitest";
import {
  conceptNamed,
  isFound,
  nearFamilies,
  searchDistance,
  searchWords,
  SERVERS,
  titledName,
} from "../../../../src/core/catalog/index.js";

/** Every family that the catalogue knows, as lists show it. */
const texts = new Map(
  SERVERS.flatMap(({ families }) => Object.keys(families)).map((name) => [
    name,
    `${name}\n${titledName(name).title}`.toLowerCase(),
  ]),
);
const found = (search: string) => {
  const words = searchWords(search);
  return [...texts].filter(([, text]) => isFound(text, words)).map(([name]) => name);
};

describe("search by what practitioners call it", () => {
  it.each([
    [
      "ttft",
      [
        "vllm:time_to_first_token_seconds",
        "sglang:time_to_first_token_seconds",
        "trtllm:time_to_first_token_seconds",
        "dynamo_frontend_time_to_first_token_seconds",
        "llm_d_epp_request_ttft_seconds",
      ],
    ],
    ["itl", ["vllm:inter_token_latency_seconds", "sglang:inter_token_latency_seconds"]],
    ["tpot", ["vllm:request_time_per_output_token_seconds", "sglang:time_per_output_token_seconds"]],
    ["qps", ["vllm:request_success"]],
    ["throughput", ["vllm:generation_tokens", "vllm:prompt_tokens", "vllm:request_success"]],
    ["queue", ["vllm:request_queue_time_seconds", "vllm:num_requests_waiting"]],
    ["kv", ["vllm:kv_cache_usage_perc", "sglang:token_usage"]],
    ["oom", ["vllm:kv_cache_usage_perc", "vllm:num_preemptions"]],
    ["TTFT vllm", ["vllm:time_to_first_token_seconds"]],
  ])("%s", (search, wanted) => {
    expect(found(search)).toEqual(expect.arrayContaining(wanted));
  });

  it("finds nothing of other engines where one is named", () => {
    expect(found("ttft sglang").every((name) => name.includes("sglang"))).toBe(true);
  });

  it("puts what is meant before what only contains the letters", () => {
    const distance = (text: string) => searchDistance(text, searchWords("kv"));
    expect(distance("vllm:kv_cache_usage_perc\nkv cache usage")).toBeLessThan(distance("lmcache:kv_store\nstore"));
    expect(distance("nothing")).toBe(Infinity);
  });

  it("names what comes near to a family that is not there", () => {
    const names = ["vllm:num_requests_running", "vllm:time_to_first_token_seconds", "vllm:generation_tokens"];
    expect(nearFamilies("ttft", names)).toEqual(["vllm:time_to_first_token_seconds"]);
    expect(nearFamilies("vllm:requests_running", names)).toEqual(["vllm:num_requests_running"]);
    expect(nearFamilies("vllm:nothing", names)).toEqual([]);
  });

  it("names the same concept in objectives and questions of agents", () => {
    expect(["ttft", "itl", "tpot", "e2e", "queue", "qps"].map((name) => conceptNamed(name)?.id)).toEqual([
      "ttft",
      "inter-token-latency",
      "inter-token-latency",
      "e2e-latency",
      "queue-time",
      "finished",
    ]);
  });
});
