import { describe, expect, it } from "vitest";
import { insightStatistics } from "../../../src/core/insights/index.js";
import { complete } from "../../../src/core/stats/index.js";
import { recordDemos, scenarioServers } from "../../../src/demo/index.js";
import { findingSteps } from "../../../src/engine/findings.js";
import { replayLines } from "../../support/replay.js";

describe("findings for a view", () => {
  it("point at a family of the run and at a stretch of its time", async () => {
    const lines: string[] = [];
    const servers = scenarioServers("kv-pressure", 7);
    await recordDemos(servers, { durationSeconds: 40, intervalMs: 1000 }, (line) => void lines.push(line));
    const run = await replayLines(lines);
    const { findings, checked } = complete(findingSteps(complete(insightStatistics(run)), run.store.origin, {}));
    const pressure = findings.find(({ id }) => id === "kv-pressure");
    expect(checked).toContain(pressure?.title);
    expect(pressure?.evidence[0]?.family).toBe("vllm:kv_cache_usage_perc");
    expect(pressure?.evidence[0]?.start).toBeGreaterThanOrEqual(0);
    expect(pressure?.evidence[0]?.end).toBeLessThanOrEqual(Number(run.newest));
  });

  it("of one endpoint are those that it would have alone, from samples as from statistics", async () => {
    const [pressed] = scenarioServers("kv-pressure", 7);
    const [healthy] = scenarioServers("healthy", 8);
    if (pressed === undefined || healthy === undefined) throw new Error("no servers");
    const lines: string[] = [];
    await recordDemos([pressed, healthy], { durationSeconds: 40, intervalMs: 1000 }, (line) => void lines.push(line));
    const run = await replayLines(lines);
    const [first = "", second = ""] = run.store.endpoints.map(({ url }) => url);
    const all = complete(insightStatistics(run));
    const ids = (statistics: typeof all, endpointUrl: string) =>
      complete(findingSteps(statistics, run.store.origin, { endpointUrl })).findings.map(({ id }) => id);
    expect(ids(all, first)).toContain("kv-pressure");
    expect(ids(all, second)).toEqual([]);
    for (const url of [first, second])
      expect(ids(complete(insightStatistics(run, { endpointUrl: url })), url)).toEqual(ids(all, url));
  });
});
