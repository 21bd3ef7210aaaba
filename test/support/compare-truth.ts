import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  compareRuns,
  type Comparison,
  type ComparisonOptions,
  type ComparisonRow,
  type Verdict,
} from "../../src/core/compare/index.js";
import { boundText, durationNs, epochNs, type SampleDef } from "../../src/core/model/index.js";
import { complete } from "../../src/core/stats/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { recordDemo, type RecordOptions } from "../../src/demo/index.js";
import { replayScrapeLog } from "../../src/files/index.js";
import { normal, poisson, seeded, type Random } from "./histogram-simulation.js";

/** Scrapes of a simulated slice of one second. */
const SCRAPES = 4;
const ORIGIN = 1_765_000_000_000_000_000n;
const BOUNDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const HISTOGRAM_MEDIAN = 0.3;
const OBSERVATIONS = 40;

export interface SimulatedRun {
  readonly seed: number;
  /** Slices of one second. */
  readonly slices: number;
  /** Correlation of successive slices. */
  readonly rho: number;
  /** Standard deviation of the slices by their mean. */
  readonly cv: number;
  readonly gauges?: number;
  readonly counters?: number;
  readonly histograms?: number;
  /** Share by which all means are changed. */
  readonly change?: number;
}

export interface Simulated {
  readonly run: Run;
  /** Means of the gauges' slices as they were drawn: what a naive test gets. */
  readonly gaugeSlices: readonly Float64Array[];
}

/** Deviations of an AR(1) process in its stationary state, of standard deviation 1. */
export function ar1(random: Random, n: number, rho: number): Float64Array {
  const out = new Float64Array(n);
  let x = normal(random);
  for (let i = 0; i < n; i++) {
    out[i] = x;
    x = rho * x + Math.sqrt(1 - rho * rho) * normal(random);
  }
  return out;
}

/**
 * A run whose truth is known: gauges `sim:gauge<i>`, counters `sim:counter<i>` and histograms of latency
 * `sim:duration<i>_seconds`, each slice of which goes by an AR(1) process of its own.
 */
export function simulatedRun({
  seed,
  slices,
  rho,
  cv,
  gauges = 0,
  counters = 0,
  histograms = 0,
  change = 0,
}: SimulatedRun): Simulated {
  const random = seeded(seed * 7919 + 17);
  const processes = (count: number) =>
    Array.from({ length: count }, () => ar1(random, slices, rho).map((x) => 1 + cv * x));
  const [gaugePaths, counterPaths, histogramPaths] = [processes(gauges), processes(counters), processes(histograms)];
  const defs: SampleDef[] = [
    ...gaugePaths.map((_, i): SampleDef => ({
      family: { name: `sim:gauge${i}`, type: "gauge", description: "" },
      labels: [],
      part: { kind: "value" },
    })),
    ...counterPaths.map((_, i): SampleDef => ({
      family: { name: `sim:counter${i}`, type: "counter", description: "" },
      labels: [],
      part: { kind: "value" },
    })),
    ...histogramPaths.flatMap((_, i): SampleDef[] => {
      const family = { name: `sim:duration${i}_seconds`, type: "histogram", description: "" } as const;
      const buckets = [...BOUNDS, Infinity].map((upper): SampleDef => ({
        family,
        labels: [],
        part: { kind: "bucket", bound: boundText(upper === Infinity ? "+Inf" : String(upper)), upper },
      }));
      return [
        ...buckets,
        { family, labels: [], part: { kind: "sum" } },
        { family, labels: [], part: { kind: "count" } },
      ];
    }),
  ];
  const run = new Run(
    {
      benchmarkId: `simulated-${seed}-${change}`,
      endpointsConfigured: ["http://a:1/metrics"],
      sliceDurationSeconds: 1,
      inputConfig: {},
    },
    new Store(epochNs(ORIGIN)),
  );
  const values = new Float64Array(defs.length);
  const ids = Int32Array.from(defs.keys());
  const width = BOUNDS.length + 3;
  for (let scrape = 0; scrape <= slices * SCRAPES; scrape++) {
    const slice = Math.min(slices - 1, Math.floor(scrape / SCRAPES));
    gaugePaths.forEach((path, i) => (values[i] = 100 * (1 + change) * (path[slice] ?? 1)));
    // What a scrape shows happened before it.
    const before = Math.floor((scrape - 1) / SCRAPES);
    if (scrape > 0) {
      counterPaths.forEach(
        (path, i) =>
          (values[gauges + i] =
            (values[gauges + i] ?? 0) +
            poisson(random, Math.max(0, (2000 * (1 + change) * (path[before] ?? 1)) / SCRAPES))),
      );
      histogramPaths.forEach((path, i) =>
        observe(
          random,
          values,
          gauges + counters + i * width,
          HISTOGRAM_MEDIAN * (1 + change) * Math.max(0.1, path[before] ?? 1),
        ),
      );
    }
    const time = epochNs(ORIGIN + BigInt(scrape) * BigInt(1_000_000_000 / SCRAPES));
    run.store.append({
      endpointUrl: "http://a:1/metrics",
      time,
      latency: durationNs(1e6),
      requestSent: time,
      outcome: { kind: "samples", batch: { defs, ids, values, length: defs.length } },
    });
  }
  run.setProfilingStart(epochNs(ORIGIN));
  run.setProfilingEnd(epochNs(ORIGIN + BigInt(slices) * 1_000_000_000n));
  return { run, gaugeSlices: gaugePaths.map((path) => path.map((x) => 100 * (1 + change) * x)) };
}

