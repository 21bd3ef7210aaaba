import { beforeAll, describe, expect, it } from "vitest";
import type { ComparedRun } from "../../../src/core/compare/index.js";
import { insightStatistics, runInsights } from "../../../src/core/insights/index.js";
import { epochNs } from "../../../src/core/model/index.js";
import { complete } from "../../../src/core/stats/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { recordDemo } from "../../../src/demo/index.js";
import { ComparisonFindings } from "../../../src/engine/comparison/findings.js";
import { replayLines } from "../../support/replay.js";

async function demo(kvBlocks: number): Promise<Run> {
  const lines: string[] = [];
  await recordDemo({ durationSeconds: 60, rate: 6, seed: 3, kvBlocks }, (line) => void lines.push(line));
  return replayLines(lines);
}

describe("which findings appeared or went", () => {
  const runs = new Map<string, ComparedRun>();
  let small: Run;
  const sets = (...ids: readonly string[]) => ids.map((id) => [runs.get(id) ?? []].flat());
  const { signal } = new AbortController();

  beforeAll(async () => {
    small = await demo(400);
    runs.set("small", { kind: "samples", label: "small", run: small });
    runs.set("large", { kind: "samples", label: "large", run: await demo(40_000) });
    const statistics = complete(insightStatistics(small));
    runs.set("slices", { kind: "statistics", label: "slices", statistics });
    runs.set("totals", { kind: "statistics", label: "totals", statistics: { ...statistics, families: [] } });
  });

  it("is found for each candidate against the baseline, and the other way round with the other baseline", async () => {
    const findings = new ComparisonFindings();
    const [better] = await findings.changes(sets("small", "large"), {}, signal);
    const own = complete(runInsights({ kind: "samples", run: small })).findings.map(({ id }) => id);
    expect(own).toContain("kv-pressure");
    expect(better?.gone.map(({ id }) => id)).toContain("kv-pressure");
    const [worse] = await findings.changes(sets("large", "small"), {}, signal);
    expect([worse?.appeared, worse?.gone, worse?.stayed.length]).toEqual([
      better?.gone,
      better?.appeared,
      better?.stayed.length,
    ]);
  });

  it("is looked at anew once the window of a run has changed", async () => {
    const findings = new ComparisonFindings();
    const large = runs.get("large");
    if (large?.kind !== "samples") throw new Error("large has samples");
    const tell = async () => {
      const [changes] = await findings.changes(sets("small", "large"), {}, signal);
      return [...(changes?.appeared ?? []), ...(changes?.stayed ?? [])].map(({ id }) => id);
    };
    const { profilingStart: start } = large.run;
    const found = () => complete(runInsights({ kind: "samples", run: large.run })).findings.map(({ id }) => id);
    const whole = new Set(await tell());
    expect(whole).toEqual(new Set(found()));
    // Ten scrapes are too few for much of what the whole run shows.
    large.run.chooseWindow({ start, end: epochNs(start + 10_000_000_000n) });
    const short = new Set(await tell());
    expect(short).toEqual(new Set(found()));
    expect(short).not.toEqual(whole);
    large.run.chooseWindow(undefined);
  });

  it("is not found between kinds of files that show more and less, nor for a run that has not been read", async () => {
    const findings = new ComparisonFindings();
    const foundIn = async (...ids: readonly string[]) =>
      (await findings.changes(sets(...ids), {}, signal)).map((changes) => changes !== undefined);
    expect(await foundIn("small", "slices", "large", "totals", "unread")).toEqual([false, true, false, false]);
    expect(await foundIn("slices", "totals", "small")).toEqual([false, false]);
    expect(await foundIn("unread", "small")).toEqual([false]);
  });
});
