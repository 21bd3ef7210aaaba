import { compareTwo, comparePairs, decidedRows, recordedDemo, type PairsResult } from "../support/compare-truth.js";
import { boundText, durationNs, epochNs, type SampleDef } from "../../src/core/model/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { seeded } from "../support/histogram-simulation.js";

const METRICS = { cv: 0.05, gauges: 40, counters: 20, histograms: 12 };
const PAIRS = 40;

/** How often comparisons cry wolf, what they find, on known pairs and on recorded demo runs; and how long they take. */
export async function run(args: string[]): Promise<void> {
  const wanted = (section: string) => args.length === 0 || args.includes(section);
  if (wanted("alarms")) falseAlarms();
  if (wanted("power")) power();
  if (wanted("demo")) await demoRuns();
  if (wanted("speed")) speed();
}

function falseAlarms(): void {
  print(`False alarms without a change, share of metrics (${PAIRS} pairs): p < 0.05 by itself / as a verdict / cannot tell. Allowed: 6 %.`);
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
  print(`A change of 10 % (AR(1), ρ 0.8, CV 5 %, 300 slices), 200 pairs: found in ${percent(found?.alarms ?? 0, found?.rows ?? 0)} (wanted: 90 %), by the naive test in ${percent(result.naiveAlarms, result.gauges)}`);
  for (const change of [0.05, 0.1, 0.2]) {
    const all = comparePairs({ ...METRICS, slices: 300, rho: 0.8, change }, PAIRS / 4, 7000);
    print(`  changed by ${percent(change, 1)}, all metrics of the run: ${tallies(all)}`);
  }
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
  print(`Demo runs of 20 minutes that differ in their seed, 6 pairs: ${percent(alarms, rows)} of ${rows} rows called different, ${percent(same, rows)} the same`);
  for (const kvBlocks of [1600, 1200]) {
    const comparison = compareTwo(runs[0]!, await recordedDemo({ ...options, seed: 5, kvBlocks }));
    const decided = decidedRows(comparison);
    print(`2,200 KV blocks against ${kvBlocks}: ${decided.length} of ${comparison.rows.length} rows differ; the first:`);
    for (const row of decided.slice(0, 10)) {
      const cell = row.cells[0]!;
      print(`  ${cell.verdict.padEnd(8)} ${`${row.family} ${row.quantity}`.padEnd(46)} ${signed(cell.share)} [${signed(cell.shareLow)}, ${signed(cell.shareHigh)}]`);
    }
  }
}

const ENDPOINTS = 5;
const SERIES = 500;
/** As many as vLLM has. */
const HISTOGRAMS = 75;
const BOUNDS = [...Array.from({ length: 19 }, (_, i) => 0.01 * 1.5 ** i), Infinity];

function speed(): void {
  for (const [what, seconds] of [["10 minutes", 600], ["1 hour", 3600]] as const) {
    const [a, b] = [largeRun(seconds, 1), largeRun(seconds, 2)];
    const times = [0, 1].map(() => {
      const start = performance.now();
      const cpu = process.cpuUsage();
      const { rows } = compareTwo(a, b);
      // On a busy machine the clock runs on while others compute.
      return { ms: performance.now() - start, cpu: process.cpuUsage(cpu).user / 1000, rows: rows.length };
    });
    const [first, again] = times;
    if (first === undefined || again === undefined) return;
    const text = (time: typeof first) => `${(time.ms / 1000).toFixed(2)} s (${(time.cpu / 1000).toFixed(2)} s of processor)`;
    print(`Two runs of ${what}, ${ENDPOINTS} × ${SERIES} series (${HISTOGRAMS} histograms each), 333 ms: ${first.rows} rows in ${text(first)}, again ${text(again)}; wanted: 3 s`);
  }
}

function largeRun(seconds: number, seed: number): Run {
  const random = seeded(seed);
  const defs: SampleDef[] = [];
  const scalars = SERIES - HISTOGRAMS;
  for (let i = 0; i < scalars; i++) {
    const type = i % 3 === 0 ? "gauge" : "counter";
    defs.push({ family: { name: `large:${type}${i >> 3}`, type, description: "" }, labels: [["part", String(i & 7)]], part: { kind: "value" } });
  }
  for (let i = 0; i < HISTOGRAMS; i++) {
    const family = { name: `large:duration${i >> 2}_seconds`, type: "histogram", description: "" } as const;
    const labels = [["part", String(i & 3)]] as const;
    for (const upper of BOUNDS) defs.push({ family, labels, part: { kind: "bucket", bound: boundText(upper === Infinity ? "+Inf" : String(upper)), upper } });
    defs.push({ family, labels, part: { kind: "sum" } }, { family, labels, part: { kind: "count" } });
  }
  const ids = Int32Array.from(defs.keys());
  const origin = 1_765_000_000_000_000_000n;
  const run = new Run({ benchmarkId: `large-${seed}`, endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} }, new Store(epochNs(origin)));
  const state = Array.from({ length: ENDPOINTS }, () => new Float64Array(defs.length));
  const width = BOUNDS.length + 2;
  for (let scrape = 0; scrape <= seconds * 3; scrape++) {
    state.forEach((values, endpoint) => {
      for (let i = 0; i < scalars; i++) values[i] = i % 3 === 0 ? 50 + 10 * random() : (values[i] ?? 0) + Math.floor(5 * random());
      for (let h = 0; h < HISTOGRAMS; h++) {
        const at = scalars + h * width;
        const bucket = Math.floor(random() * random() * (BOUNDS.length - 2));
        for (let b = bucket; b < BOUNDS.length; b++) values[at + b] = (values[at + b] ?? 0) + 1;
        values[at + BOUNDS.length] = (values[at + BOUNDS.length] ?? 0) + 0.9 * (BOUNDS[bucket] ?? 0);
        values[at + BOUNDS.length + 1] = (values[at + BOUNDS.length + 1] ?? 0) + 1;
      }
      const time = epochNs(origin + BigInt(scrape) * 333_333_333n + BigInt(endpoint));
      run.store.append({ endpointUrl: `http://a:${8000 + endpoint}/metrics`, time, latency: durationNs(1e6), requestSent: time, outcome: { kind: "samples", batch: { defs, ids, values, length: defs.length } } });
    });
  }
  return run;
}

function tallies({ tallies }: PairsResult): string {
  return [...tallies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { rows, significant, alarms, cannotTell }]) => `${key.replace("histogram ", "")} ${percent(significant, rows)} / ${percent(alarms, rows)} / ${percent(cannotTell, rows)}`)
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
