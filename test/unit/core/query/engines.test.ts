import { describe, expect, it } from "vitest";
import { enginesOf, engineReader } from "../../../../src/core/query/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { RunBuilder, type TestSample } from "../../../support/run-builder.js";

const A = "http://a:1/metrics";
const B = "http://b:1/metrics";
const C = "http://c:1/metrics";

/** Of an engine that runs so many requests and makes so many tokens a second. */
function engine(engine: string, running: number, tokens: number): readonly TestSample[] {
  const labels = { engine };
  return [
    { name: "vllm:num_requests_running", labels, value: running },
    { name: "vllm:kv_cache_usage_perc", labels, value: running / 100 },
    { name: "vllm:generation_tokens", type: "counter", labels, value: tokens },
    {
      name: "vllm:time_to_first_token_seconds",
      labels,
      buckets: { "0.1": tokens / 2, "0.2": tokens, "+Inf": tokens },
      sum: tokens * 0.1,
      count: tokens,
    },
  ];
}

/** Forty seconds: engine 0 of A makes 10 tokens/s, then 20 from second 20 on; engine 1 makes 5, B makes 7. */
function fleet() {
  const run = new RunBuilder();
  for (let s = 0; s <= 40; s++) {
    run.scrape(s, [...engine("0", s, 10 * s + 10 * Math.max(0, s - 20)), ...engine("1", 3, 5 * s)], A);
    run.scrape(s, engine("0", 4, 7 * s), B);
    run.scrape(s, [{ name: "unknown_gauge", value: 1 }], C);
  }
  return run.window(0, 40).run;
}

describe("the engines of a run", () => {
  it("are told apart by endpoint and label, those of one kind of server together first", () => {
    expect(enginesOf(fleet())).toEqual([
      { endpointUrls: [A, B], server: "vLLM" },
      { endpointUrls: [A], engine: "0" },
      { endpointUrls: [A], engine: "1" },
      { endpointUrls: [B] },
      { endpointUrls: [C] },
    ]);
  });

  it("have figures of their own, of the last ten seconds and of all that is measured", () => {
    const run = fleet();
    const rows = enginesOf(run).map((engine) => complete(engineReader(run)(engine, "both")));
    const figures = (row: number, concept: string) =>
      rows[row]?.flatMap((one) => (one.concept === concept ? [[one.now, one.whole]] : []));
    expect(figures(0, "running")).toEqual([[47, 27]]);
    expect(figures(1, "running")).toEqual([[40, 20]]);
    expect(figures(0, "generation-tokens")).toEqual([[32, 27]]);
    expect(figures(1, "generation-tokens")).toEqual([[20, 15]]);
    expect(figures(2, "generation-tokens")).toEqual([[5, 5]]);
    expect(figures(3, "generation-tokens")).toEqual([[7, 7]]);
    // Half of the observations lie below 0.1 s.
    for (const [now, whole] of figures(1, "ttft")?.slice(0, 1) ?? []) {
      expect(now).toBeCloseTo(0.1, 2);
      expect(whole).toBeCloseTo(0.1, 2);
    }
    expect(figures(1, "ttft")).toHaveLength(2);
    expect(rows[4]).toEqual([]);
    const now = complete(engineReader(run)({ endpointUrls: [B] }, "now"));
    expect(now.find(({ concept }) => concept === "generation-tokens")).toMatchObject({ now: 7, whole: NaN });
  });
});
