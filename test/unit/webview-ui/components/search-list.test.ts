import { describe, expect, it } from "vitest";
import { matching } from "../../../../webview-ui/components/search-list.js";

const items = [
  { id: "1", text: "VLLM | KV Cache Usage", also: "vllm:kv_cache_usage_perc", group: "KV cache" },
  { id: "2", text: "Http Requests", also: "counter" },
];

describe("search in a list", () => {
  it("wants every word, anywhere, whatever its case", () => {
    expect(matching(items, "cache vllm:kv").map((item) => item.id)).toEqual(["1"]);
    expect(matching(items, "COUNTER").map((item) => item.id)).toEqual(["2"]);
    expect(matching(items, "cache counter")).toEqual([]);
    expect(matching(items, " ")).toHaveLength(2);
  });
});
