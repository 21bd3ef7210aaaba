import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { compareTwo, comparePairs, decidedRows, recordedDemo, type PairsResult } from "../support/compare-truth.js";
import { mean } from "../support/quantile-errors.js";
import { scriptedPairs } from "../support/scripted-pairs.js";
import { realGates, SIMULATED, simulatedGates, type Failures } from "../support/gate-pairs.js";
import { realDirectory } from "../support/real-runs.js";
import { servedPairs } from "../support/served-pairs.js";
import { truthDir } from "../support/served-quantiles.js";
import { firstFamilies } from "../../src/core/compare/index.js";
import { epochNs } from "../../src/core/model/index.js";
import { recordedWindow } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { ParquetArtifact } from "../../src/files/open/index.js";
import { writeParquet } from "../../src/files/parquet/write.js";
import { largeRun } from "../support/large-run.js";

const METRICS = { cv: 0.05, gauges: 40, counters: 20, histograms: 12 };
const PAIRS = 40;

/** How often comparisons cry wolf, what they find, on known pairs and on recorded demo runs; and how long they take. */
export async function run(args: string[]): Promise<void> {
  if (args[0] === "measure") return measure(args.slice(1));
  const wanted = (section: string) => args.length === 0 || args.includes(section);
  if (wanted("alarms")) falseAlarms();
  if (wanted("power")) power();
  if (wanted("served")) await servedRuns(args[0] === "served" ? args[1] : undefined);
  if (wanted("demo")) await demoRuns();
  if (wanted("gate")) await gates(args[0] === "gate" ? args[1] : undefined);
  if (wanted("speed")) speed();
  if (wanted("files")) await files(args[0] === "files" ? args[1] : undefined);
}

function falseAlarms(): void {
  print(
    `False alarms without a change, share of metrics (${PAIRS} pairs): p < 0.05 by itself / as a verdict / cannot tell. Allowed: 6 %.`,
  );
  for (const slices of [120, 300]) {
    for (const rho of [0, 0.5, 0.8, 0.95]) {
      const result = comparePairs({ ...METRICS, slices, rho }, PAIRS, 1000);
      print(`  ${slices} slices, ρ ${rho}: naive ${percent(result.naiveAlarms, result.gauges)}  ${tallies(result)}`);
    }
  }
}

function power(): void {
  const result = comparePairs({ slices: 300, rho: 0.8, cv: 0.05, gauges: 1, change: 0.1 }, 200, 5000);
  const found = result.tallies.get("gauge avg");
  print(
    `A change of 10 % (AR(1), ρ 0.8, CV 5 %, 300 slices), 200 pairs: found in ${percent(found?.alarms ?? 0, found?.rows ?? 0)} (wanted: 90 %), by the naive test in ${percent(result.naiveAlarms, result.gauges)}`,
  );
  for (const change of [0.05, 0.1, 0.2]) {
    const all = comparePairs({ ...METRICS, slices: 300, rho: 0.8, change }, PAIRS / 4, 7000);
    print(`  changed by ${percent(change, 1)}, all metrics of the run: ${tallies(all)}`);
  }
}

/**
 * Servers simulated step by step, as many seeds as are asked for: those of served.py and compare_coverage.py where they
 * are found (`TRUTH_DIR`), else of the project's own simulator. `served [seeds=5]`
 */
