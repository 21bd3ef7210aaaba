import { describe, expect, it } from "vitest";
import { familyUnit } from "../../../../src/core/catalog/index.js";
import {
  type Insights,
  insightsJson,
  findingsDocument,
  findingsText,
  insightSteps,
  insightsText,
} from "../../../../src/core/insights/index.js";
import { RULES } from "../../../../src/core/insights/rules/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { documentMarkdown } from "../../../../src/core/text/index.js";
import { recordDemo, type RecordOptions } from "../../../../src/demo/index.js";
import { replayLines } from "../../../support/replay.js";

async function insightsOfDemo(options: Partial<RecordOptions>): Promise<Insights> {
  const lines: string[] = [];
  await recordDemo({ durationSeconds: 60, intervalMs: 1000, ...options }, (line) => void lines.push(line));
  const run = await replayLines(lines);
  return complete(insightSteps(complete(runStatistics(run, { unitOf: familyUnit, sliceSeconds: 1 }))));
}

const ids = ({ findings }: Insights) => findings.map(({ id }) => id);

describe("findings", () => {
  it("say that the load generator is the limit where hardly any request runs", async () => {
    expect(ids(await insightsOfDemo({ rate: 0.3, kvBlocks: 20_000 }))[0]).toBe("client-bound");
  });

  it("say that the KV cache is the limit where it is too small, with the threshold and when", async () => {
    const insights = await insightsOfDemo({ rate: 10, kvBlocks: 900 });
    expect(ids(insights).slice(0, 2)).toContain("kv-pressure");
    const [evidence] = insights.findings.find(({ id }) => id === "kv-pressure")?.evidence ?? [];
    expect(evidence).toMatchObject({ family: "vllm:kv_cache_usage_perc", statistic: "max", threshold: 0.9 });
    expect(evidence?.value).toBeGreaterThan(0.9);
    expect(evidence?.range.startNs).toBeLessThan(evidence?.range.endNs ?? 0n);
  });

  it("say that the server is saturated where more arrives than it can take", async () => {
    expect(ids(await insightsOfDemo({ rate: 40, kvBlocks: 40_000 })).slice(0, 2)).toContain("saturated");
  });
});

describe("what was looked for", () => {
  it("is what the run has metrics of; the rest is not judged", async () => {
    const { checked, unjudged, findings } = await insightsOfDemo({ rate: 10, kvBlocks: 900 });
    const [judged, open] = [checked, unjudged].map((list) => list.map(({ id }) => id));
    expect(judged).toEqual(expect.arrayContaining(findings.map(({ id }) => id)));
    expect(judged).toEqual(expect.arrayContaining(["kv-pressure", "errors", "restart", "low-prefix-hits"]));
    // One server without a GPU exporter.
    expect(open).toEqual(expect.arrayContaining(["throttled", "imbalance"]));
    expect([...(judged ?? []), ...(open ?? [])].sort()).toEqual(RULES.map(([id]) => id).sort());
  });

  it("is not what a run is too short to show", async () => {
    const { unjudged } = await insightsOfDemo({ durationSeconds: 4, rate: 10, kvBlocks: 20_000 });
    expect(unjudged.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["warm-up-short", "memory-growth", "frozen", "tail"]),
    );
  });

  it("is nothing where no server was captured", () => {
    const none: Insights = { findings: [], checked: [], unjudged: [], attributions: [], capacities: [] };
    expect(insightsText(none)).toBe("This run has no metrics of a server, so there was nothing to look for.");
  });
});

describe("reports of findings", () => {
  it("hold what scripts ask for, with exact times", async () => {
    const { findings } = insightsJson(await insightsOfDemo({ rate: 10, kvBlocks: 900 }));
    for (const finding of findings) {
      expect(finding.weight).toBeGreaterThan(0);
      expect(finding.weight).toBeLessThanOrEqual(1);
      expect(finding.advice).not.toBe("");
      for (const { range } of finding.evidence) expect(BigInt(range.end_ns)).toBeGreaterThan(BigInt(range.start_ns));
    }
  });

  it("say what was checked where nothing stands out", () => {
    const nothing: Insights = {
      findings: [],
      checked: [{ id: "tail", title: "Tail" }],
      unjudged: [{ id: "throttled", title: "The GPU is throttled" }],
      attributions: [],
      capacities: [],
    };
    expect(insightsText(nothing)).toBe(
      "No limits found (1 check, 1 more cannot be made on this run); insights --checked lists them.",
    );
    expect(insightsText(nothing, { checked: true })).toBe(
      "No limits found. Looked for: tail. This run cannot show whether: the GPU is throttled.",
    );
    expect(documentMarkdown(findingsDocument(findingsText(nothing)))).toContain("No limits found.");
  });
});
