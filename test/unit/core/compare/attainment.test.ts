import { describe, expect, it } from "vitest";
import {
  compareRuns,
  quantityText,
  sideText,
  type ComparisonRow,
  type RunSet,
} from "../../../../src/core/compare/index.js";
import { runEntries, sloReport } from "../../../../src/core/query/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { RunBuilder } from "../../../support/run-builder.js";
import { simulateServing, type SimulatedServing } from "../../../support/simulated-serving.js";
import { WORKLOADS } from "../../../support/served-pairs.js";

const TTFT = "vllm:time_to_first_token_seconds";
const E2E = "vllm:e2e_request_latency_seconds";

/** Ten requests a second and more for a minute, of which shares meet each bound. */
function requests({ ttft, e2e }: { readonly ttft: number; readonly e2e: number }, seed = 0) {
  const builder = new RunBuilder().window(0, 60);
  let met = [0, 0];
  for (let second = 0; second <= 60; second++) {
    const n = (10 + seed) * second;
    // Not the same in each second.
    const wave = second === 60 ? 0 : Math.round(3 * Math.sin(second + seed));
    met = [Math.max(met[0] ?? 0, Math.round(ttft * n) + wave), Math.max(met[1] ?? 0, Math.round(e2e * n) + wave)];
    builder.scrape(second, [
      { name: TTFT, buckets: { "0.5": Math.min(n, met[0] ?? 0), "1": n, "+Inf": n }, sum: 0.4 * n, count: n },
      { name: E2E, buckets: { "5": Math.min(n, met[1] ?? 0), "10": n, "+Inf": n }, sum: 4 * n, count: n },
    ]);
  }
  return builder.run;
}

const OBJECTIVES = [
  { name: "ttft", threshold: 0.5 },
  { name: "e2e", threshold: 5 },
];

