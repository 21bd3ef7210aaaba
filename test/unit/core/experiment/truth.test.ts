import path from "node:path";
import { describe, expect, it } from "vitest";
import { drawnExperiments, knownExperiments, realPool, simulatedPool } from "../../../support/experiment-truth.js";
import { describeReal } from "../../../support/real-runs.js";

// A tenth of `npm run bench -- experiments`, whose table docs/experiments.md has.
const EXPERIMENTS = 100;

describe("experiments whose truth is known", () => {
  it("of one configuration are called better or worse in at most 5 %", { timeout: 120_000 }, () => {
    const pool = simulatedPool("sglang", 60);
    for (const metric of ["ttft avg", "ttft p99"] as const) {
      const { better, worse } = drawnExperiments({ a: pool, b: pool }, EXPERIMENTS, metric);
      expect(better + worse).toBeLessThanOrEqual(5);
    }
  });

  it("of 10 % at 4 % between runs are decided within 1.5 times the blocks of a fixed design", () => {
    const { worse, blocks } = knownExperiments({ factor: 1.1, spread: 0.04, max: 60 }, EXPERIMENTS);
    expect(worse).toBe(EXPERIMENTS);
    // The paired t test has 80 % power at five. 7.25 is expected, with a standard error of 0.3.
    expect(blocks).toBeLessThan(1.5 * 5 + 0.6);
  });

  it("of equal configurations are called equivalent in 80 % with twelve blocks", () => {
    const { equivalent } = knownExperiments({ factor: 1, spread: 0.02 / Math.SQRT2, max: 12 }, EXPERIMENTS);
    // 84 are expected, with a standard error of 3.7.
    expect(equivalent).toBeGreaterThanOrEqual(76);
  });
});

describeReal("experiments of recorded repeats of a real vLLM", (directory) => {
  it(
    "do not call a configuration better or worse than itself, and decide a changed one",
    { timeout: 120_000 },
    async () => {
      const repeats = path.join(directory, "repeats");
      const [a, b] = [await realPool(repeats, "A"), await realPool(repeats, "B")];
      for (const metric of ["ttft avg", "ttft p99", "queue-time avg"] as const) {
        const { better, worse } = drawnExperiments({ a, b: a }, EXPERIMENTS, metric);
        expect(better + worse).toBeLessThanOrEqual(5);
      }
      // Fewer slots make requests wait. Three runs of it were recorded.
      expect(drawnExperiments({ a, b }, EXPERIMENTS, "queue-time avg").worse).toBe(EXPERIMENTS);
    },
  );
});
