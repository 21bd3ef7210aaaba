import { describe, expect, it } from "vitest";
import { joiningOf } from "../../../../src/core/catalog/index.js";
import { keyTiles, tileSteps, type Tile } from "../../../../src/core/query/index.js";
import { complete, mergeSequences, type IntervalSequence } from "../../../../src/core/stats/index.js";
import { seededRandom } from "../../../support/random.js";
import { RunBuilder, type TestSample } from "../../../support/run-builder.js";

const TOKENS = "vllm:generation_tokens";
const TTFT = "vllm:time_to_first_token_seconds";
const HITS = "vllm:prefix_cache_hits";
const QUERIES = "vllm:prefix_cache_queries";

const counter = (name: string, value: number): TestSample => ({ name, type: "counter", value });
const ttft = (fast: number, all: number): TestSample => ({
  name: TTFT,
  buckets: { "0.1": fast, "1": all, "+Inf": all },
  sum: all * 0.2,
  count: all,
});
const tile = (tiles: readonly Tile[], family: string) => tiles.find((candidate) => candidate.family === family);

describe("keyTiles", () => {
  it("counts on across a restart, and says so on every tile that does", () => {
    const builder = new RunBuilder().window(0, 4);
    [100, 200, 10, 20, 30].forEach((n, i) =>
      builder.scrape(i, [counter(TOKENS, n), ttft(n, n), counter(HITS, n / 2), counter(QUERIES, n)]),
    );
    const tiles = keyTiles(builder.run);
    // 100 before the restart and 30 since.
    expect(tile(tiles, TOKENS)!.value).toBe(130 / 4);
    expect(tiles.find((candidate) => candidate.statistic === "ratio")!.value).toBe(0.5);
    expect(tiles.map(({ note }) => note)).toEqual(tiles.map(() => "restarted: increase across restarts"));
    expect(tiles).toHaveLength(3);
  });

  it("says nothing of a restart where there was none", () => {
    const builder = new RunBuilder().window(0, 2);
    [1, 2, 3].forEach((n, i) => builder.scrape(i, [counter(TOKENS, n), ttft(n, n)]));
    expect(keyTiles(builder.run).map(({ note }) => note)).toEqual([undefined, undefined]);
  });

  it("adds up the endpoints of a fleet, each over its own window", () => {
    const builder = new RunBuilder().window(0, 10);
    for (let i = 0; i <= 10; i++) {
      builder.scrape(i, [counter(TOKENS, 5 * i), ttft(i, 2 * i)]);
      builder.scrape(i + 0.4, [counter(TOKENS, 7 * i), ttft(2 * i, 2 * i)], "http://b:1/metrics");
    }
    const tiles = keyTiles(builder.run);
    expect(tile(tiles, TOKENS)!.value).toBeCloseTo(12, 12);
    const { value } = tile(tiles, TTFT)!;
    expect(value).toBeGreaterThan(0.1);
    expect(value).toBeLessThanOrEqual(1);
  });

  it("takes gauges of several series together by their unit: amounts add up, of shares and latencies the worst counts", () => {
    const builder = new RunBuilder().window(0, 2);
    const gauges = (running: number, share: number, clock: number) => [
      { name: "vllm:num_requests_running", value: running },
      { name: "vllm:kv_cache_usage_perc", description: "1 means 100 percent usage.", value: share },
      { name: "DCGM_FI_DEV_GPU_TEMP", description: "GPU temperature (in C).", value: 60 + running },
      { name: "DCGM_FI_DEV_SM_CLOCK", description: "SM clock frequency (in MHz).", value: clock },
    ];
    for (let t = 0; t < 3; t++)
      builder.scrape(t, gauges(3, 0.9, 1000)).scrape(t, gauges(5, 0.2, 2000), "http://b:1/metrics");
    const values = Object.fromEntries(keyTiles(builder.run).map(({ family, value }) => [family, value]));
    expect(values).toMatchObject({
      "vllm:num_requests_running": 8,
      "vllm:kv_cache_usage_perc": 0.9,
      DCGM_FI_DEV_GPU_TEMP: 65,
    });
    const combined = Object.fromEntries(keyTiles(builder.run).map((tile) => [tile.family, tile.combined]));
    expect(combined).toMatchObject({
      "vllm:num_requests_running": "sum of 2",
      "vllm:kv_cache_usage_perc": "largest of 2",
      DCGM_FI_DEV_GPU_TEMP: "largest of 2",
    });
    expect(joiningOf("gauge", "seconds")).toEqual({ shown: "max", compared: "mean" });
    expect(joiningOf("gauge", "megahertz")).toEqual({ shown: "mean", compared: "mean" });
    expect(joiningOf("counter", "seconds")).toEqual({ shown: "sum", compared: "sum" });
    expect(joiningOf("gauge", undefined)).toEqual({ shown: "sum", compared: "sum" });
  });

  it("gives, step by step, the moment at which it began, whatever is captured meanwhile", () => {
    const fill = (builder: RunBuilder, from: number, to: number) => {
      for (let i = from; i < to; i++)
        builder.scrape(i, [counter(TOKENS, i * i), ttft(i, 3 * i), counter(HITS, i), counter(QUERIES, i * 3)]);
    };
    const builder = new RunBuilder();
    fill(builder, 0, 30);
    const expected = keyTiles(builder.run);
    const steps = tileSteps(builder.run);
    let yields = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        expect(step.value).toEqual(expected);
        break;
      }
      fill(builder, 30 + yields, 31 + yields);
      yields++;
    }
    expect(yields).toBeGreaterThan(3);
    expect(keyTiles(builder.run)).not.toEqual(expected);
    expect(complete(tileSteps(builder.run))).toEqual(keyTiles(builder.run));
  });
});

describe("mergeSequences", () => {
  const sequence = (uppers: number[], times: number[], random: () => number): IntervalSequence => ({
    uppers: Float64Array.from(uppers),
    times: Float64Array.from(times),
    counts: uppers.map(() => Float64Array.from(times, () => Math.floor(random() * 9))),
    sums: Float64Array.from(times, () => random()),
  });

  it("keeps every interval in time order, equal times in the series' order, and every observation under a shared bound", () => {
    const random = seededRandom(7);
    const times = (n: number) => Array.from({ length: n }, () => Math.floor(random() * 40)).sort((a, b) => a - b);
    const sequences = [
      sequence([1, 2, 5, Infinity], times(30), random),
      sequence([1, 3, 5, Infinity], times(17), random),
      sequence([0.5, 1, 5, Infinity], [], random),
      sequence([1, 5, Infinity], times(41), random),
      sequence([1, 4, 5, 9, Infinity], times(1), random),
    ];
    const merged = mergeSequences(sequences)!;
    expect([...merged.uppers]).toEqual([1, 5, Infinity]);
    const slow = sequences
      .flatMap((one) =>
        Array.from(one.times, (time, i) => ({
          time,
          sum: one.sums[i]!,
          row: [1, 5, Infinity].map((upper, u, all) =>
            one.counts.reduce(
              (n, bucket, b) =>
                n + (one.uppers[b]! > (all[u - 1] ?? -Infinity) && one.uppers[b]! <= upper ? bucket[i]! : 0),
              0,
            ),
          ),
        })),
      )
      .sort((a, b) => a.time - b.time);
    expect([...merged.times]).toEqual(slow.map(({ time }) => time));
    expect([...merged.sums]).toEqual(slow.map(({ sum }) => sum));
    expect(merged.counts.map((bucket) => [...bucket])).toEqual([0, 1, 2].map((u) => slow.map(({ row }) => row[u])));
  });
});
