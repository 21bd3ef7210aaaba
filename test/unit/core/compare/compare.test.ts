import { describe, expect, it } from "vitest";
import {
  compareRuns,
  gateOf,
  type ComparedRun,
  type Comparison,
  type ComparisonOptions,
  type RunSet,
} from "../../../../src/core/compare/index.js";
import type { RunStatistics } from "../../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder, type TestSample } from "../../../support/run-builder.js";

const SECONDS = 300;

/** A run of 300 s, scraped every second: `samples` gives what an endpoint shows at each. */
function built(
  samples: (second: number, random: () => number) => readonly TestSample[],
  { seed = 1, urls = ["http://a:1/metrics"], seconds = SECONDS, warmup = 5, sliceSeconds = 5 } = {},
): Run {
  const builder = new RunBuilder(sliceSeconds);
  const random = seeded(seed);
  for (let second = 0; second <= seconds; second++)
    for (const url of urls) builder.scrape(second, samples(second, random), url);
  return builder.window(warmup, seconds).run;
}

const samplesOf = (run: Run, label = "run"): ComparedRun => ({ kind: "samples", label, run });
const set = (label: string, ...runs: readonly Run[]): RunSet => ({
  label,
  runs: runs.map((run, i) => samplesOf(run, `${label}${i}`)),
});
const statisticsOf = (run: Run): RunStatistics => complete(runStatistics(run, { unitOf: () => undefined }));

function compared(a: Run, b: Run, options: ComparisonOptions = {}): Comparison {
  return complete(compareRuns(set("A", a), [set("B", distinct(b))], options));
}

/** Builders give all runs one id; two files of the same id and window are the same run. */
function distinct(run: Run): Run {
  Object.assign(run.metadata, { benchmarkId: crypto.randomUUID() });
  return run;
}

const noisy =
  (name: string, mean: number, labels: Record<string, string> = {}) =>
  (_: number, random: () => number): TestSample[] => [{ name, labels, value: mean + 0.02 * mean * normal(random) }];
const cellOf = (comparison: Comparison, family: string, quantity?: string) =>
  comparison.rows.find((row) => row.family === family && (quantity === undefined || row.quantity === quantity))
    ?.cells[0];

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
      /^A0: only \d+ slices; small differences cannot be detected/,
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

