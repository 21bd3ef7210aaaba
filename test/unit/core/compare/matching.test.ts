import { describe, expect, it } from "vitest";
import { compareRuns, gateOf, type Comparison } from "../../../../src/core/compare/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { built, compared, noisy, set, statisticsOf } from "../../../support/comparing.js";
import { RunBuilder } from "../../../support/run-builder.js";

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

  describe("disaggregated runs compared", () => {
    /** Prefill workers run 2 requests each, decode workers 20. */
    const deployed = (workers: Readonly<Record<string, "prefill" | "decode">>) => {
      const builder = new RunBuilder();
      for (let second = 0; second <= 100; second++)
        for (const [url, role] of Object.entries(workers))
          builder.scrape(
            second,
            [
              { name: "vllm:cache_config_info", labels: { kv_role: role }, value: 1 },
              { name: "vllm:num_requests_running", value: role === "prefill" ? 2 : 20 },
            ],
            `http://${url}/metrics`,
          );
      return builder.window(0, 100).run;
    };
    const running = ({ rows }: Comparison) =>
      rows
        .filter(({ family }) => family === "vllm:num_requests_running")
        .map(({ labels, baseline, cells }) => [labels, baseline.value, cells[0]!.candidate.value])
        .sort((a, b) => Number(a[1]) - Number(b[1]));

    it("pairs endpoints within their role, whatever their ports", () => {
      const one = deployed({ "one:8001": "prefill", "one:8002": "decode" });
      const two = deployed({ "two:8001": "decode", "two:8002": "prefill" });
      expect(running(compared(one, two))).toEqual([
        [[["role", "prefill"]], 2, 2],
        [[["role", "decode"]], 20, 20],
      ]);
    });

    it("takes the endpoints of a role together where their numbers differ, from samples and from statistics", () => {
      const one = deployed({ "one:8001": "prefill", "one:8002": "decode", "one:8003": "decode" });
      const two = deployed({ "two:8001": "prefill", "two:8002": "prefill", "two:8003": "decode" });
      const expected = [
        [[["role", "prefill"]], 2, 4],
        [[["role", "decode"]], 40, 20],
      ];
      const comparison = compared(one, two);
      expect(running(comparison)).toEqual(expected);
      expect(comparison.rules.find(({ label }) => label === "role")).toMatchObject({ applied: "match" });
      const stored = { label: "B", runs: [{ kind: "statistics", label: "B", statistics: statisticsOf(two) } as const] };
      expect(running(complete(compareRuns(set("A", one), [stored])))).toEqual(expected);
    });

    it("knows no roles beside a run that is not disaggregated", () => {
      const whole = built(noisy("vllm:num_requests_running", 22));
      expect(running(compared(deployed({ "one:8001": "prefill", "one:8002": "decode" }), whole))).toEqual([
        [[], 22, expect.closeTo(22, 0)],
      ]);
    });
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
