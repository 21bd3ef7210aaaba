import { describe, expect, it } from "vitest";
import { scriptedPairs } from "../../../support/scripted-pairs.js";
import { servedPairs, type ServedPairs } from "../../../support/served-pairs.js";
import { truthDir } from "../../../support/served-quantiles.js";

/** A tenth of what the bench `compare-truth served` measures. */
const WORKLOADS = ["closed", "client", "trt"];

describe("comparisons of simulated servers", () => {
  it("find slower steps, leave equals alone, and hold what really happened", { timeout: 120_000 }, () => {
    expectToHold(servedPairs([4100], WORKLOADS));
  });

  const scripts = truthDir();
  it("do so on the data of compare_coverage.py", { timeout: 300_000 }, async ({ skip }) => {
    if (scripts === undefined) {
      if (process.env["CI"] === "true") throw new Error("the simulated servers are missing; point TRUTH_DIR at them");
      return skip("no compare_coverage.py");
    }
    expectToHold(await scriptedPairs(scripts, [9000], WORKLOADS));
  });
});

function expectToHold({ alarms, covered, found, closed }: ServedPairs): void {
  const share = (part: { readonly hits: number; readonly of: number } | undefined) =>
    part === undefined ? NaN : part.hits / part.of;
  expect(share(alarms)).toBeLessThanOrEqual(0.05);
  for (const quantity of ["p50", "p90", "p99"])
    expect(share(covered.get(quantity)), quantity).toBeGreaterThanOrEqual(0.93);
  // Averages are exact.
  expect(share(covered.get("avg"))).toBe(1);
  const [average, median] = [found.get("30 avg"), found.get("30 p50")];
  expect([average?.of, median?.of]).toEqual([6, 6]);
  expect((average?.hits ?? 0) + (median?.hits ?? 0)).toBeGreaterThanOrEqual(11);
  expect(closed).toEqual({ hits: 4, of: 4 });
}
