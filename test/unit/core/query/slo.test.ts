import { describe, expect, it } from "vitest";
import { parseObjectives } from "../../../../src/core/catalog/index.js";
import { epochNs } from "../../../../src/core/model/index.js";
import { runEntries, sliceAttainment, sloReport, timesliceTable } from "../../../../src/core/query/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

const TTFT = "vllm:time_to_first_token_seconds";
const E2E = "vllm:e2e_request_latency_seconds";
const ITL = "vllm:inter_token_latency_seconds";

/** 100 requests in 10 s: 90 within 0.5 s to the first token, 80 to 95 within 3 s in all. */
function requests(urls = ["http://a:1/metrics"]) {
  const builder = new RunBuilder().window(0, 10);
  for (let second = 0; second <= 10; second++) {
    const histogram = (name: string, n: number, buckets: Record<string, number>) => ({
      name,
      buckets: Object.fromEntries(Object.entries(buckets).map(([bound, share]) => [bound, share * n])),
      sum: n,
      count: n,
    });
    for (const url of urls)
      builder.scrape(
        second,
        [
          histogram(TTFT, 10 * second, { "0.25": 0.4, "0.5": 0.9, "1": 1, "+Inf": 1 }),
          histogram(E2E, 10 * second, { "2": 0.8, "5": 0.95, "+Inf": 1 }),
          histogram(ITL, 1000 * second, { "0.05": 0.99, "+Inf": 1 }),
        ],
        url,
      );
  }
  return [...runEntries(builder.run)];
}

describe("objectives", () => {
  it("are read from a list, by concept or metric", () => {
    expect(parseObjectives("ttft=0.5, itl=0.05")).toEqual([
      { name: "ttft", threshold: 0.5 },
      { name: "itl", threshold: 0.05 },
    ]);
    for (const wrong of ["ttft", "=1", "ttft=", "ttft=fast", ""])
      expect(() => parseObjectives(wrong)).toThrow("such as ttft=0.5");
  });

  it("are met by a share that lies inside its hard bounds, exactly at a bucket's bound", () => {
    const { attained, missing } = sloReport(requests(), parseObjectives(`ttft=0.5,e2e=3,${ITL}=0.05,app:none=1`));
    expect(missing).toEqual(["app:none"]);
    expect(attained.map(({ family, unit, observations }) => [family, unit, observations])).toEqual([
      [TTFT, "seconds", 100],
      [E2E, "seconds", 100],
      [ITL, "seconds", 10_000],
    ]);
    const [ttft, e2e] = attained.map(({ share }) => share);
    expect(ttft).toEqual({ value: 0.9, lower: 0.9, upper: 0.9, interval: [0.9, 0.9] });
    expect([e2e!.lower, e2e!.upper]).toEqual([0.8, 0.95]);
    expect(e2e!.interval[0]).toBeGreaterThanOrEqual(0.8);
    expect(e2e!.value).toBeGreaterThanOrEqual(e2e!.interval[0]);
    expect(e2e!.interval[1]).toBeGreaterThanOrEqual(e2e!.value);
    expect(e2e!.interval[1]).toBeLessThanOrEqual(0.95);
  });

  it("are met together by a share between the bounds that buckets leave, of requests only", () => {
    const { goodput } = sloReport(requests(), parseObjectives("ttft=0.5,e2e=3,itl=0.05"));
    expect(goodput).toMatchObject({ of: ["ttft", "e2e"], without: ["itl"] });
    // 0.9 and at least 0.8: 10 % and 20 % may be others; at most the hardest.
    expect(goodput!.lower).toBeCloseTo(0.7, 9);
    expect(goodput!.upper).toBeCloseTo(0.9, 9);
    expect(goodput!.rateUpper).toBeCloseTo(9, 9);
    expect(sloReport(requests(), parseObjectives("ttft=0.5,itl=0.05")).goodput).toBeUndefined();
  });

  it("are met at the same rate of requests in statistics read from an artifact, which hold rates instead of times", () => {
    const stored = requests().map((entry) => ({
      ...entry,
      result: () => {
        const result = entry.result();
        if (result?.kind !== "histogram") return result;
        const { seconds, ...rest } = result;
        expect(seconds).toBe(10);
        return rest;
      },
    }));
    const { goodput } = sloReport(stored, parseObjectives("ttft=0.5,e2e=3"));
    expect(goodput!.rateLower).toBeCloseTo(7, 9);
    expect(goodput!.rateUpper).toBeCloseTo(9, 9);
  });

  it("are met by a share in each timeslice, which together give that of the run", () => {
    const entries = requests();
    for (const [objective] of [parseObjectives("ttft=0.5"), parseObjectives("e2e=3")]) {
      const [whole] = sloReport(entries, [objective!]).attained;
      const slices = sliceAttainment(entries, objective!);
      expect(slices.map(({ observations }) => observations)).toEqual([50, 50]);
      for (const { share } of slices) {
        expect(share.value).toBeGreaterThanOrEqual(share.lower);
        expect(share.value).toBeLessThanOrEqual(share.upper);
      }
      const together = slices.reduce((sum, { share, observations }) => sum + share.value * observations, 0) / 100;
      expect(together).toBeCloseTo(whole!.share.value, 9);
    }
  });

  it("give the table of timeslices a column", () => {
    const table = complete(
      timesliceTable(requests(), { family: TTFT, objectives: parseObjectives("ttft=0.5,e2e=3") }, epochNs(0n)),
    );
    expect(table.columns.at(-1)).toEqual({ key: "share_below(0.5)", title: "share ≤ 500 ms", unit: "ratio" });
    expect(table.rows[0]?.values["share_below(0.5)"]).toBeCloseTo(0.9, 9);
  });

  it("count the observations of all endpoints", () => {
    const { attained } = sloReport(requests(["http://a:1/metrics", "http://b:1/metrics"]), parseObjectives("ttft=0.5"));
    expect(attained[0]).toMatchObject({ observations: 200, share: { value: 0.9 } });
  });
});
