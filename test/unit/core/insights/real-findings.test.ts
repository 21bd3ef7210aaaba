import { join } from "node:path";
import { expect, it } from "vitest";
import { insightsText, runInsights, type Insights } from "../../../../src/core/insights/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { describeReal, realRun } from "../../../support/real-runs.js";

describeReal("findings of recorded real servers", (directory) => {
  const insightsOf = async (run: string): Promise<Insights> =>
    complete(runInsights({ kind: "samples", run: await realRun(join(directory, run)) }));
  const ids = ({ findings }: Insights) => findings.map(({ id }) => id);

  it("Dynamo, disaggregated: prefill and decode are no replicas, and the decode pool is short", async () => {
    const insights = await insightsOf("dynamo/disagg");
    expect(ids(insights)).toEqual(expect.arrayContaining(["saturated", "errors", "short-pool"]));
    for (const id of ["imbalance", "client-bound"]) expect(ids(insights)).not.toContain(id);
    const pool = insights.findings.find(({ id }) => id === "short-pool");
    expect(pool?.endpointUrls).toEqual(["http://127.0.0.1:8302/metrics"]);
    // The frontend's mean of 1.14 s; the prefill worker holds a request for 0.42 s.
    const [ttft] = insights.attributions;
    expect(ttft?.seconds).toBeCloseTo(1.14, 1);
    expect(ttft?.parts.find(({ part }) => part === "prefill")?.seconds).toBeCloseTo(0.418, 2);
    expect(ttft?.parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
  });

  it.each([
    ["steady", "client-bound", "few-observations"],
    ["closed12"],
    ["queue", "saturated", "queue-bound"],
    ["ramp", "tail"],
    ["fast"],
    ["longprompt", "prefill-interference", "client-bound", "few-observations"],
    ["closed36", "warm-up-short"],
  ])("vLLM, %s: %s", async (run, ...expected) => {
    expect(ids(await insightsOf(`vllm/${run}`))).toEqual(expected);
  });

  it("capacity is never promised beyond what was seen: three times as many running gave a quarter more", async () => {
    const [few, many] = [await insightsOf("vllm/closed12"), await insightsOf("vllm/closed36")];
    expect(few.capacities[0]?.limit).toBeUndefined();
    expect(insightsText(few)).toMatch(
      /served 7\.02 requests\/s .* Its limit is not in this run: try \d+ requests at once/,
    );
    expect(many.capacities[0]?.rate).toBeLessThan(1.3 * (few.capacities[0]?.rate ?? 0));
  });
});
