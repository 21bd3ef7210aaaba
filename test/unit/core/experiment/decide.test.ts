import { describe, expect, it } from "vitest";
import {
  decide,
  detectable,
  ofSameCells,
  parseDefinition,
  rowCells,
  type RunRecord,
  type PlannedRun,
  withEarlierRuns,
} from "../../../../src/core/experiment/index.js";
import { groupBy } from "../../../../src/core/math/index.js";
import { outline, runOf, simulated, twoConfigurations } from "../../../support/experiments.js";
import { normal } from "../../../support/histogram-simulation.js";
import { seededRandom } from "../../../support/random.js";

function normals(seed: number): () => number {
  const random = seededRandom(seed);
  return () => normal(random);
}

const definition = twoConfigurations();
/** Runs that vary by 1 % around 1, b's times a factor. */
function made(factor: number, seed: number): (step: PlannedRun) => RunRecord {
  const normal = normals(seed);
  return (step) => runOf(definition, step, (step.configuration === "b" ? factor : 1) * Math.exp(0.01 * normal()));
}

describe("a decision", () => {
  it.each([
    [0.8, "better"],
    [1.2, "worse"],
    [1.0, "equivalent"],
  ])("on latencies %f times as long is %s", (factor, state) => {
    const { decision, runs } = simulated(definition, made(factor, 7));
    expect(decision.primary[0]).toMatchObject({ state });
    expect(decision.next).toBe("decided");
    expect(runs.length).toBeLessThan(24);
  });

  it("knows before its first block what it can show, by earlier runs with the same commands", () => {
    const make = made(1, 3);
    const earlier = Array.from({ length: 200 }, (_, i): RunRecord => {
      const step = { load: "load", configuration: i % 2 === 0 ? "a" : "b", block: 1 + i / 2, attempt: 1 } as const;
      return make(step);
    });
    const other = { ...definition, loads: [{ ...definition.loads[0]!, name: "named otherwise" }] };
    const renamed = earlier.map((run) => ({ ...run, step: { ...run.step, load: "named otherwise" } }));
    const [row] = withEarlierRuns(definition, decide(definition, []), ofSameCells(definition, other, renamed)).primary;
    expect(row?.earlierRuns).toBe(200);
    // The runs vary by 1 %.
    const expected = detectable(definition.repeats.max, 0.01 * Math.SQRT2, 0.05);
    expect((row?.detectable ?? NaN) / expected).toBeCloseTo(1, 1);
    const longer = { ...other, loads: [{ ...other.loads[0]!, command: "sleep 2" }] };
    expect(ofSameCells(definition, longer, renamed)).toEqual([]);
    expect(decide(definition, []).primary[0]?.detectable).toBeUndefined();
  });

  it("takes more as better where that is known or said", () => {
    for (const primary of [
      "{ metric: generation_tokens, statistic: rate, relevant: 3% }",
      "{ metric: my_metric, statistic: avg, relevant: 3%, better: higher }",
    ]) {
      const own = { ...definition, ...parsedPrimary(primary) };
      const { decision } = simulated(own, (step) =>
        runOf(own, step, (step.configuration === "b" ? 1.3 : 1) + 0.001 * step.block),
      );
      expect(decision.primary[0]?.state).toBe("better");
    }
  });

  it("is not made by repetition where buckets leave more open than the difference", () => {
    const { decision, runs } = simulated(definition, (step) =>
      runOf(definition, step, { value: (step.configuration === "b" ? 1.05 : 1) + 0.0001 * step.block, error: 0.04 }),
    );
    expect(decision.primary[0]).toMatchObject({ state: "undecided" });
    expect(decision.primary[0]?.floor).toBeCloseTo(1.645 * Math.hypot(0.04, 0.04), 2);
    expect(runs).toHaveLength(24);
    expect(decision.next).toBe("exhausted");
  });

  it("goes on while a guard may be worse by more than matters, and keeps what it has decided", () => {
    const guarded = twoConfigurations("guards: [{ metric: itl, statistic: avg, relevant: 3% }]");
    const normal = normals(3);
    const { decision, runs } = simulated(guarded, (step) => {
      const run = runOf(guarded, step, (step.configuration === "b" ? 0.7 : 1) + 0.01 * normal());
      return { ...run, values: { ...run.values, "itl avg": { value: 1 + 0.2 * normal(), error: 0 } } };
    });
    expect(decision.primary[0]?.decidedAfter).toBeLessThan(6);
    expect(runs).toHaveLength(24);
    expect(decision.next).toBe("decided");
  });

  it("does not wait for a guard that no run tells", () => {
    const guarded = twoConfigurations("guards: [{ metric: no_such, statistic: avg, relevant: 3% }]");
    const own = made(1.2, 7);
    const { decision, runs } = simulated(guarded, (step) => {
      const run = own(step);
      return { ...run, values: { ...run.values, "no_such avg": "the servers have no no_such" } };
    });
    expect(runs).toHaveLength(simulated(definition, made(1.2, 7)).runs.length);
    expect(decision.guards[0]).toMatchObject({ state: "undecided", missing: ["the servers have no no_such"] });
  });

  it("on shares is by points, and on zeros too", () => {
    const shares = { ...definition, ...parsedPrimary("{ metric: ttft, statistic: share_below(500ms), relevant: 1% }") };
    const { decision } = simulated(shares, (step) =>
      runOf(shares, step, step.configuration === "b" ? 0.9 : 0.99 + step.block / 1e4),
    );
    expect(decision.primary[0]).toMatchObject({ scale: "difference", relevant: 0.01, state: "worse" });
    expect(rowCells(decision.primary[0]!).slice(5)).toEqual([
      expect.stringMatching(/^9\.\d+ points lower \(95 %: [\d.]+ points to [\d.]+ points lower\)$/),
      "1 point",
    ]);
    const all = simulated(shares, (step) => runOf(shares, step, step.configuration === "b" ? 0 : 1));
    expect(rowCells(all.decision.primary[0]!)[5]).toMatch(/^100 points lower/);
    const zeros = simulated(definition, (step) =>
      runOf(definition, step, step.configuration === "b" ? 0 : step.block / 100),
    );
    expect(zeros.decision.primary[0]).toMatchObject({ scale: "difference" });
  });
});

