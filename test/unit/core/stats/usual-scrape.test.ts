import { describe, expect, it } from "vitest";
import { usualScrapeSeconds } from "../../../../src/core/stats/index.js";
import { sparseProblem } from "../../../../src/sources/prometheus/sparse.js";
import { RunBuilder } from "../../../support/run-builder.js";

/** A run with scrapes at these seconds, in this order; those of `failed` failed. */
function scrapedAt(seconds: readonly number[], failed: readonly number[] = []) {
  const builder = new RunBuilder();
  for (const second of seconds)
    builder.scrape(
      second,
      failed.includes(second) ? "failed" : [{ name: "up_since", type: "gauge", value: second % 7 }],
    );
  return builder.window(Math.min(...seconds), Math.max(...seconds)).run;
}

function usual(seconds: readonly number[], failed: readonly number[] = []): number | undefined {
  const [axis] = scrapedAt(seconds, failed).store.endpoints;
  return axis === undefined ? undefined : usualScrapeSeconds(axis);
}

describe("the usual time between scrapes", () => {
  it("is the same whatever order they came in, and a pause does not change it", () => {
    expect(usual([0, 15, 30, 45, 145, 160])).toBe(15);
    expect(usual([45, 0, 160, 30, 15, 145])).toBe(15);
  });

  it("is between those that succeeded", () => {
    expect(usual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 4, 5, 7, 8])).toBe(3);
  });

  it("needs two of them", () => {
    expect(usual([10])).toBeUndefined();
    expect(usual([0, 30, 60], [30, 60])).toBeUndefined();
    expect(usual([0, 30])).toBe(30);
  });

  it("is what a run of a store is called sparse by", () => {
    expect(sparseProblem(scrapedAt([60, 0, 30, 90]))?.reason).toContain("are 30 s apart");
    expect(sparseProblem(scrapedAt([0, 1, 2, 3, 4, 5], [1, 2, 4]))?.reason).toContain("are 3 s apart");
    expect(sparseProblem(scrapedAt([0, 1, 2]))).toBeUndefined();
    expect(sparseProblem(scrapedAt([0]))).toBeUndefined();
  });
});
