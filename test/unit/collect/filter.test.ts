import { expect, it } from "vitest";
import { familyFilter } from "../../../src/collect/filter.js";

it("a family filter keeps all without patterns", () => {
  expect(familyFilter([], [])("anything:at_all")).toBe(true);
});

it("a family filter includes by glob, and excludes what is included", () => {
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

it("a family filter takes a counter spelt with its _total", () => {
  const keep = familyFilter(["vllm:request_success_total"], []);
  expect(keep("vllm:request_success")).toBe(true);
  expect(keep("vllm:request")).toBe(false);
  expect(familyFilter([], ["*_tokens_total"])("vllm:prompt_tokens")).toBe(false);
});

it.each([
  ["a?c", ["abc", "ac"], [true, false]],
  ["vllm:{num_*,kv_?}", ["vllm:num_x", "vllm:kv_y", "vllm:kv_yy", "num_x"], [true, true, false, false]],
  ["x[0-9]", ["x7", "xa"], [true, false]],
  ["x[!0-9]", ["x7", "xa"], [false, true]],
  ["a.b+(c)|d", ["a.b+(c)|d", "aXb+(c)|d"], [true, false]],
  ["{a,b", ["{a,b", "a"], [true, false]],
  ["a}[", ["a}["], [true]],
  ["*", ["", "a\nb"], [true, true]],
])("%s as a glob", (glob, names, expected) => {
  expect(names.map(familyFilter([glob], []))).toEqual(expected);
});

// With a backtracking matcher this takes longer than anybody waits.
it("a family filter matches in linear time, whatever the pattern and the name", () => {
  expect(familyFilter([`${"*a".repeat(30)}b`], [])("a".repeat(5000))).toBe(false);
});
