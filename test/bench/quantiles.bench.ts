import { performance } from "node:perf_hooks";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PERCENTILES } from "../../src/core/model/index.js";
import { estimateQuantiles } from "../../src/core/stats/quantiles/index.js";
import { normal, simulate, simulations, trueQuantile } from "../support/histogram-simulation.js";
import { readQuantileCases } from "../support/quantile-conformance.js";
import { mean, relativeError, SCORED } from "../support/quantile-errors.js";
import {
  holdsTruth,
  realQuantiles,
  servedQuantiles,
  truthDir,
  type ServedQuantile,
} from "../support/served-quantiles.js";

/** Relative errors of one series over SCORED. */
interface Scored {
  readonly group: string;
  readonly linear: readonly number[];
  readonly ours: readonly number[];
  readonly aiperf?: readonly number[];
}

const SIMULATIONS = 480;
const BUCKETS = 20;
const SCRAPES = 10_000;
const REPEATS = 15;
/** Width of the column of names. */
const NAME = 32;

/** Errors of the estimates on the conformance series and on simulated ones, and what an estimate costs. */
export async function run(_args: string[]): Promise<void> {
  const folder = join(process.env["CONFORMANCE_DIR"] ?? "../shared/conformance", "quantiles");
  if (existsSync(folder)) {
    console.log("Relative error over p50, p90, p95, p99: conformance series\n");
    print(await scoreConformance(folder));
  } else {
    console.log(`no conformance data at ${folder}: simulated series only`);
  }
  const truth = truthDir();
  if (truth === undefined) console.log("\nno served.py: simulated servers left out");
  else {
    console.log("\nSimulated servers: what they did, first bounds as the scale below them\n");
    const served = await observeServed(truth);
    print(served.map(scoreOf));
    summarise(served);
    const real = await realQuantiles(truth);
    if (real.length > 0) {
      console.log("\nReal vLLM servers, by run and by family: what they observed\n");
      print(real.map((one) => ({ ...scoreOf(one), group: one.run })));
      print(real.map(scoreOf));
      summarise(real);
    }
  }
  console.log("\nSimulated series: every shape on random layouts, loads and lengths\n");
  print(scoreSimulations());
  console.log(
    `\nOne series of ${BUCKETS} buckets over ${SCRAPES} scrapes, all percentiles (best and median of ${REPEATS})\n`,
  );
  for (const perScrape of [0.7, 5, 60, 500]) cost(perScrape);
}

async function scoreConformance(folder: string): Promise<Scored[]> {
  return (await readQuantileCases(folder)).map(({ family, estimates, truth, reference }) => {
    const errors = (values: readonly number[]) => values.map((value, i) => relativeError(value, truth[i] ?? NaN));
    return {
      group: family,
      linear: errors(estimates.map((e) => e.linear)),
      ours: errors(estimates.map((e) => e.value)),
      aiperf: errors(reference),
    };
  });
}

async function observeServed(truth: string): Promise<ServedQuantile[]> {
  const folder = mkdtempSync(join(tmpdir(), "served-"));
  try {
    return await servedQuantiles(truth, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function scoreOf({ family, linear, error }: ServedQuantile): Scored {
  return { group: family.replace(/_seconds$|_histogram$/, ""), linear: [linear], ours: [error] };
}

/** How often linear was nearer, how often the 90 % intervals hold the truth, and what noise of the client's does. */
function summarise(served: readonly ServedQuantile[]): void {
  const worse = served.filter(({ error, linear }) => error > linear + 0.02);
  const widths = served.flatMap(({ estimate: { interval, lower, upper } }) =>
    upper > lower && upper < Infinity ? [(interval[1] - interval[0]) / (upper - lower)] : [],
  );
  const noisy = served.filter((one) => one.run.startsWith("client_side") && one.family.startsWith("inter_token"));
  console.log(`worse than linear by over 0.02: ${worse.length} of ${served.length}`);
  console.log(
    `90 % intervals: hold ${(mean(served.map((one) => Number(holdsTruth(one)))) * 100).toFixed(1)} %, ${mean(widths).toFixed(3)} as wide as the hard ones`,
  );
  if (noisy.length > 0)
    console.log(
      `inter-token latency of client_side*: worst ${Math.max(...noisy.map(({ error }) => error)).toFixed(3)} (linear ${Math.max(...noisy.map(({ linear }) => linear)).toFixed(3)})`,
    );
}

function scoreSimulations(): Scored[] {
  return simulations(SIMULATIONS, 1).map((simulation) => {
    const { sequence, observations } = simulate(simulation);
    const estimates = estimateQuantiles(sequence, SCORED);
    const errors = (values: readonly number[]) =>
      values.map((value, i) => relativeError(value, trueQuantile(observations, SCORED[i] ?? NaN)));
    return {
      group: simulation.shape,
      linear: errors(estimates.map((e) => e.linear)),
      ours: errors(estimates.map((e) => e.value)),
    };
  });
}

function print(scored: readonly Scored[]): void {
  const column = (errors: readonly number[]) =>
    (errors.length === 0 ? "" : `${mean(errors).toFixed(4)} / ${Math.max(...errors).toFixed(3)}`).padEnd(18);
  console.log(
    `${"mean / worst".padEnd(NAME)}${"linear".padEnd(18)}${"ours".padEnd(18)}${scored.some((s) => s.aiperf) ? "AIPerf" : ""}`,
  );
  for (const group of [...new Set(scored.map((s) => s.group)), "overall"]) {
    const of = scored.filter((s) => group === "overall" || s.group === group);
    console.log(
      group.padEnd(NAME) +
        column(of.flatMap((s) => s.linear)) +
        column(of.flatMap((s) => s.ours)) +
        column(of.flatMap((s) => s.aiperf ?? [])),
    );
  }
}

function cost(perScrape: number): void {
  const { sequence } = simulate({
    uppers: Array.from({ length: BUCKETS - 1 }, (_, i) => 0.001 * 2 ** i),
    draw: (random) => 0.2 * Math.exp(1.9 * normal(random)),
    rate: () => perScrape,
    intervals: SCRAPES,
    seed: 1,
  });
  const qs = PERCENTILES.map((p) => p / 100);
  const times = Array.from({ length: REPEATS }, () => {
    const start = performance.now();
    estimateQuantiles(sequence, qs);
    return performance.now() - start;
  }).sort((a, b) => a - b);
  console.log(
    `${String(perScrape).padStart(5)} observations a scrape: ${(times[0] ?? NaN).toFixed(1)} ms, ${(times[REPEATS >> 1] ?? NaN).toFixed(1)} ms`,
  );
}