describe("matching", () => {
  const levels =
    (...labels: readonly Record<string, string>[]) =>
    (s: number, r: () => number) =>
      labels.flatMap((one) => noisy("app:level", 10, one)(s, r));

  it("pairs what merely identifies, by value, by port, then in order", () => {
    const a = built(levels({ engine: "0", model_name: "llama" }), {
      urls: ["http://one:8000/metrics", "http://one:8081/metrics"],
    });
    const b = built(levels({ engine: "0", model_name: "qwen" }), {
      urls: ["http://two:8081/metrics", "http://two:8000/metrics"],
      seed: 2,
    });
    const comparison = compared(a, b);
    expect(comparison.rows).toHaveLength(2);
    expect(comparison.unmatched).toEqual([]);
    expect(comparison.rules.find(({ label }) => label === "endpoint_url")).toMatchObject({
      applied: "pair",
      values: [
        ["http://one:8000/metrics", "http://one:8081/metrics"],
        ["http://two:8000/metrics", "http://two:8081/metrics"],
      ],
    });
    expect(comparison.rules.find(({ label }) => label === "model_name")).toMatchObject({
      applied: "pair",
      values: [["llama"], ["qwen"]],
    });
    for (const row of comparison.rows)
      expect(new URL(row.cells[0]!.candidate.series[0]!.endpointUrl).port).toBe(new URL(row.endpointUrl!).port);
  });

  it("aggregates where numbers differ: gauges and rates add up", () => {
    const comparison = compared(
      built(levels({ engine: "0" })),
      built(levels({ engine: "0" }, { engine: "1" }), { seed: 2 }),
    );
    expect(comparison.rows).toHaveLength(1);
    expect(comparison.rows[0]!.baseline.value).toBeCloseTo(10, 0);
    expect(comparison.rows[0]!.cells[0]!.candidate.value).toBeCloseTo(20, 0);
    expect(comparison.rows[0]!.cells[0]!.candidate.series).toHaveLength(2);
    expect(comparison.rows[0]!.labels).toEqual([]);
    expect(comparison.rules.find(({ label }) => label === "engine")).toMatchObject({
      mode: "auto",
      applied: "aggregate",
      values: [["0"], ["0", "1"]],
    });
  });

  it("settles rules for each candidate by itself, whatever else is compared", () => {
    const engines = (n: number, seed: number) =>
      built(levels(...Array.from({ length: n }, (_, i) => ({ engine: `${i}` }))), { seed });
    const [a, two, three] = [engines(2, 1), engines(2, 2), engines(3, 3)];
    const alone = complete(compareRuns(set("A", a), [set("B", two)]));
    const beside = complete(compareRuns(set("A", a), [set("C", three), set("B", two)]));
    expect(alone.rows).toHaveLength(2);
    for (const { baseline, cells } of alone.rows) {
      const row = beside.rows.find((one) => JSON.stringify(one.baseline.series) === JSON.stringify(baseline.series))!;
      expect(row.cells[1]).toEqual(cells[0]);
      expect(row.cells[0]).toMatchObject({ verdict: "cannot-tell", elsewhere: true });
    }
    const together = beside.rows.find(({ baseline }) => baseline.series.length === 2)!;
    expect(together.cells[0]!.candidate.series).toHaveLength(3);
    expect(together.cells[1]).toMatchObject({ elsewhere: true });
    expect(new Set(beside.rows.map(({ id }) => id)).size).toBe(3);
    expect(beside.rules.find(({ label }) => label === "engine")).toMatchObject({
      appliedTo: ["aggregate", "pair"],
      values: [
        ["0", "1"],
        ["0", "1", "2"],
        ["0", "1"],
      ],
    });
    expect(gateOf(beside, beside.rows, "pass").metrics.filter(({ candidate }) => candidate === "B")).toHaveLength(2);
  });

  it("follows rules that are set, and lists what stays unmatched on both sides", () => {
    const a = built((s, r) => [...levels({ engine: "0", kind: "x" })(s, r), ...noisy("app:old", 1)(s, r)]);
    const b = built(
      (s, r) => [
        ...levels({ engine: "1", kind: "x" }, { engine: "1", kind: "y" })(s, r),
        { name: "app:old", type: "counter", value: 1 },
      ],
      { seed: 2 },
    );
    const matched = compared(a, b, { labelRules: [{ label: "kind", mode: "aggregate" }] });
    expect(matched.rows.map(({ family, labels }) => [family, labels])).toEqual([["app:level", [["engine", "0"]]]]);
    const strict = complete(
      compareRuns(set("A", a), [set("B", b)], { labelRules: [{ label: "engine", mode: "match" }] }),
    );
    expect(strict.rows).toEqual([]);
    expect(strict.unmatched.map(({ side, family, reason }) => `${side} ${family}: ${reason}`).sort()).toEqual([
      "baseline app:level: the candidate has no series with these labels",
      "baseline app:old: it is a counter in the candidate",
      "candidate app:level: the baseline has no series with these labels",
      "candidate app:level: the baseline has no series with these labels",
      "candidate app:old: it is a gauge in the baseline",
    ]);
  });

  it("knows a family by its older name", () => {
    const comparison = compared(
      built(noisy("vllm:gpu_cache_usage_perc", 0.5)),
      built(noisy("vllm:kv_cache_usage_perc", 0.5), { seed: 2 }),
    );
    expect(comparison.rows[0]).toMatchObject({
      family: "vllm:kv_cache_usage_perc",
      names: ["vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc"],
    });
  });
});

