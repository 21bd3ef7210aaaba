import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { artifactName, formatScrapeLogLine, type ArtifactFormat } from "../../../src/core/artifacts/index.js";
import { durationNs, epochNs } from "../../../src/core/model/index.js";
import { exportArtifacts, replayScrapeLog } from "../../../src/files/index.js";
import { linesOf, scaleRun, type RunScale } from "../../support/scale-run.js";
import { vllmExpositions } from "../../support/vllm-exposition.js";
import type { BenchRow, Task } from "./frame.js";
import { inputFile, temporaryFolder } from "./inputs.js";

const ORIGIN = 1_765_000_000_000_000_000n;

/** 300 lines an endpoint, 60 s at 333 ms; the scale is the share of 200 endpoints. */
const fleet = (scale: number): RunScale => ({
  endpoints: Math.round(200 * scale),
  scalars: 80,
  histograms: 10,
  bounds: 20,
  scrapes: 180,
});

/** Five endpoints of 500 lines; the scale is in hours. */
const hours = (scale: number): RunScale => ({
  endpoints: 5,
  scalars: 104,
  histograms: 18,
  bounds: 20,
  scrapes: Math.round(10_800 * scale),
});

const work = (of: (scale: number) => RunScale) => (scale: number) => {
  const run = of(scale);
  const samples = run.endpoints * run.scrapes * linesOf(run);
  return `${(samples / 1e6).toFixed(1)} M samples: ${run.endpoints} endpoints × ${linesOf(run)} lines × ${run.scrapes} scrapes`;
};

const exporting =
  (of: (scale: number) => RunScale, formats: readonly ArtifactFormat[]): Task =>
  async (scale) => {
    const run = scaleRun(of(scale));
    const directory = await temporaryFolder();
    return () => exportArtifacts(run, { directory, formats, verify: false });
  };

const jsonOf = (name: string, of: (scale: number) => RunScale) => (scale: number) =>
  inputFile(`${name}-${scale}.json`, async (path) => {
    const directory = await temporaryFolder();
    await exportArtifacts(scaleRun(of(scale)), { directory, formats: ["json"], verify: false });
    await rename(join(directory, artifactName("json")), path);
  });

/** Reading one artifact, with what the platform has for it. */
const parsing =
  (json: (scale: number) => Promise<string>): Task =>
  async (scale) => {
    const text = await readFile(await json(scale), "utf8");
    return () => JSON.parse(text) as unknown;
  };

const fleetJson = jsonOf("fleet", fleet);
const hoursJson = jsonOf("hours", hours);

const scrapeLog = (megabytes: number) =>
  inputFile(`scrapes-${megabytes}.jsonl`, async (path) => {
    const source = vllmExpositions({ engines: 8, moving: 1, seed: 1 });
    const file = await open(path, "w");
    for (let [i, bytes] = [0, 0]; bytes < megabytes * 1e6; i++) {
      const time = epochNs(ORIGIN + BigInt(i) * 333_000_000n);
      const line = Buffer.from(
        formatScrapeLogLine({
          url: "http://node0:8000/metrics",
          time,
          latency: durationNs(4_000_000),
          status: 200,
          contentType: "text/plain; version=0.0.4",
          body: source.next().value,
        }),
      );
      await file.appendFile(line);
      bytes += line.length;
    }
    await file.close();
  });

const replaying =
  (format?: ArtifactFormat): Task =>
  async (megabytes) => {
    const log = await scrapeLog(megabytes);
    const directory = await temporaryFolder();
    return async () => {
      const { run } = await replayScrapeLog(log, { sliceDurationSeconds: 5 });
      if (format !== undefined) await exportArtifacts(run, { directory, formats: [format], verify: false });
    };
  };

const replayed = (megabytes: number) => `${megabytes} MB of scrapes`;

export const EXPORT_ROWS: readonly BenchRow[] = [
  {
    name: "a fleet exported as JSON, CSV and Parquet",
    work: work(fleet),
    inputs: fleetJson,
    // Memory that an earlier export left behind is not this one's.
    cold: true,
    quick: 0.05,
    growth: [0.01, 0.1, 1],
    keeps: 0.006,
    goal: { seconds: 6, peakBytes: 700e6, pauseSeconds: 0.05 },
    ours: exporting(fleet, ["json", "csv", "parquet"]),
    anchor: { name: "JSON.parse of the JSON alone", task: parsing(fleetJson) },
  },
  {
    name: "an hour exported in all four formats",
    work: work(hours),
    inputs: hoursJson,
    cold: true,
    growth: [0.01, 0.1, 1],
    goal: { seconds: 10, peakBytes: 600e6, pauseSeconds: 0.05 },
    ours: exporting(hours, ["json", "csv", "jsonl", "parquet"]),
    anchor: { name: "JSON.parse of the JSON alone", task: parsing(hoursJson) },
  },
  {
    name: "a scrape log replayed to Parquet",
    work: replayed,
    inputs: scrapeLog,
    scale: 553,
    quick: 25,
    keeps: 0.8,
    ours: replaying("parquet"),
    anchor: { name: "the same to CSV", task: replaying("csv") },
  },
  {
    name: "a scrape log replayed to CSV",
    work: replayed,
    inputs: scrapeLog,
    scale: 553,
    ours: replaying("csv"),
    anchor: { name: "the same log only read", task: replaying() },
  },
];