async function servedRuns(seeds = "5"): Promise<void> {
  const wanted = Array.from({ length: Number(seeds) }, (_, i) => 9000 + 1000 * i);
  const scripts = truthDir();
  print(scripts === undefined ? "no compare_coverage.py: servers of test/support" : `servers of ${scripts}`);
  const { alarms, covered, found, closed, errors } =
    scripts === undefined ? servedPairs(wanted) : await scriptedPairs(scripts, wanted);
  const share = (part: { readonly hits: number; readonly of: number } | undefined) =>
    `${part?.hits ?? 0} of ${part?.of ?? 0}`.padEnd(12);
  const decided = (key: string) => (found.get(`${key} avg`)?.hits ?? 0) + (found.get(`${key} p50`)?.hits ?? 0);
  const each = (value: number) => (value / Number(seeds)).toFixed(1);
  print(`Simulated servers, ${seeds} seeds of six workloads, against themselves and against steps 10 and 30 % slower`);
  print(`  30 % slower found worse, average and median of token latencies, of 24: ${each(decided("30"))} (wanted: 22)`);
  print(`  10 % slower: ${each(decided("10"))}; in the closed loop, of 4: ${each(closed.hits)} (wanted: 4)`);
  for (const quantity of ["p50", "p90", "p99"])
    print(`  95 % intervals of ${quantity} that hold the truth: ${share(covered.get(quantity))} (wanted: 0.93)`);
  print(`  equals called different: ${share(alarms)} (allowed: 0.05)`);
  for (const [quantity, { ours, linear }] of errors)
    print(
      `  mean error of a difference of ${quantity}, in shares of the value: ${mean(ours).toFixed(3)} (linear: ${mean(linear).toFixed(3)})`,
    );
}

/** How often `--fail-on worse` fails, without a change and with one. `gate [pairs=67]` of each simulated server */
async function gates(pairs = "67"): Promise<void> {
  const share = ({ failed, of }: Failures) => `${failed} of ${of}`;
  print(`Gates over single runs: pairs that fail without a change (allowed: 5 %), and with every latency doubled`);
  for (const [name, server] of Object.entries(SIMULATED)) {
    const { equal, doubled } = await simulatedGates(server, Number(pairs), 5000);
    print(`  ${name.padEnd(8)} ${share(equal).padEnd(12)} ${share(doubled)} (wanted: 80 %)`);
  }
  const directory = join(realDirectory(), "repeats");
  if (!existsSync(directory)) return print("  no recorded repeats of a real server");
  const { equal, doubled, changed, changedSets } = await realGates(directory);
  print(`  real     ${share(equal).padEnd(12)} ${share(doubled)}`);
  print(`  real, with fewer slots: ${share(changed)} by single runs, ${share(changedSets)} by sets of three`);
}

async function demoRuns(): Promise<void> {
  const options = { durationSeconds: 1200, intervalMs: 1000 };
  const runs: Run[] = [];
  for (const seed of [1, 2, 3, 4]) runs.push(await recordedDemo({ ...options, seed }));
  let rows = 0;
  let alarms = 0;
  let same = 0;
  for (let a = 0; a < runs.length; a++) {
    for (let b = a + 1; b < runs.length; b++) {
      const comparison = compareTwo(runs[a]!, runs[b]!);
      rows += comparison.rows.length;
      alarms += decidedRows(comparison).length;
      same += comparison.rows.filter(({ cells }) => cells[0]!.verdict === "same").length;
    }
  }
  print(
    `Demo runs of 20 minutes that differ in their seed, 6 pairs: ${percent(alarms, rows)} of ${rows} rows called different, ${percent(same, rows)} the same`,
  );
  for (const kvBlocks of [1600, 1200]) {
    const comparison = compareTwo(runs[0]!, await recordedDemo({ ...options, seed: 5, kvBlocks }));
    const decided = decidedRows(comparison);
    print(
      `2,200 KV blocks against ${kvBlocks}: ${decided.length} of ${comparison.rows.length} rows differ; the first:`,
    );
    for (const row of decided.slice(0, 10)) {
      const cell = row.cells[0]!;
      print(
        `  ${cell.verdict.padEnd(8)} ${`${row.family} ${row.quantity}`.padEnd(46)} ${signed(cell.share)} [${signed(cell.shareLow)}, ${signed(cell.shareHigh)}]`,
      );
    }
  }
}

const FLEET = { endpoints: 5, engines: 4, scalars: 425, histograms: 75 };