function parsedPrimary(primary: string) {
  const parsed = parseDefinition(`question: q
endpoints: [http://127.0.0.1:9/metrics]
configurations: [{ name: a }, { name: b }]
loads: [{ name: load, command: sleep 1 }]
primary: ${primary}`);
  return { primary: parsed.primary };
}

describe("the plan", () => {
  it("has every configuration once in a block, in an order drawn from the seed", () => {
    const { runs } = simulated(definition, (step) =>
      runOf(definition, step, step.block % 2 === 0 ? 1 : 2 + (step.configuration === "b" ? 1 : 0)),
    );
    const blocks = groupBy(runs, ({ step }) => step.block);
    const orders = [...blocks.values()].map((block) => block.map(({ step }) => step.configuration).join(""));
    expect(new Set(orders)).toEqual(new Set(["ab", "ba"]));
    expect(orders).toHaveLength(12);
  });

  it("makes a run that does not count once more, at the end", () => {
    const isBad = (step: PlannedRun) => step.block === 2 && step.configuration === "a" && step.attempt === 1;
    const { runs } = simulated(definition, (step) =>
      runOf(
        definition,
        step,
        step.configuration === "b" ? 1 + (step.block % 2) : 1.5,
        isBad(step) ? "The load ended with exit code 1." : undefined,
      ),
    );
    expect(outline(runs).at(-1)).toBe("runs/load/02-a-again ");
    expect(runs).toHaveLength(25);
    expect(decide(definition, runs).primary[0]?.differences).toHaveLength(12);
  });

  it("ends when no run counts, and when there is no time for another", () => {
    const bad = simulated(definition, (step) => runOf(definition, step, 1, "No endpoint answered."));
    expect([bad.decision.next, bad.runs.length]).toEqual(["invalid", 4]);
    // Whoever runs it again has mended something.
    expect(decide(definition, bad.runs, bad.runs.length).next).toMatchObject({ block: 3 });
    const short = twoConfigurations("budget: 45s");
    const ended = simulated(short, (step) => runOf(short, step, 1 + 0.1 * step.block));
    expect([ended.decision.next, ended.runs.length]).toEqual(["budget", 4]);
  });

  it("goes on after any of its runs as if nothing had happened", () => {
    const noise = (step: PlannedRun) =>
      seededRandom(step.block * 10 + (step.configuration === "b" ? 1 : 0) + 100 * step.attempt)();
    const make = (step: PlannedRun) =>
      runOf(definition, step, 1 + noise(step), noise(step) > 0.9 ? "It was disturbed." : undefined);
    const whole = simulated(definition, make);
    for (let cut = 0; cut < whole.runs.length; cut++)
      expect(outline(simulated(definition, make, whole.runs.slice(0, cut)).runs)).toEqual(outline(whole.runs));
  });
});

describe("a search", () => {
  const search = parseDefinition(`question: What rate can it take?
endpoints: [http://127.0.0.1:9/metrics]
configurations: [{ name: a }]
loads: [{ name: rate, command: "load --rate \${level}" }]
primary: { metric: ttft, statistic: p99, relevant: 3% }
search: { from: 1, to: 32, limit: 500ms, resolution: 15% }`);

  it("brackets the largest level within the limit", () => {
    const normal = normals(11);
    // 500 ms at a level of 10.
    const { decision } = simulated(search, (step) =>
      runOf(search, step, 0.05 * (step.level ?? NaN) * Math.exp(0.01 * normal())),
    );
    const { met, missed, confidence } = decision.searches[0]!.bracket;
    expect(met).toBeLessThan(10);
    expect(missed).toBeGreaterThan(10);
    expect(missed! / met!).toBeLessThan(1.15);
    expect(confidence).toBe(0.95);
    expect(decision.next).toBe("decided");
  });

  it("says when even the lowest level misses it, or the highest meets it", () => {
    const at = (factor: number) =>
      simulated(search, (step) => runOf(search, step, factor * (1 + step.block / 1000))).decision.searches[0]!.bracket;
    expect(at(5)).toMatchObject({ missed: 1, tried: [{ level: 1, state: "missed" }] });
    expect(at(0.1)).toMatchObject({ met: 32 });
  });
});
