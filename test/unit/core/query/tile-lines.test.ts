import { describe, expect, it } from "vitest";
import { keyTiles, tileSteps } from "../../../../src/core/query/index.js";
import { combineLines } from "../../../../src/core/query/tile.js";
import { complete } from "../../../../src/core/stats/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

const B = "http://b:1/metrics";
const running = (value: number) => [{ name: "vllm:num_requests_running", value }];
const waiting = (value: number) => [{ name: "vllm:num_requests_waiting", value }];

describe("the course of a tile", () => {
  it("has no value where several series have none, and keeps the last one of a series for one stretch", () => {
    const lines = [Float64Array.of(NaN, NaN, 1, 4, 7, 7), Float64Array.of(NaN, 2, NaN, 5, NaN, NaN)];
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    const most = (values: readonly number[]) => Math.max(...values);
    expect([...combineLines(lines, sum)]).toEqual([NaN, 2, 3, 9, 12, 7]);
    expect([...combineLines(lines, most)]).toEqual([NaN, 2, 2, 5, 7, 7]);
  });

  it.each([1, 2, 3, 7, 20, 59, 60, 61, 200])(
    "does not fall in the first seconds, when one endpoint has %d scrapes and the other one fewer",
    (scrapes) => {
      const builder = new RunBuilder();
      for (let i = 0; i < scrapes; i++) {
        // A scrape is never taken at exactly its time.
        const late = ((i * 7) % 5) * 0.004;
        builder.scrape(i / 3 + late, running(5));
        if (i > 0) builder.scrape(i / 3 - 0.05 + late, running(5), B);
      }
      const course = [...keyTiles(builder.run)[0]!.sparkline];
      expect(course).toHaveLength(Math.min(60, Math.max(1, scrapes - 1)));
      // Only before the second endpoint's first scrape does the first one stand alone.
      expect(course.slice(1)).toEqual(course.slice(1).map(() => 10));
      expect([5, 10]).toContain(course[0]);
    },
  );

  it("goes through where scrapes are only unevenly spaced, and breaks where one failed or nothing was scraped", () => {
    const course = (seconds: readonly number[], failed: readonly number[] = []) => {
      const builder = new RunBuilder();
      for (const [i, second] of seconds.entries())
        builder.scrape(
          second,
          failed.includes(i)
            ? "failed"
            : [
                ...running(5),
                { name: "vllm:generation_tokens", type: "counter", value: 100 * second },
                { name: "vllm:prefix_cache_hits", type: "counter", value: 60 * second },
                { name: "vllm:prefix_cache_queries", type: "counter", value: 100 * second },
              ],
        );
      return new Map(keyTiles(builder.run).map(({ family, sparkline }) => [family, [...sparkline]]));
    };
    // A capture's first scrape, then the grid, whose start took a while.
    const begun = [0, 1.1, 1.43, 1.77, 2.1, 2.43, 3.2, 3.43, 3.77];
    const even = course(begun);
    expect(even.get("vllm:num_requests_running")).toEqual(begun.map(() => 5));
    expect(even.get("vllm:generation_tokens")?.slice(1).map(Math.round)).toEqual(begun.slice(1).map(() => 100));
    expect(
      even
        .get("vllm:prefix_cache_hits")
        ?.slice(1)
        .map((share) => share.toFixed(3)),
    ).toEqual(begun.slice(1).map(() => "0.600"));
    expect(course([0, 1, 2, 3, 4, 5], [3]).get("vllm:num_requests_running")).toEqual([5, 5, 5, NaN, 5, 5]);
    expect(course([0, 1, 2, 13, 14, 15]).get("vllm:num_requests_running")?.slice(2, 4)).toEqual([NaN, NaN]);
  });

  it("ends where its server did, of a histogram too, and goes through between uneven scrapes", () => {
    const builder = new RunBuilder();
    const slow = (n: number) => ({
      name: "vllm:time_to_first_token_seconds",
      buckets: { "1": 0, "2": 10 * n, "+Inf": 10 * n },
      sum: 15 * n,
      count: 10 * n,
    });
    for (let i = 0; i < 40; i++) {
      builder.scrape(i, running(5));
      // Late in turns, so that now and then no scrape lies in a stretch.
      if (i < 20) builder.scrape(i + (i % 3) * 0.4, [...running(1), slow(i)], B);
    }
    const tiles = keyTiles(builder.run);
    const ttft = [...tiles.find(({ family }) => family === "vllm:time_to_first_token_seconds")!.sparkline];
    expect(ttft).toHaveLength(tiles[0]!.sparkline.length);
    const half = ttft.length / 2;
    expect(ttft.slice(1, half).every((value) => value > 1)).toBe(true);
    expect(ttft.slice(half + 1)).toEqual(Array<number>(half - 1).fill(NaN));
  });

  it("is not cut anew by an endpoint that comes late", () => {
    const builder = new RunBuilder();
    for (let i = 0; i < 40; i++) {
      builder.scrape(i, running(5));
      if (i > 37) builder.scrape(i, running(1), B);
    }
    expect([...keyTiles(builder.run)[0]!.sparkline]).toEqual([...Array<number>(38).fill(5), 6, 6]);
  });
});

describe("a tile of a run that goes on", () => {
  const live = (values: readonly number[], samples: (value: number) => { name: string; value: number }[]) => {
    const builder = new RunBuilder();
    values.forEach((value, i) => builder.scrape(i, samples(value)));
    return complete(tileSteps(builder.run, { isLive: true }))[0]!;
  };

  it("says what a gauge was last, and what a rate was in the last seconds", () => {
    const builder = new RunBuilder();
    for (let i = 0; i <= 100; i++)
      builder.scrape(i, [
        ...running(i),
        { name: "vllm:generation_tokens", type: "counter", value: i <= 80 ? 10 * i : 800 + 50 * (i - 80) },
      ]);
    const [gauge, rate] = complete(tileSteps(builder.run, { isLive: true }));
    expect([gauge!.value, gauge!.current]).toEqual([50, 100]);
    expect([rate!.value, rate!.current]).toEqual([18, 50]);
    expect(keyTiles(builder.run).map(({ current }) => current)).toEqual([undefined, undefined]);
  });

  it("has nothing to say of a histogram that observed nothing in the last seconds", () => {
    const builder = new RunBuilder();
    for (let i = 0; i <= 60; i++) {
      const n = Math.min(i, 20);
      builder.scrape(i, [
        { name: "vllm:time_to_first_token_seconds", buckets: { "0.1": n, "+Inf": n }, sum: n / 20, count: n },
      ]);
    }
    const [tile] = complete(tileSteps(builder.run, { isLive: true }));
    expect(tile!.value).toBeGreaterThan(0);
    expect(tile!.current).toBeNaN();
  });

  it("warns as long as the cause lasts", () => {
    const rise = Array.from({ length: 30 }, (_, i) => i);
    expect(live(rise, waiting).watch).toBe("warning");
    expect(live([...rise, 0], waiting).watch).toBe("none");
    // Still above where it began, but drained for the most part.
    expect(live([...rise, 20, 12, 8], waiting).watch).toBe("none");
    const usage = (value: number) => [{ name: "vllm:kv_cache_usage_perc", value }];
    expect(live([...Array<number>(20).fill(0.95), 0.97], usage).watch).toBe("warning");
    expect(live([...Array<number>(20).fill(0.97), 0.3], usage).watch).toBe("none");
  });
});
