import { describe, expect, it } from "vitest";
import { servedPairs } from "../../../support/served-pairs.js";

/** A tenth of what the bench `compare-truth served` measures. */
describe("comparisons of simulated servers", () => {
  it("find slower steps, leave equals alone, and hold what really happened", { timeout: 120_000 }, () => {
    const { alarms, covered, found, closed } = servedPairs([4100], ["closed", "client", "trt"]);
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
  });
});