function observe(random: Random, values: Float64Array, at: number, median: number): void {
  for (let k = poisson(random, OBSERVATIONS / SCRAPES); k > 0; k--) {
    const value = median * Math.exp(0.5 * normal(random));
    for (let b = BOUNDS.length; b >= 0 && value <= (BOUNDS[b] ?? Infinity); b--)
      values[at + b] = (values[at + b] ?? 0) + 1;
    values[at + BOUNDS.length + 1] = (values[at + BOUNDS.length + 1] ?? 0) + value;
    values[at + BOUNDS.length + 2] = (values[at + BOUNDS.length + 2] ?? 0) + 1;
  }
}

/** What people do: Welch's t on the slices as if they were independent, against the normal 5 %. */
export function naiveAlarm(a: Float64Array, b: Float64Array): boolean {
  const moments = (x: Float64Array) => {
    const mean = x.reduce((sum, v) => sum + v, 0) / x.length;
    return { mean, error: x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (x.length - 1) / x.length };
  };
  const [ma, mb] = [moments(a), moments(b)];
  return Math.abs(mb.mean - ma.mean) > 1.96 * Math.sqrt(ma.error + mb.error);
}

const DECIDED: readonly Verdict[] = ["better", "worse", "differs"];

export interface Tally {
  readonly rows: number;
  /** Rows with p < 0.05 that are not "cannot tell": what a test by itself would call. */
  readonly significant: number;
  /** Rows called better, worse or differs. */
  readonly alarms: number;
  readonly cannotTell: number;
}

export interface PairsResult {
  /** By type and quantity: "gauge avg", "histogram p99". */
  readonly tallies: ReadonlyMap<string, Tally>;
  /** Of the gauges, by the naive test. */
  readonly naiveAlarms: number;
  readonly gauges: number;
}

/** Compares pairs of simulated runs, of which the second is changed by `change`. */
export function comparePairs(options: Omit<SimulatedRun, "seed">, pairs: number, firstSeed = 1): PairsResult {
  const tallies = new Map<string, Tally>();
  let naiveAlarms = 0;
  let gauges = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const a = simulatedRun({ ...options, change: 0, seed: firstSeed + 2 * pair });
    const b = simulatedRun({ ...options, seed: firstSeed + 2 * pair + 1 });
    a.gaugeSlices.forEach((slices, i) => {
      gauges++;
      naiveAlarms += Number(naiveAlarm(slices, b.gaugeSlices[i] ?? slices));
    });
    for (const { type, quantity, cells } of compareTwo(a.run, b.run, { sliceSeconds: 1 }).rows) {
      const key = `${type} ${quantity}`;
      const cell = cells[0]!;
      const tally = tallies.get(key) ?? { rows: 0, significant: 0, alarms: 0, cannotTell: 0 };
      tallies.set(key, {
        rows: tally.rows + 1,
        significant: tally.significant + Number(cell.p < 0.05 && cell.verdict !== "cannot-tell"),
        alarms: tally.alarms + Number(DECIDED.includes(cell.verdict)),
        cannotTell: tally.cannotTell + Number(cell.verdict === "cannot-tell"),
      });
    }
  }
  return { tallies, naiveAlarms, gauges };
}

export function compareTwo(a: Run, b: Run, options: ComparisonOptions = {}): Comparison {
  const set = (label: string, run: Run) => ({ label, runs: [{ kind: "samples" as const, label, run }] });
  return complete(compareRuns(set("A", a), [set("B", b)], options));
}

/** The run that `demo --record` writes with these options, replayed. */
export async function recordedDemo(options: RecordOptions): Promise<Run> {
  const directory = await mkdtemp(path.join(tmpdir(), "server-metrics-compare-"));
  try {
    const lines: string[] = [];
    await recordDemo(options, (line) => void lines.push(line));
    const file = path.join(directory, "scrapes.jsonl");
    await writeFile(file, lines.join("\n"));
    return (await replayScrapeLog(file, { sliceDurationSeconds: 5 })).run;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export function decidedRows({ rows }: Comparison): readonly ComparisonRow[] {
  return rows.filter(({ cells }) => cells.some(({ verdict }) => DECIDED.includes(verdict)));
}
