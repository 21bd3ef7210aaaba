import { describe, expect, it } from "vitest";
import type { Comparison } from "../../../../src/core/compare/index.js";
import { built, cellOf, compared, SECONDS } from "../../../support/comparing.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder, type TestSample } from "../../../support/run-builder.js";

describe("counters and histograms", () => {
  const counting = (rate: number, seed: number, restartAt = Infinity) => {
    let total = 1000;
    return built(
      (second, random) => {
        if (second === restartAt) total = 0;
        total += rate + normal(random);
        return [{ name: "app:done", type: "counter", value: total }];
      },
      { seed },
    );
  };

  it("takes the rounding of sums in another order for no difference", () => {
    const steps = Array.from({ length: SECONDS + 1 }, (_, i) => ((i * 37) % 101) / 7);
    const total = (order: readonly number[]) => {
      let sum = 0;
      return built((second) => [{ name: "app:done", type: "counter", value: (sum += order[second]!) }], { warmup: 0 });
    };
    const cell = cellOf(compared(total(steps), total([steps[0]!, ...steps.slice(1).reverse()])), "app:done")!;
    expect([cell.difference, cell.share]).toEqual([0, 0]);
  });

  it("compares rates, across restarts by the rises", () => {
    const cell = cellOf(compared(counting(50, 1), counting(60, 2, 150)), "app:done")!;
    expect(cell.candidate.value).toBeCloseTo(60, 0);
    expect(cell).toMatchObject({
      verdict: "cannot-tell",
      reason: "it restarted inside the window of B0, which mixes two states: before the restart, and cold after it",
    });
    const restarted = compared(counting(50, 1), counting(60, 2, 150));
    expect(restarted.candidates[0]!.runs[0]!.restarted).toBe(1);
    expect(restarted.warnings.find(({ kind }) => kind === "restart")).toMatchObject({
      severity: "caution",
      candidate: 0,
      message: expect.stringMatching(/^B0: a:1 restarted inside the window \(1 series fell\)/) as string,
    });
  });

  it("cannot tell of what a server measured that restarted, nor of a counter that falls by itself", () => {
    /** Two servers with counters and a gauge each. */
    const servers = (seed: number, falls: (server: string, counter: number, second: number) => boolean) => {
      const random = seeded(seed);
      const builder = new RunBuilder(5);
      const totals = new Map<string, number>();
      for (let second = 0; second <= SECONDS; second++) {
        for (const server of ["a", "b"]) {
          const counters = [0, 1, 2].map((i): TestSample => {
            const key = `${server}${i}`;
            totals.set(key, (falls(server, i, second) ? 0 : (totals.get(key) ?? 0)) + 50 * seed + normal(random));
            return { name: `app:done${i}`, type: "counter", value: totals.get(key)! };
          });
          builder.scrape(
            second,
            [...counters, { name: "app:level", value: 100 * seed + normal(random) }],
            `http://${server}:1/metrics`,
          );
        }
      }
      return builder.window(5, SECONDS).run;
    };
    const judged = (comparison: Comparison) =>
      comparison.rows
        .filter(({ cells }) => cells[0]!.verdict !== "differs")
        .map((row) => `${new URL(row.endpointUrl!).hostname} ${row.family} ${row.cells[0]!.verdict}`)
        .sort();
    const plain = servers(1, () => false);
    expect(
      judged(
        compared(
          plain,
          servers(2, () => false),
        ),
      ),
    ).toEqual([]);
    const restarted = compared(
      plain,
      servers(2, (server, _, second) => server === "b" && second === 150),
    );
    expect(judged(restarted)).toEqual(
      ["app:done0", "app:done1", "app:done2", "app:level"].map((family) => `b ${family} cannot-tell`),
    );
    const odd = compared(
      plain,
      servers(2, (server, counter, second) => server === "b" && counter === 1 && second === 150),
    );
    expect(judged(odd)).toEqual(["b app:done1 cannot-tell"]);
    expect(odd.warnings.find(({ kind }) => kind === "restart")?.message).toBe(
      "B0: 1 series fell inside the window as if they had restarted, so they cannot be compared.",
    );
  });

  /** Ten observations a second around `median`, in the given bounds. */
  const timing = (median: number, seed: number, bounds = [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 5], restartAt = Infinity) => {
    const counts = new Map<string, number>([...bounds.map(String), "+Inf"].map((bound) => [bound, 0]));
    let sum = 0;
    let n = 0;
    return built(
      (second, random) => {
        if (second === restartAt) {
          for (const bound of counts.keys()) counts.set(bound, 0);
          sum = n = 0;
        }
        for (let i = 0; i < 10; i++) {
          const value = median * Math.exp(0.4 * normal(random));
          for (const [bound, count] of counts)
            if (value <= (bound === "+Inf" ? Infinity : Number(bound))) counts.set(bound, count + 1);
          sum += value;
          n++;
        }
        return [{ name: "app:duration_seconds", buckets: Object.fromEntries(counts), sum, count: n }];
      },
      { seed },
    );
  };

  it("compares averages and percentiles, whose intervals hold the truth", () => {
    const comparison = compared(timing(0.5, 1), timing(0.6, 2));
    for (const [quantity, z] of [
      ["p50", 0],
      ["p90", 1.2816],
    ] as const) {
      const cell = cellOf(comparison, "app:duration_seconds", quantity)!;
      const truth = 0.1 * Math.exp(0.4 * z);
      expect(cell.verdict, quantity).toBe("worse");
      expect(cell.low, quantity).toBeLessThan(truth);
      expect(cell.high, quantity).toBeGreaterThan(truth);
    }
    expect(cellOf(comparison, "app:duration_seconds", "avg")!.share).toBeCloseTo(0.2, 1);
    const [shares] = comparison.shares;
    expect(shares!.baseline.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 10);
    expect(shares!.rowId).toBe(comparison.rows.find(({ quantity }) => quantity === "avg")!.id);
  });

  it("judges percentiles in a first bucket of zeros", () => {
    const zeros = (seed: number) =>
      built(
        (second) => [
          {
            name: "app:preemptions",
            buckets: { "0": 10 * second, "1": 10 * second + Math.floor(second / 3), "+Inf": 11 * second },
            sum: second,
            count: 11 * second,
          },
        ],
        { seed },
      );
    for (const quantity of ["p50", "p90"]) {
      const cell = cellOf(compared(zeros(1), zeros(2)), "app:preemptions", quantity)!;
      expect(cell.verdict, quantity).not.toBe("cannot-tell");
      expect(cell.low, quantity).toBeLessThanOrEqual(cell.high);
    }
  });

  it("counts what was observed before and after a restart", () => {
    const plain = cellOf(compared(timing(0.5, 1), timing(0.5, 2)), "app:duration_seconds", "avg")!;
    const restarted = cellOf(compared(timing(0.5, 1), timing(0.5, 2, undefined, 150)), "app:duration_seconds", "avg")!;
    expect(restarted.candidate.value).toBeCloseTo(plain.candidate.value, 2);
    expect(restarted.verdict).not.toBe("worse");
  });

  it("refuses percentiles on other bounds, not averages, and shares what is common", () => {
    const comparison = compared(timing(0.5, 1), timing(0.7, 2, [0.1, 0.4, 0.8, 1.6, 5]));
    expect(cellOf(comparison, "app:duration_seconds", "p90")).toMatchObject({ verdict: "cannot-tell" });
    expect(cellOf(comparison, "app:duration_seconds", "p90")?.reason).toMatch(/bounds differ/);
    expect(cellOf(comparison, "app:duration_seconds", "avg")?.verdict).toBe("worse");
    expect(Array.from(comparison.shares[0]!.uppers)).toEqual([0.1, 0.4, 0.8, 5, Infinity]);
    expect(comparison.warnings.map(({ kind }) => kind)).toContain("bounds");
  });

  it("tells a percentile beyond the last bucket from a number", () => {
    const beyond = compared(timing(0.5, 1, [0.1, 0.4, 0.8, 3]), timing(8, 2, [0.1, 0.4, 0.8, 3]));
    expect(cellOf(beyond, "app:duration_seconds", "p50")).toMatchObject({
      verdict: "worse",
      candidate: { value: 3, atLeast: true },
    });
    const both = compared(timing(9, 1, [0.1, 0.4]), timing(8, 2, [0.1, 0.4]));
    expect(cellOf(both, "app:duration_seconds", "p50")).toMatchObject({
      verdict: "cannot-tell",
      reason: expect.stringMatching(/beyond the last bucket on both/) as string,
    });
  });

  it("takes a lower limit below the other side's value for no difference", () => {
    /** The observations of each second, in buckets to 1, to 4 and beyond. */
    const observing = (...values: readonly number[]) =>
      built((second) => {
        const seen = (upper: number) => (second + 1) * values.filter((value) => value <= upper).length;
        return [
          {
            name: "app:duration_seconds",
            buckets: { "1": seen(1), "4": seen(4), "+Inf": seen(Infinity) },
            sum: (second + 1) * values.reduce((sum, value) => sum + value, 0),
            count: seen(Infinity),
          },
        ];
      });
    // Half of them lie beyond the last bucket: the median is above 1, which is all that is certain.
    for (const [a, b] of [
      [observing(3, 3), observing(3, 9)],
      [observing(3, 9), observing(3, 3)],
    ] as const) {
      const row = compared(a, b).rows.find(({ quantity }) => quantity === "p50")!;
      const cell = row.cells[0]!;
      expect([row.baseline, cell.candidate].filter((side) => side.atLeast === true)).toMatchObject([{ value: 1 }]);
      expect(cell).toMatchObject({
        verdict: "cannot-tell",
        reason: "only a lower limit of one side is known, and the other side lies above it",
      });
    }
  });
});

describe("the catalogue's ratios", () => {
  it("are compared as ratios of sums", () => {
    const run = (hits: number, seed: number) => {
      let [h, q] = [0, 0];
      return built(
        (_, random) => {
          const queries = 100 * random();
          [h, q] = [h + hits * queries, q + queries];
          return [
            { name: "vllm:prefix_cache_hits", type: "counter", value: h },
            { name: "vllm:prefix_cache_queries", type: "counter", value: q },
          ];
        },
        { seed },
      );
    };
    const row = compared(run(0.6, 1), run(0.4, 2)).rows.find(({ quantity }) => quantity === "ratio")!;
    expect(row.baseline.value).toBeCloseTo(0.6, 6);
    expect(row.cells[0]).toMatchObject({ verdict: "worse" });
    expect(row.isKey).toBe(true);
    // What is drawn is the ratio, too, not the rate of hits.
    for (const share of row.baseline.trend) expect(share).toBeCloseTo(0.6, 6);
    for (const share of row.cells[0]?.candidate.trend ?? []) expect(share).toBeCloseTo(0.4, 6);
    expect(row.baseline.trend.length).toBeGreaterThan(10);
  });
});
