import { describe, expect, it } from "vitest";
import { summarizeFamilies } from "../../../../src/core/query/families.js";

const conceptsOf = (...names: readonly string[]) =>
  Object.fromEntries(
    summarizeFamilies(
      names.map((name) => ({ name, type: "histogram", description: "" })),
      names,
    ).map(({ name, concept }) => [name, concept]),
  );

describe("the concept of a family", () => {
  const gaps = "vllm:inter_token_latency_seconds";
  const means = "vllm:request_time_per_output_token_seconds";

  it("is that of the family which tells it best of those that a server has", () => {
    expect(conceptsOf(gaps, means)).toEqual({ [gaps]: "inter-token-latency", [means]: undefined });
    expect(conceptsOf(means)).toEqual({ [means]: "inter-token-latency" });
  });

  it("is told of each server, by any name of the family, and of no other family", () => {
    const before = "vllm:time_per_output_token_seconds";
    expect(conceptsOf(before, "sglang:time_per_output_token_seconds", "vllm:cache_config_info")).toEqual({
      [before]: "inter-token-latency",
      "sglang:time_per_output_token_seconds": "inter-token-latency",
      "vllm:cache_config_info": undefined,
    });
  });
});
