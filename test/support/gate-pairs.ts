import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import {
  gateOf,
  compareRuns,
  KnownResults,
  type ComparedRun,
  type Comparison,
  type Gate,
} from "../../src/core/compare/index.js";
import { getOrInsert } from "../../src/core/math/index.js";
import { complete } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { recordDemo } from "../../src/demo/index.js";
import { replayScrapeLog } from "../../src/files/index.js";
import { realRun } from "./real-runs.js";
import { simulateServing } from "./simulated-serving.js";
import { WORKLOADS } from "./served-pairs.js";

/** How often a gate fails. */
export interface Failures {
  readonly failed: number;
  readonly of: number;
}

export interface GateRates {
  /** Pairs of one configuration. */
  readonly equal: Failures;
  /** The same pairs, every latency of the second run doubled. */
  readonly doubled: Failures;
}

type Simulated = (seed: number, doubled: boolean) => Promise<Run>;

/** Three servers: near saturation with a queue, under a steady load, and under one that comes in bursts. */
export const SIMULATED: Readonly<Record<string, Simulated>> = {
  demo: recorded,
  steady: (seed, doubled) => Promise.resolve(slowed("steady", seed, doubled)),
  sglang: (seed, doubled) => Promise.resolve(slowed("sglang", seed, doubled)),
};

/** Single runs of a simulated server, each with another seed, two and two. */
export async function simulatedGates(server: Simulated, pairs: number, firstSeed: number): Promise<GateRates> {
  const equal = new Count();
  const doubled = new Count();
  for (let pair = 0; pair < pairs; pair++) {
    const [first, second] = [firstSeed + 2 * pair, firstSeed + 2 * pair + 1];
    const baseline = await server(first, false);
    equal.add(gateBetween([baseline], [await server(second, false)]));
    doubled.add(gateBetween([baseline], [await server(second, true)]));
  }
  return { equal, doubled };
}

export interface RealGates extends GateRates {
  /** A run with fewer slots against one with enough, by single runs and by sets of three. */
  readonly changed: Failures;
  readonly changedSets: Failures;
}

/** The repeats of one configuration and of a changed one that were recorded of a real server, 15 s each. */
export async function realGates(directory: string, every = 1): Promise<RealGates> {
  const names = readdirSync(directory).sort();
  const load = (prefix: string) =>
    Promise.all(names.filter((name) => name.startsWith(prefix)).map((name) => realRun(path.join(directory, name))));
  const [as, bs] = [await load("A"), await load("B")];
  const twice = await Promise.all(
    names.filter((name) => name.startsWith("A")).map((name) => realDoubled(path.join(directory, name))),
  );
  const [equal, doubled, changed, changedSets] = [new Count(), new Count(), new Count(), new Count()];
  let n = 0;
  const wanted = () => n++ % every === 0;
  for (const [i, a] of as.entries()) {
    for (const [j, other] of as.entries()) {
      if (i === j || !wanted()) continue;
      equal.add(gateBetween([a], [other]));
      const slow = twice[j];
      if (slow !== undefined) doubled.add(gateBetween([a], [slow]));
    }
    for (const b of bs) if (wanted()) changed.add(gateBetween([a], [b]));
  }
  for (const [i, a] of as.entries())
    for (const [j, second] of as.entries())
      for (const [k, third] of as.entries())
        if (i < j && j < k && wanted()) changedSets.add(gateBetween([a, second, third], bs));
  return { equal, doubled, changed, changedSets };
}

class Count implements Failures {
  failed = 0;
  of = 0;

  add({ exitCode }: Gate): void {
    this.of++;
    this.failed += Number(exitCode === 1);
  }
}

/** Of every run that was compared: it is compared with many others, and estimates cost the most of each comparison. */
const KNOWN = new WeakMap<Run, KnownResults>();

/** As `compare --fail-on worse` does: over the key metrics. */
export function gateBetween(baseline: readonly Run[], candidate: readonly Run[]): Gate {
  const set = (label: string, runs: readonly Run[]) => ({
    label,
    runs: runs.map((run): ComparedRun => {
      const known = getOrInsert(KNOWN, run, () => new KnownResults());
      return { kind: "samples", label, run, known };
    }),
  });
  const comparison: Comparison = complete(compareRuns(set("A", baseline), [set("B", candidate)]));
  return gateOf(
    comparison,
    comparison.rows.filter(({ isKey }) => isKey),
    "pass",
  );
}

