import { describe, expect, it } from "vitest";
import { compareRuns, type Comparison } from "../../../../src/core/compare/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { built, cellOf, compared, distinct, noisy, set, statisticsOf } from "../../../support/comparing.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";

describe("verdicts", () => {
  it("follow the catalogue's direction, the user's before it, and are neutral otherwise", () => {
    const run = (factor: number, seed: number) =>
      built(
        (second, random) =>
          ["vllm:num_requests_waiting", "vllm:kv_cache_usage_perc", "sglang:gen_throughput", "app:level"].flatMap(
            (name) => noisy(name, 0.5 * factor)(second, random),
          ),
        { seed },
      );
    const verdicts = (comparison: Comparison) =>
      Object.fromEntries(comparison.rows.map(({ family, cells }) => [family, cells[0]!.verdict]));
    const [a, b] = [run(1, 1), run(1.2, 2)];
    expect(verdicts(compared(a, b))).toEqual({
      "vllm:num_requests_waiting": "worse",
      "vllm:kv_cache_usage_perc": "differs",
      "sglang:gen_throughput": "better",
      "app:level": "differs",
    });
    expect(verdicts(compared(b, a))).toMatchObject({
      "vllm:num_requests_waiting": "better",
      "sglang:gen_throughput": "worse",
    });
    expect(verdicts(compared(a, b, { directions: { "app:level": "down" } }))).toMatchObject({ "app:level": "worse" });
    // Beyond the threshold that someone finds relevant it is nothing.
    expect(verdicts(compared(a, b, { threshold: 0.4 }))).toMatchObject({ "app:level": "same" });
  });

  it("give the difference with an interval that holds the truth", () => {
    const cell = cellOf(
      compared(built(noisy("app:level", 100), { seed: 1 }), built(noisy("app:level", 110), { seed: 2 })),
      "app:level",
    )!;
    expect(cell.share).toBeCloseTo(0.1, 2);
    expect(cell.low).toBeLessThan(10);
    expect(cell.high).toBeGreaterThan(10);
    expect(cell.high - cell.low).toBeLessThan(3);
    expect(cell.difference).toBeCloseTo(cell.candidate.value - 100, 0);
    expect(cell).toMatchObject({ basis: "paired-slices", verdict: "differs" });
    expect(cell.shareLow).toBeCloseTo(cell.low / 100, 3);
  });

  it("say the same of what lies within the threshold, and of constants", () => {
    const comparison = compared(
      built(
        (s, r) => [
          ...noisy("app:level", 100)(s, r),
          { name: "app:constant", value: 7 },
          { name: "app:zero", value: 0 },
        ],
        { seed: 1 },
      ),
      built(
        (s, r) => [
          ...noisy("app:level", 100.2)(s, r),
          { name: "app:constant", value: 7 },
          { name: "app:zero", value: 0 },
        ],
        { seed: 2 },
      ),
    );
    for (const family of ["app:level", "app:constant", "app:zero"])
      expect(cellOf(comparison, family)?.verdict, family).toBe("same");
  });

  it("are open for a drift and for three events, and found in a dozen slices", () => {
    const drift = (seed: number) => {
      const random = seeded(seed);
      let level = 100;
      return built((second) => [
        { name: "app:drift", value: (level += normal(random)) },
        { name: "app:events", type: "counter", value: second > 200 ? seed : 0 },
      ]);
    };
    const comparison = compared(drift(1), drift(9));
    for (const family of ["app:drift", "app:events"])
      expect(cellOf(comparison, family)?.verdict, family).toBe("no-evidence");
    // A short run has a wide interval, not none.
    const [a, b] = [1, 2].map((level) => built(noisy("app:level", level), { seconds: 17, seed: level }));
    const short = compared(a!, b!);
    expect(cellOf(short, "app:level")).toMatchObject({ verdict: "differs" });
    expect(short.warnings.find(({ kind }) => kind === "slices")?.message).toMatch(
      /^A0, B0: only \d+ slices; small differences cannot be detected/,
    );
    const shorter = [1, 2].map((level) => built(noisy("app:level", level), { seconds: 7, seed: level }));
    expect(cellOf(compared(shorter[0]!, shorter[1]!), "app:level")).toMatchObject({
      verdict: "cannot-tell",
      reason: "there are too few slices or observations to measure how much they vary",
    });
  });

  it("find what has grown many times over, however slowly it moves", () => {
    // A queue that builds up: correlated slices that are worth few independent ones.
    const queue = (factor: number, seed: number) => {
      const random = seeded(seed);
      let noise = 0;
      return built((second) => {
        noise = 0.98 * noise + normal(random);
        return [{ name: "vllm:num_requests_waiting", value: factor * (6 + second / 50) + noise }];
      });
    };
    expect(cellOf(compared(queue(1, 3), queue(25, 4)), "vllm:num_requests_waiting")).toMatchObject({
      verdict: "worse",
    });
  });

  it("do not hang on what else is compared", () => {
    const [a, b] = [1, 2].map((seed) => built(noisy("app:level", 100 + seed), { seed }));
    const short = distinct(built(noisy("app:level", 100), { seed: 3, seconds: 90 }));
    const alone = complete(compareRuns(set("A", a!), [set("B", distinct(b!))]));
    const beside = complete(compareRuns(set("A", a!), [set("C", short), set("B", b!)]));
    const { candidate: _, ...cell } = alone.rows[0]!.cells[0]!;
    expect(beside.rows[0]!.cells[1]).toMatchObject(cell);
  });

  it("are about the very numbers that the statistics of each run show", () => {
    const run = built((second, random) => {
      const n = 10 * second;
      const part = (share: number) => Math.round(n * share + Math.min(second, 2 * random()));
      return [
        ...noisy("app:level", 5)(second, random),
        { name: "app:done", type: "counter", value: 7 * second },
        {
          name: "app:duration_seconds",
          buckets: { "0.1": part(0.2), "0.5": part(0.7), "1": n, "+Inf": n },
          sum: 0.4 * n,
          count: n,
        },
      ];
    });
    const other = distinct(built(noisy("app:level", 5), { seconds: 200 }));
    const { rows } = complete(
      compareRuns(set("A", run), [set("B", distinct(built(noisy("app:level", 5)))), set("C", other), set("D", run)]),
    );
    for (const { name, series } of statisticsOf(run).families) {
      const stats = series[0]!.stats as Record<string, number>;
      const own = rows.filter(({ family }) => family === name);
      expect(own.length, name).toBe(name === "app:duration_seconds" ? 4 : 1);
      for (const { quantity, baseline } of own)
        expect(baseline.value, `${name} ${quantity}`).toBe(stats[quantity] ?? stats[`${quantity}_estimate`]);
    }
  });
});