describe("what is compared", () => {
  const level = (mean: number, seed: number, options: { seconds?: number; warmup?: number } = {}) =>
    distinct(built(noisy("app:level", mean), { seed, ...options }));

  it("takes sets of repeats by their spread, and says so", () => {
    const sets = complete(
      compareRuns(set("A", level(100, 1), level(104, 2), level(96, 3)), [set("B", level(130, 4), level(126, 5))]),
    );
    expect(cellOf(sets, "app:level")).toMatchObject({ basis: "between-runs", effective: 5, verdict: "differs" });
    expect(sets.rows[0]!.baseline.value).toBeCloseTo(100, 0);
    expect(sets.method.notes[0]).toMatch(/spread between runs/);
    // Slices would be sure of this; repeats know better.
    const noise = complete(
      compareRuns(set("A", level(100, 1), level(110, 2)), [set("B", level(106, 4), level(112, 5))]),
    );
    expect(cellOf(noise, "app:level")?.verdict).toBe("no-evidence");
    expect(compared(level(1, 1), level(1, 2)).method.notes[0]).toMatch(/Run-to-run variation is unknown/);
  });

  it("compares one baseline with several candidates, a column each", () => {
    const comparison = complete(
      compareRuns(set("A", level(100, 1)), [set("B", level(100, 2)), set("C", level(150, 3))]),
    );
    expect(comparison.rows[0]!.cells.map(({ verdict }) => verdict)).toEqual(["same", "differs"]);
    expect(comparison.candidates.map(({ label }) => label)).toEqual(["B", "C"]);
  });

  it("takes runs of other lengths slice by slice of their own, with a warning", () => {
    const comparison = compared(level(100, 1), level(120, 2, { seconds: 200 }));
    expect(cellOf(comparison, "app:level")).toMatchObject({ basis: "slices", verdict: "differs" });
    expect(comparison.warnings.map(({ kind }) => kind)).toContain("length");
  });

  it("judges a run that is being captured once it is half as long, and one that is over when it is a fifth as long", () => {
    const against = (seconds: number, live: boolean, swapped = false) => {
      const [long, short] = [
        set("A", level(100, 1)),
        {
          label: "B",
          runs: [{ ...samplesOf(level(120, 2, { seconds }), "B0"), ...(live ? { live: true as const } : {}) }],
        },
      ];
      const { rows, warnings } = complete(swapped ? compareRuns(short, [long]) : compareRuns(long, [short]));
      return { verdict: rows[0]!.cells[0]!.verdict, length: warnings.find(({ kind }) => kind === "length") };
    };
    const early = against(100, true);
    expect(early.verdict).toBe("cannot-tell");
    expect(early.length).toEqual({
      kind: "length",
      severity: "incomparable",
      candidate: 0,
      message: "B0 has run for 95 s of the 295 s of A0: too early to tell. Verdicts appear once it is half as long.",
    });
    expect(against(100, true, true).verdict).toBe("cannot-tell");
    expect(against(160, true)).toMatchObject({ verdict: "differs", length: { severity: "caution" } });
    // Over in a third of the time: it was faster, or had less to do.
    expect(against(100, false)).toMatchObject({ verdict: "differs", length: { severity: "caution" } });
    expect(against(60, false)).toMatchObject({
      verdict: "cannot-tell",
      length: {
        severity: "incomparable",
        message: "A0 and B0 differ in length: 295 s and 55 s. How the shorter run would have continued is unknown.",
      },
    });
    // A few per cent are nothing to speak of.
    expect(against(285, true)).toEqual({ verdict: "differs", length: undefined });
  });

  it("cuts about 100 slices or more of several scrapes each, fewer from a short run", () => {
    const { slices, sliceSeconds } = compared(level(100, 1), level(100, 2)).baseline.runs[0]!;
    expect(slices).toBe(100);
    expect(sliceSeconds).toBeGreaterThanOrEqual(2.9);
    expect(compared(level(100, 1, { seconds: 1500 }), level(100, 2, { seconds: 1500 })).baseline.runs[0]!.slices).toBe(
      240,
    );
    expect(compared(level(100, 1), level(100, 2), { sliceSeconds: 10 }).baseline.runs[0]!.slices).toBe(29);
  });

  it("uses the slices that statistics carry, pair by pair with those of samples", () => {
    const statistics = (mean: number, seed: number): RunSet => ({
      label: "S",
      runs: [{ kind: "statistics", label: "S", statistics: statisticsOf(level(mean, seed)) }],
    });
    const comparison = complete(compareRuns(statistics(100, 1), [set("B", level(120, 2)), statistics(100, 3)]));
    expect(comparison.rows[0]!.cells.map(({ verdict, basis }) => [verdict, basis])).toEqual([
      ["differs", "paired-slices"],
      ["same", "paired-slices"],
    ]);
    expect(comparison.baseline.runs[0]).toMatchObject({ sliceSeconds: 5, slices: 59 });
  });

  it("shows bare values and cannot tell", () => {
    const bare = (mean: number, seed: number): RunSet => {
      const statistics = complete(runStatistics(level(mean, seed), { unitOf: () => undefined, sliceSeconds: 1000 }));
      const stripped = statistics.families.map((family) => ({
        ...family,
        series: family.series.map((one) => ({ ...one, slices: undefined })),
      }));
      return {
        label: "S",
        runs: [
          {
            kind: "statistics",
            label: "S",
            statistics: { ...statistics, families: stripped } as unknown as RunStatistics,
          },
        ],
      };
    };
    const cell = cellOf(complete(compareRuns(bare(100, 1), [bare(120, 2)])), "app:level")!;
    expect(cell).toMatchObject({ verdict: "cannot-tell", basis: "values" });
    expect(cell.share).toBeCloseTo(0.2, 1);
    expect(cell.p).toBeNaN();
  });

  it("warns of a warm-up that is missing, of other loads, and refuses other servers and the same run", () => {
    const kinds = (comparison: Comparison) => comparison.warnings.map(({ kind, severity }) => `${kind} ${severity}`);
    expect(kinds(compared(level(1, 1, { warmup: 0 }), level(1, 2)))).toEqual(["warm-up caution"]);
    const cold = [3, 4, 5].map((seed) => set(`C${seed}`, distinct(level(1, seed, { warmup: 0 }))));
    expect(complete(compareRuns(set("A", distinct(level(1, 1))), cold)).warnings).toEqual([
      {
        kind: "warm-up",
        severity: "caution",
        message: "C30, C40, C50: warm-up not excluded; their starts count like the rest.",
        runs: ["C30", "C40", "C50"],
      },
    ]);
    const requests = (rate: number, seed: number) =>
      built((second) => [{ name: "vllm:request_success", type: "counter", value: rate * second }], { seed });
    expect(kinds(compared(requests(10, 1), requests(15, 2)))).toEqual(["load caution"]);
    const shared = (name: string, seed: number) =>
      built((s, r) => [...noisy(name, 5)(s, r), ...noisy("process_cpu", 5)(s, r)], { seed });
    const servers = compared(shared("vllm:num_requests_running", 1), shared("sglang:num_grammar_queue_reqs", 2));
    expect(kinds(servers)).toEqual(["servers incomparable"]);
    expect(servers.rows.map(({ cells }) => cells[0]!.verdict)).toEqual(["cannot-tell"]);
    const same = level(1, 1);
    expect(kinds(complete(compareRuns(set("A", same), [set("B", same)])))).toEqual(["same-run incomparable"]);
  });

  it("says what was configured differently", () => {
    const configured = (config: object, blocks: string, seed: number) => {
      const run = distinct(
        built(
          (s, r) => [
            ...noisy("app:level", 1)(s, r),
            { name: "vllm:cache_config_info", labels: { num_gpu_blocks: blocks, block_size: "16" }, value: 1 },
          ],
          { seed },
        ),
      );
      Object.assign(run.metadata, { inputConfig: config });
      return run;
    };
    const comparison = complete(
      compareRuns(set("A", configured({ endpoint: { model: "a", urls: ["x", "y"] }, same: 1 }, "100", 1)), [
        set("B", configured({ endpoint: { model: "b", urls: ["x"] }, same: 1 }, "50", 2)),
      ]),
    );
    expect(comparison.configuration).toEqual([
      { source: "input_config", name: "endpoint.model", values: ["a", "b"] },
      { source: "input_config", name: "endpoint.urls[1]", values: ["y", null] },
      { source: "server", name: "vllm:cache_config_info num_gpu_blocks", values: ["100", "50"] },
    ]);
    expect(comparison.rows.map(({ family }) => family)).toEqual(["app:level"]);
  });

  it("refuses what has nothing in common, in a sentence", () => {
    expect(() =>
      compared(built(noisy("vllm:num_requests_running", 1)), built(noisy("DCGM_FI_DEV_GPU_UTIL", 1))),
    ).toThrow(/no metric family in common: A0 holds vLLM, B0 holds .*DCGM/);
    expect(() =>
      compared(
        built(() => []),
        built(noisy("app:level", 1)),
      ),
    ).toThrow(/A0 holds no metrics/);
    expect(() => complete(compareRuns(set("A", level(1, 1)), []))).toThrow(/at least one candidate/);
  });

  it("survives postMessage and is the same every time", () => {
    const [a, b] = [level(100, 1), level(110, 2)];
    const comparison = compared(a, b);
    expect(structuredClone(comparison)).toEqual(comparison);
    const held = (value: unknown): boolean =>
      typeof value === "bigint" ||
      value instanceof Map ||
      (typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && Object.values(value).some(held));
    expect(held(comparison)).toBe(false);
    expect(complete(compareRuns(set("A", a), [set("B", b)]))).toEqual(comparison);
  });

  it("reads a histogram at its slices' boundaries as from all its samples", () => {
    const random = seeded(6);
    const builder = new RunBuilder();
    const counts = [0, 0, 0];
    for (let second = 0; second <= 60; second++) {
      // Gaps, scrapes out of order and one without the histogram.
      if (second % 7 === 3) builder.scrape(second, "failed");
      else if (second % 11 === 5) builder.scrape(second, [{ name: "app:other", value: 1 }]);
      else {
        const total = counts.map((n, i) => (counts[i] = n + Math.floor(4 * random())));
        builder.scrape(second, [
          {
            name: "app:d",
            buckets: { "1": total[0]!, "2": total[0]! + total[1]!, "+Inf": total[0]! + total[1]! + total[2]! },
            sum: total[1]!,
          },
        ]);
      }
    }
    const { store } = builder.run;
    const { id } = [...store.seriesKeys()].find(({ family }) => family.name === "app:d")!;
    const all = store.read(id);
    const some = store.readSome(id, (times) => Int32Array.from([0, 3, times.length - 1]))!;
    if (all.kind !== "histogram") throw new Error("a histogram was expected");
    const [segment] = all.segments;
    for (const [at, position] of [0, 3, segment!.times.length - 1].entries()) {
      expect(some.times[at]).toBe(segment!.times[position]);
      expect(some.counts[at]).toBe(segment!.counts[position]);
      expect(some.buckets.map((cells) => cells[at])).toEqual(segment!.buckets.map((cells) => cells[position]));
    }
  });
});
