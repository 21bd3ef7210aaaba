import { describe, expect, it } from "vitest";
import { familyUnit } from "../../../../src/core/catalog/index.js";
import { type Insights, insightSteps, movesWith, thresholdsOf } from "../../../../src/core/insights/index.js";
import { changesBetween } from "../../../../src/core/insights/changes.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { recordDemo, type RecordOptions } from "../../../../src/demo/index.js";
import { seededRandom } from "../../../support/random.js";
import { RunBuilder } from "../../../support/run-builder.js";
import { replayLines } from "../../../support/replay.js";

async function statisticsOfDemo(options: Omit<RecordOptions, "durationSeconds">) {
  const lines: string[] = [];
  await recordDemo({ durationSeconds: 90, intervalMs: 1000, ...options }, (line) => void lines.push(line));
  return complete(runStatistics(await replayLines(lines), { unitOf: familyUnit, sliceSeconds: 1 }));
}

describe("capacity", () => {
  it("without a queue is what was served and the load to try next, never a promise of more", async () => {
    const [half] = complete(insightSteps(await statisticsOfDemo({ rate: 2, kvBlocks: 6000 }))).capacities;
    expect(half?.limit).toBeUndefined();
    expect(half?.nextRunning).toBeGreaterThan(half?.running ?? Infinity);
    expect(half?.text).toMatch(/Its limit is not in this run: try \d+ requests at once/);
  });

  it("is met where requests wait, at the rate of that time", async () => {
    const [full] = complete(insightSteps(await statisticsOfDemo({ rate: 40, kvBlocks: 40_000 }))).capacities;
    expect(full).toMatchObject({ limit: "batch", nextRunning: undefined });
    expect(full?.text).toMatch(/was at its limit: .* running, while others waited/);
  });
});

describe("what moves with a family", () => {
  const random = seededRandom(7);
  const builder = new RunBuilder(1);
  const values = Array.from({ length: 121 }, () => random());
  values.forEach((value, second) => {
    builder.scrape(second, [
      { name: "queue", value },
      // Follows two seconds later, with some noise of its own.
      { name: "latency", value: (values[second - 2] ?? 0) * 3 + random() * 0.3 },
      ...["one", "two", "three", "four", "five", "six"].map((name) => ({ name, value: random() })),
      // A drift has a level that correlates with every other drift, and differences that do not.
      { name: "drift", value: second + random() },
    ]);
  });
  const run = complete(runStatistics(builder.window(0, 120).run, { unitOf: familyUnit }));

  it("is what follows it, with its lag, and nothing that only drifts or is noise", () => {
    const moves = movesWith(run, "queue");
    expect(moves.tested).toBe(8);
    expect(moves.movers.map(({ family }) => family)).toEqual(["latency"]);
    expect(moves.movers[0]?.lagSeconds).toBe(2);
    expect(moves.movers[0]?.q).toBeLessThan(0.05);
    expect(movesWith(run, "latency").movers[0]).toMatchObject({ family: "queue", lagSeconds: -2 });
  });

  it("is not computed from too few slices, and refused of a family that is not there", () => {
    const within = { startNs: run.startNs, endNs: run.endNs };
    const short = { ...within, endNs: (run.startNs + 10_000_000_000n) as typeof run.endNs };
    expect(movesWith(run, "queue", short).note).toMatch(/not enough/);
    expect(() => movesWith(run, "nothing")).toThrow(/no family nothing/);
  });
});

describe("thresholds", () => {
  it("from the settings change the thresholds of rules", async () => {
    const run = await statisticsOfDemo({ rate: 10, kvBlocks: 900 });
    const ids = (insights: Insights) => insights.findings.map(({ id }) => id);
    expect(ids(complete(insightSteps(run)))).toContain("kv-pressure");
    expect(ids(complete(insightSteps(run, thresholdsOf({ kvUsage: 1.5 }))))).not.toContain("kv-pressure");
  });

  it("are refused where there is none of the name, or no number", () => {
    expect(() => thresholdsOf({ kv: 1 })).toThrow(/no threshold "kv"; there are kvUsage/);
    expect(() => thresholdsOf({ kvUsage: "high" })).toThrow(/above 0/);
  });
});

describe("findings of a comparison", () => {
  it("appeared, went or stayed", async () => {
    const calm = complete(insightSteps(await statisticsOfDemo({ rate: 2, kvBlocks: 20_000 })));
    const pressed = complete(insightSteps(await statisticsOfDemo({ rate: 10, kvBlocks: 900 })));
    const there = changesBetween([calm], [pressed]);
    expect(there.appeared.map(({ id }) => id)).toContain("kv-pressure");
    expect(changesBetween([pressed], [calm]).gone).toEqual(there.appeared);
    // Without the metric that would show it, a finding is not gone.
    const blind = { ...calm, checked: calm.checked.filter(({ id }) => id !== "kv-pressure") };
    expect(changesBetween([pressed], [blind]).gone.map(({ id }) => id)).not.toContain("kv-pressure");
    // Hits that fell to none are one beside a run that had them, and none where no run has any.
    const hits = (prefixHitRate: number): Insights => ({ ...calm, findings: [], prefixHitRate });
    expect(changesBetween([hits(0.45)], [hits(0.002)]).appeared.map(({ id, text }) => [id, text])).toEqual([
      ["low-prefix-hits", "0.2 % of the prompt tokens were found in the prefix cache, 45 % in the baseline."],
    ]);
    expect(changesBetween([hits(0.001)], [hits(0.002)]).appeared).toEqual([]);
    expect(changesBetween([hits(0.002)], [hits(0.45)]).appeared).toEqual([]);
    // One of three repeats does not make it a finding of the set.
    expect(changesBetween([calm, calm, pressed], [calm]).gone).toEqual([]);
  });
});
