import { describe, expect, it } from "vitest";
import { compareRuns, firstFamilies, type RunSet } from "../../../../src/core/compare/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder } from "../../../support/run-builder.js";

describe("the families of a first table", () => {
  it("are the key metrics by any of their names, the load, and what the server says of itself", () => {
    const names = [
      "go_goroutines",
      "vllm:cache_config_info",
      "vllm:gpu_cache_usage_perc",
      "vllm:iteration_tokens_total",
      "vllm:request_success_total",
      "vllm:prefix_cache_queries_total",
      "vllm:time_to_first_token_seconds",
    ];
    expect(firstFamilies(names)).toEqual([
      "vllm:cache_config_info",
      "vllm:gpu_cache_usage_perc",
      "vllm:request_success_total",
      "vllm:prefix_cache_queries_total",
      "vllm:time_to_first_token_seconds",
    ]);
  });

  it("are all of them where the catalogue knows none", () => {
    expect(firstFamilies(["app:level", "app:steps"])).toEqual(["app:level", "app:steps"]);
  });

  it("make a comparison that says it is partial, whose values stay", () => {
    const run = (seed: number, families: readonly string[]): RunSet => {
      const builder = new RunBuilder();
      const random = seeded(seed);
      const values = new Map(
        ["vllm:num_requests_running", "app:level"].map((family) => [
          family,
          Array.from({ length: 301 }, () => 50 + normal(random)),
        ]),
      );
      for (let second = 0; second <= 300; second++)
        builder.scrape(
          second,
          families.map((name) => ({ name, value: values.get(name)?.[second] ?? NaN })),
        );
      Object.assign(builder.run.metadata, { benchmarkId: `run ${seed}` });
      return { label: String(seed), runs: [{ kind: "samples", label: String(seed), run: builder.window(5, 300).run }] };
    };
    const all = ["vllm:num_requests_running", "app:level"];
    const first = firstFamilies(all);
    const partial = complete(compareRuns(run(1, first), [run(2, first)], { partial: true }));
    const whole = complete(compareRuns(run(1, all), [run(2, all)]));
    expect([partial.partial, whole.partial]).toEqual([true, undefined]);
    expect(partial.rows.map(({ family }) => family)).toEqual(["vllm:num_requests_running"]);
    const known = whole.rows.find(({ id }) => id === partial.rows[0]?.id)?.cells[0];
    expect(known).toMatchObject({ difference: partial.rows[0]?.cells[0]?.difference, p: partial.rows[0]?.cells[0]?.p });
  });
});
