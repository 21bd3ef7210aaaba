import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { familyUnit } from "../../../src/core/catalog/index.js";
import { complete, runStatistics } from "../../../src/core/stats/index.js";
import { exportArtifacts, sweepFolder } from "../../../src/files/index.js";
import { scaleRun, VLLM, type RunScale } from "../../support/scale-run.js";
import type { BenchRow } from "./frame.js";
import { inputFile, temporaryFolder, writeRun } from "./inputs.js";

/** Histograms of a fleet over a minute at 333 ms, 25 an endpoint. */
const fleet = (histograms: number): RunScale => ({
  endpoints: histograms / 25,
  scalars: 0,
  histograms: 25,
  bounds: 20,
  scrapes: 180,
});

/** What a server exposes over two minutes, once a second. */
const SWEPT: RunScale = { endpoints: 1, scalars: 104, histograms: 18, bounds: 20, scrapes: 120, named: VLLM };

/** A folder of so many runs, one for each load. */
const runsToSweep = (loads: number) =>
  inputFile(`sweep-${loads}`, async (folder) => {
    for (let load = 1; load <= loads; load++) {
      await mkdir(join(folder, `c${load}`), { recursive: true });
      await writeRun(join(folder, `c${load}`, "server_metrics_export.parquet"), scaleRun({ ...SWEPT, seed: load }));
    }
  });

export const STATISTICS_ROWS: readonly BenchRow[] = [
  {
    name: "statistics of histograms, with estimates",
    work: (histograms) => `${histograms} histograms × ${fleet(histograms).bounds} bounds × 180 scrapes`,
    scale: 5000,
    growth: [50, 500, 5000],
    // A millisecond each.
    goal: { cpuSeconds: 5 },
    ours: (histograms) => {
      const run = scaleRun(fleet(histograms));
      return Promise.resolve(() => complete(runStatistics(run, { unitOf: familyUnit })));
    },
  },
  {
    name: "statistics of histograms by the two threads of an export, as JSON",
    work: (histograms) => `${histograms} histograms × ${fleet(histograms).bounds} bounds × 180 scrapes`,
    scale: 5000,
    goal: { seconds: 5 },
    ours: async (histograms) => {
      const run = scaleRun(fleet(histograms));
      const directory = await temporaryFolder();
      return () => exportArtifacts(run, { directory, formats: ["json"], verify: false });
    },
  },
  {
    name: "a sweep of Parquet runs",
    work: (loads) => `${loads} runs of ${SWEPT.scrapes} scrapes`,
    inputs: runsToSweep,
    scale: 50,
    quick: 5,
    goal: { cpuSeconds: 3 },
    cold: true,
    ours: async (loads) => {
      const folder = await runsToSweep(loads);
      // Nothing is known of the folder.
      process.env["XDG_CACHE_HOME"] = await temporaryFolder();
      return () => sweepFolder(folder);
    },
  },
];
