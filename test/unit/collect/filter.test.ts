import { expect, it } from "vitest";
import { familyFilter } from "../../../src/collect/filter.js";

it("keeps all without patterns", () => {
  expect(familyFilter([], [])("anything:at_all")).toBe(true);
});

it("includes by glob, and excludes what is included", () => {
  const keep = familyFilter(["vllm:*", "process_cpu_*"], ["vllm:spec_*", "*_info"]);
  expect(
    [
      "vllm:num_requests_running",
      "process_cpu_seconds",
      "vllm:spec_decode_num_drafts",
      "vllm:cache_config_info",
      "python_gc",
    ].filter(keep),
  ).toEqual(["vllm:num_requests_running", "process_cpu_seconds"]);
});

it("takes a counter spelt with its _total", () => {
  const keep = familyFilter(["vllm:request_success_total"], []);
  expect(keep("vllm:request_success")).toBe(true);
  expect(keep("vllm:request")).toBe(false);
  expect(familyFilter([], ["*_tokens_total"])("vllm:prompt_tokens")).toBe(false);
});