function speed(): void {
  for (const [what, seconds] of [
    ["10 minutes", 600],
    ["1 hour", 3600],
  ] as const) {
    const [a, b] = [1, 2].map((seed) => largeRun({ ...FLEET, seconds, seed }));
    if (a === undefined || b === undefined) return;
    print(
      `Two runs of ${what} in memory, ${FLEET.endpoints} × ${FLEET.scalars + FLEET.histograms} series (${FLEET.histograms} histograms each), 333 ms`,
    );
    for (const which of ["first time", "again"]) {
      const watch = stopwatch();
      const { rows } = compareTwo(a, b);
      print(`  ${which}: ${rows.length} rows in ${watch()}`);
    }
  }
}

/** An exposition of 500 lines, as a vLLM server has: 15 histograms of 22 lines each. */
const SERVERS = { endpoints: 5, engines: 1, scalars: 170, histograms: 15 };

/** From two Parquet files on disk to the table: of the key metrics first, then of all. `files [seconds=3600]` */
async function files(seconds = "3600"): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "server-metrics-bench-"));
  try {
    const paths: string[] = [];
    let rows = 0;
    let bytes = 0;
    for (const seed of [1, 2]) {
      const path = join(directory, `${seed}.parquet`);
      const run = largeRun({ ...SERVERS, seconds: Number(seconds), seed });
      rows += await writeParquet(path, run, {
        window: recordedWindow(run),
        sliceDurationSeconds: 5,
        exporter: { version: "0" },
        exportTime: epochNs(1n),
        hostname: "bench",
      });
      bytes += (await stat(path)).size;
      paths.push(path);
    }
    print(
      `Two Parquet files of ${seconds} s, ${SERVERS.endpoints} endpoints of 500 lines, 333 ms: ${(rows / 1e6).toFixed(1)} M rows, ${(bytes / 1e6).toFixed(0)} MB`,
    );
    // In a process of its own: nothing is compiled or in memory yet.
    const { stdout } = await promisify(execFile)(process.execPath, [process.argv[1] ?? "", "measure", ...paths]);
    process.stdout.write(stdout);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(paths: readonly string[]): Promise<void> {
  const watch = stopwatch();
  const table = async (what: string, load: (artifact: ParquetArtifact) => Promise<Run>, partial = false) => {
    const [a, b] = await Promise.all(artifacts.map(load));
    if (a === undefined || b === undefined) throw new Error("two files are needed");
    const read = watch();
    const { rows } = compareTwo(a, b, { partial });
    print(`  ${what}: read after ${read}, ${rows.length} rows after ${watch()}`);
  };
  const artifacts = await Promise.all(paths.map((path) => ParquetArtifact.open(path)));
  await table(
    "key metrics",
    async (artifact) => artifact.loadFamilies(firstFamilies((await artifact.families()).map(({ name }) => name))),
    true,
  );
  await table("all", (artifact) => artifact.loadAll());
  print(`  peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
  await Promise.all(artifacts.map((artifact) => artifact.close()));
}

/**
 * Time since it was made, and processor time: of this thread, and of the whole process. On a busy machine the clock
 * runs on while others compute. About half of the process's time is of V8's collector and compilers, which work beside
 * this thread: on two idle cores the clock shows little more than the thread's time.
 */
function stopwatch(): () => string {
  const start = performance.now();
  const before = process.cpuUsage();
  const threadBefore = threadSeconds();
  return () => {
    const { user, system } = process.cpuUsage(before);
    const thread =
      threadBefore === undefined ? "" : `${((threadSeconds() ?? NaN) - threadBefore).toFixed(2)} s of this thread, `;
    return `${((performance.now() - start) / 1000).toFixed(2)} s (${thread}${((user + system) / 1e6).toFixed(2)} s of processor)`;
  };
}

/** Processor time of this thread; undefined where the system does not tell. */
function threadSeconds(): number | undefined {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e9;
  } catch {
    return undefined;
  }
}

function tallies({ tallies }: PairsResult): string {
  return [...tallies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([key, { rows, significant, alarms, cannotTell }]) =>
        `${key.replace("histogram ", "")} ${percent(significant, rows)} / ${percent(alarms, rows)} / ${percent(cannotTell, rows)}`,
    )
    .join("   ");
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

function signed(share: number): string {
  return `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)} %`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
