import { familyUnit } from "../../../src/core/catalog/index.js";
import { complete, runStatistics } from "../../../src/core/stats/index.js";
import { scaleRun, type RunScale } from "../../support/scale-run.js";
import type { BenchRow } from "./frame.js";

/** Histograms of a fleet over a minute at 333 ms, 25 an endpoint. */
const fleet = (histograms: number): RunScale => ({
  endpoints: histograms / 25,
  scalars: 0,
  histograms: 25,
  bounds: 20,
  scrapes: 180,
});

export const STATISTICS_ROWS: readonly BenchRow[] = [
  {
    name: "statistics of histograms, with estimates",
    work: (histograms) => `${histograms} histograms × ${fleet(histograms).bounds} bounds × 180 scrapes`,
    scale: 5000,
    growth: [50, 500],
    // A millisecond each.
    goal: { cpuSeconds: 5 },
    ours: (histograms) => {
      const run = scaleRun(fleet(histograms));
      return Promise.resolve(() => complete(runStatistics(run, { unitOf: familyUnit })));
    },
  },
];