function slowed(workload: string, seed: number, doubled: boolean): Run {
  const options = WORKLOADS[workload] ?? {};
  const factor = doubled ? 2 : 1;
  const { base = 0.012, slope = 0.014, prefill = 40e-6 } = options;
  return simulateServing(seed, { ...options, base: base * factor, slope: slope * factor, prefill: prefill * factor })
    .run;
}

/** Of the last recording, which is the same with latencies doubled. */
let last: { readonly seed: number; readonly lines: readonly string[] } | undefined;

async function recorded(seed: number, doubled: boolean): Promise<Run> {
  if (last?.seed !== seed) {
    const lines: string[] = [];
    await recordDemo({ seed, durationSeconds: 120 }, (line) => void lines.push(line));
    last = { seed, lines };
  }
  const { lines } = last;
  return replayed(doubled ? lines.map(twiceAsLong) : lines, (file) =>
    replayScrapeLog(file, { sliceDurationSeconds: 5 }).then(({ run }) => run),
  );
}

async function realDoubled(folder: string): Promise<Run> {
  const text = (await promisify(gunzip)(await readFile(path.join(folder, "scrapes.jsonl.gz")))).toString("utf8");
  const window = await readFile(path.join(folder, "window.json"));
  return replayed(text.trimEnd().split("\n").map(twiceAsLong), async (file) => {
    const copy = path.dirname(file);
    await writeFile(path.join(copy, "window.json"), window);
    await writeFile(path.join(copy, "scrapes.jsonl.gz"), await promisify(gzip)(await readFile(file)));
    return realRun(copy);
  });
}

async function replayed(lines: readonly string[], read: (file: string) => Promise<Run>): Promise<Run> {
  const directory = await mkdtemp(path.join(tmpdir(), "server-metrics-gate-"));
  try {
    const file = path.join(directory, "log.jsonl");
    await writeFile(file, lines.join("\n"));
    return await read(file);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const BUCKET = /^(\S*_seconds)_bucket(\{.*?)(,?)le="([^"]+)"(.*\}) (\S+)$/;

/** A line of a scrape log in which every observation of seconds took twice as long, spread evenly in its bucket. */
export function twiceAsLong(line: string): string {
  const scrape = JSON.parse(line.replace(/"t_ns":\s*(\d+)/, '"t_ns":"$1"')) as { body?: string; t_ns: string };
  if (scrape.body === undefined) return line;
  const rows = scrape.body.split("\n");
  const groups = new Map<string, { readonly row: number; readonly upper: number; readonly count: number }[]>();
  rows.forEach((text, row) => {
    const [, name = "", before = "", , upper = "", after = "", value = ""] = BUCKET.exec(text) ?? [];
    if (name === "") {
      const sum = /^(\S*_seconds_sum(?:\{.*\})?) (\S+)$/.exec(text);
      if (sum !== null) rows[row] = `${sum[1]} ${2 * Number(sum[2])}`;
      return;
    }
    const key = `${name}${before}${after}`;
    const known = groups.get(key) ?? [];
    groups.set(key, known);
    known.push({ row, upper: upper === "+Inf" ? Infinity : Number(upper), count: Number(value) });
  });
  for (const buckets of groups.values())
    for (const { row, upper } of buckets) {
      if (upper === Infinity) continue;
      const half = upper / 2;
      const above = buckets.findIndex((bucket) => bucket.upper >= half);
      const [low, high] = [buckets[above - 1] ?? { upper: 0, count: 0 }, buckets[above] ?? { upper: half, count: 0 }];
      const inside = high.upper === low.upper ? 1 : (half - low.upper) / (high.upper - low.upper);
      const count = Math.floor(low.count + inside * (high.count - low.count));
      rows[row] = (rows[row] ?? "").replace(/ \S+$/, ` ${count}`);
    }
  return JSON.stringify({ ...scrape, body: rows.join("\n") }).replace(/"t_ns":"(\d+)"/, '"t_ns":$1');
}