describe("attainment of objectives", () => {
  it("is compared as a share of each run, as `show --slo` tells it, and more is better", () => {
    const [a, b] = [requests({ ttft: 0.95, e2e: 0.9 }), requests({ ttft: 0.7, e2e: 0.9 }, 2)];
    const { rows, warnings } = compareTwo(a, b, { objectives: [...OBJECTIVES, { name: "queue", threshold: 1 }] });
    const row = (quantity: string) => rows.find((one) => one.quantity === quantity)!;
    const ttft = row("share_below(0.5)");
    expect(ttft).toMatchObject({ family: TTFT, unit: "ratio", direction: "up", isKey: true });
    expect(quantityText(ttft)).toBe("share ≤ 500 ms");
    for (const [run, side] of [
      [a, ttft.baseline],
      [b, ttft.cells[0]!.candidate],
    ] as const) {
      const [attained] = sloReport(runEntries(run), OBJECTIVES).attained;
      expect(side.value).toBe(attained!.share.value);
      expect(side.certain).toEqual([attained!.share.lower, attained!.share.upper]);
      expect(side.interval).toEqual(attained!.share.interval);
    }
    expect(ttft.cells[0]).toMatchObject({ verdict: "worse" });
    expect(ttft.cells[0]!.high).toBeLessThan(0);
    expect(row("share_below(5)").cells[0]!.verdict).not.toMatch(/worse|better/);
    expect(warnings.find(({ kind }) => kind === "objectives")?.message).toMatch(/queue ≤ 1/);
    const partial = compareTwo(a, b, { objectives: [{ name: "queue", threshold: 1 }], partial: true });
    expect(partial.warnings.map(({ kind }) => kind)).not.toContain("objectives");
    // All of them fail at most, and the hardest one at least.
    const goodput = row("goodput");
    expect(goodput.title).toBe("Goodput: ttft ≤ 500 ms and e2e ≤ 5 s");
    expect(goodput.baseline.certain![0]).toBeCloseTo(0.85, 2);
    expect(goodput.baseline.certain![1]).toBeCloseTo(0.9, 2);
    expect(goodput.cells[0]!.candidate.certain![1]).toBeCloseTo(0.7, 2);
    expect(goodput.cells[0]).toMatchObject({ verdict: "worse" });
    expect(sideText(goodput.baseline, goodput.unit)).toMatch(/^8\d.* % to 90 %$/);
  });

  it("is judged by the spread between repeats, goodput too", () => {
    const set = (label: string, ttft: number, seed: number): RunSet => ({
      label,
      runs: [0, 1, 2].map((i) => ({
        kind: "samples",
        label: `${label}${i}`,
        run: requests({ ttft: ttft + 0.01 * i, e2e: 0.99 }, seed + i),
      })),
    });
    const { rows } = complete(compareRuns(set("A", 0.9, 0), [set("B", 0.7, 3)], { objectives: OBJECTIVES }));
    for (const quantity of ["share_below(0.5)", "goodput"]) {
      const [cell] = rows.find((row) => row.quantity === quantity)!.cells;
      expect(cell).toMatchObject({ basis: "between-runs", verdict: "worse" });
      expect(cell!.difference).toBeCloseTo(-0.2, 1);
    }
  });

  it("holds what simulated servers really did, at bounds and inside buckets", { timeout: 120_000 }, () => {
    const tally = { value: [0, 0], interval: [0, 0], difference: [0, 0], alarms: [0, 0] };
    const count = (of: keyof typeof tally, hit: boolean) => {
      tally[of][0]! += Number(hit);
      tally[of][1]! += 1;
    };
    for (const name of ["steady", "closed", "sglang"]) {
      const options = WORKLOADS[name] ?? {};
      const [first, ...others] = [1, 1, 1.3].map((slower, i) =>
        simulateServing(5200 + i, {
          ...options,
          base: (options.base ?? 0.012) * slower,
          slope: (options.slope ?? 0.014) * slower,
        }),
      );
      if (first === undefined) continue;
      const objectives = [...first.truth].flatMap(([family, { values }]) =>
        [0.5, 0.8, 0.95].map((q) => ({
          name: family,
          threshold: Number((values[Math.floor(q * values.length)] ?? 1).toPrecision(3)),
        })),
      );
      const bounds = ["ttft=0.25", "ttft=1", "itl=0.025", "e2e=5"].map((text) => {
        const [objective = "", threshold] = text.split("=");
        return { name: objective, threshold: Number(threshold) };
      });
      for (const [i, other] of others.entries()) {
        const { rows } = compareTwo(first.run, other.run, { objectives: [...objectives, ...bounds] });
        for (const row of rows) {
          const [before, after] = [trueShare(first, row), trueShare(other, row)];
          const [cell] = row.cells;
          const { certain, interval } = row.baseline;
          if (certain === undefined || interval === undefined || cell === undefined) continue;
          if (before === undefined || after === undefined) continue;
          const within = (x: number, [low, high]: readonly [number, number]) => low - 1e-9 <= x && x <= high + 1e-9;
          count("value", within(before, certain));
          count("interval", within(before, interval));
          count("difference", within(after - before, [cell.low, cell.high]));
          if (i === 0) count("alarms", cell.verdict === "worse" || cell.verdict === "better");
        }
      }
    }
    const share = (of: keyof typeof tally) => tally[of][0]! / tally[of][1]!;
    expect(tally.value[1]).toBeGreaterThan(80);
    expect(share("value")).toBe(1);
    expect(share("interval")).toBeGreaterThanOrEqual(0.87);
    expect(share("difference")).toBeGreaterThanOrEqual(0.93);
    expect(share("alarms")).toBeLessThanOrEqual(0.05);
  });
});

/** Of what the server observed. */
function trueShare({ truth }: SimulatedServing, { family, objective }: ComparisonRow): number | undefined {
  const values = truth.get(family)?.values;
  return values === undefined || objective === undefined
    ? undefined
    : values.filter((value) => value <= objective.threshold).length / values.length;
}
