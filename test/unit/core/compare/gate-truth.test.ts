import path from "node:path";
import { describe, expect, it } from "vitest";
import { realGates, SIMULATED, simulatedGates, type Failures } from "../../../support/gate-pairs.js";
import { describeReal } from "../../../support/real-runs.js";

const share = ({ failed, of }: Failures) => failed / of;

/** A tenth of what the bench `compare-truth gate` measures. */
describe("gates over single runs of simulated servers", () => {
  it("seldom fail without a change, and fail when latencies double", { timeout: 300_000 }, async () => {
    let failed = 0;
    for (const server of Object.values(SIMULATED)) {
      const { equal, doubled } = await simulatedGates(server, 7, 9000);
      failed += equal.failed;
      expect(share(doubled)).toBeGreaterThanOrEqual(5 / 7);
    }
    // Of 21 pairs, at 5 %: more than 3 in 2 of 100 cases.
    expect(failed).toBeLessThanOrEqual(3);
  });
});

describeReal("gates over recorded runs of a real server", (directory) => {
  it("seldom fail without a change, and find one that is large", { timeout: 300_000 }, async () => {
    const { equal, doubled, changed, changedSets } = await realGates(path.join(directory, "repeats"), 6);
    expect(share(equal)).toBeLessThanOrEqual(0.1);
    expect(share(doubled)).toBeGreaterThanOrEqual(0.8);
    expect(share(changed)).toBeGreaterThanOrEqual(0.5);
    expect(changedSets.of).toBeGreaterThan(5);
    expect(share(changedSets)).toBe(1);
  });
});
