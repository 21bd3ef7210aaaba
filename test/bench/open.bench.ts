import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { writeJson } from "../../src/core/artifacts/index.js";
import { familyUnit } from "../../src/core/catalog/index.js";
import { ExpositionParser } from "../../src/core/exposition/index.js";
import { durationNs, epochNs } from "../../src/core/model/index.js";
import { chartSteps } from "../../src/core/query/index.js";
import { complete, runStatistics } from "../../src/core/stats/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { openArtifact, openForViewing, ParquetArtifact } from "../../src/files/open/index.js";
import { writeLargeJsonl, writeLargeParquet } from "../support/large-artifacts.js";
import { vllmExpositions } from "../support/vllm-exposition.js";

const ORIGIN = 1_765_000_000_000_000_000n;
const URL = "http://node0:8000/metrics";
const METADATA = {
  benchmarkId: "00000000-0000-4000-8000-000000000000",
  endpointsConfigured: [URL],
  sliceDurationSeconds: 5,
  inputConfig: {},
};

/**
 * Opening artifacts: `npm run bench -- open [jsonl=30] [parquet=0.3] [json=20]`, in MB of JSONL and JSON and millions
 * of rows of Parquet; 0 leaves one out. Each beside a plain reading of the same file.
 */
export async function run(args: string[]): Promise<void> {
  const [first, task, path, name] = args;
  if (first === "measure") return measure(TASKS[task ?? ""], path ?? "", name ?? "");
  const sizes = new Map(args.map((arg) => arg.split("=", 2) as [string, string]));
  const size = (name: string, usual: number) => Number(sizes.get(name) ?? usual);
  const directory = await mkdtemp(join(tmpdir(), "server-metrics-bench-"));
  try {
    if (size("jsonl", 30) > 0)
      await benchJsonl(join(directory, "server_metrics_export.jsonl"), size("jsonl", 30) * 1e6);
    if (size("parquet", 0.3) > 0)
      await benchParquet(join(directory, "server_metrics_export.parquet"), size("parquet", 0.3) * 1e6);
    if (size("json", 20) > 0) await benchJson(join(directory, "server_metrics_export.json"), size("json", 20) * 1e6);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function benchJsonl(path: string, bytes: number): Promise<void> {
  await writeLargeJsonl(path, bytes);
  const { size } = await stat(path);
  console.log(
    `JSONL of ${megabytes(size)}, vLLM-like, every value moving; load ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} cores`,
  );
  const opened = await measured("open", path);
  const plain = await measured("parse", path);
  report("first usable view", opened.firstSeconds);
  report("whole file", opened.seconds, size, opened);
  report("JSON.parse per line, nothing kept", plain.seconds, size, plain);
  console.log(
    `  ${(plain.seconds / opened.seconds).toFixed(1)}× as fast as JSON.parse per line, ${(plain.cpuSeconds / opened.cpuSeconds).toFixed(1)}× by CPU time`,
  );
}

/** Rows from which on a view reads a file family by family. */
const LARGE = 500_000;

async function benchParquet(path: string, rows: number): Promise<void> {
  const written = await writeLargeParquet(path, rows);
  const { size } = await stat(path);
  const artifact = await ParquetArtifact.open(path);
  const families = await artifact.families();
  await artifact.close();
  const middle = families[families.length >> 1];
  if (middle === undefined) throw new Error("no families");
  console.log(`Parquet of ${(written / 1e6).toFixed(1)} M rows, ${megabytes(size)}, ${families.length} families`);
  const [names, one, duck, whole] = [
    await measured("families", path),
    await measured("family", path, middle.name),
    await measured("duckdb", path, middle.name),
    await measured("open", path),
  ];
  report("names of the families", names.seconds, undefined, names);
  report(`one of them (${middle.rows} rows)`, one.seconds, undefined, one);
  const listed = families.map(({ name }) => name);
  if (written > LARGE) {
    const [few, all] = [
      await measured("view", path, listed.slice(-3).join(" ")),
      await measured("view", path, listed.join(" ")),
    ];
    report("as a view does: to the first metric", few.firstSeconds);
    report("to the third", few.seconds, undefined, few);
    report("one after the other, to the last", all.seconds, undefined, all);
  }
  report("DuckDB, the same rows", duck.seconds, undefined, duck);
  report("whole file", whole.seconds, size, whole);
}

async function benchJson(path: string, bytes: number): Promise<void> {
  await writeLargeJson(path, bytes);
  const { size } = await stat(path);
  console.log(`JSON of ${megabytes(size)}`);
  const opened = await measured("open", path);
  report("whole file", opened.seconds, size, opened);
}

interface Measured {
  readonly seconds: number;
  readonly firstSeconds: number;
  /** Of all threads: what others do on the machine delays the clock, not this. */
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

type Task = (path: string, name: string, onFirst: () => void) => Promise<unknown>;

const TASKS: Readonly<Record<string, Task>> = {
  open: (path, _, onFirst) => openArtifact(path, { onFirstSamples: onFirst }),
  parse: (path) => parsePerLine(path),
  families: async (path) => {
    const artifact = await ParquetArtifact.open(path);
    return artifact.families();
  },
  family: async (path, name) => {
    const artifact = await ParquetArtifact.open(path);
    return artifact.loadFamily(name);
  },
  view: async (path, names, onFirst) => {
    const opened = await openForViewing(path);
    if (opened.kind !== "families") throw new Error("the file was read whole");
    for (const [i, name] of names.split(" ").entries()) {
      const run = await opened.families.load(name);
      complete(chartSteps(run, { family: name, maxSeries: 10, maxPoints: 2000 }));
      if (i === 0) onFirst();
    }
    return opened;
  },
  duckdb: (path, name) =>
    duckdb(
      `select timestamp_ns, engine, bucket_le, bucket_count, sum, count, value from '${path}' where metric_name = '${name}'`,
    ),
};

/** In a process of its own: what others left in memory, and what was compiled for them, does not count. */
async function measured(task: string, path: string, name = ""): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [process.argv[1] ?? "", "measure", task, path, name]);
  return JSON.parse(stdout) as Measured;
}

async function measure(task: Task | undefined, path: string, name: string): Promise<void> {
  if (task === undefined) throw new Error("no such task");
  let firstSeconds = NaN;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await task(path, name, () => (firstSeconds = (performance.now() - start) / 1000));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (result === undefined) throw new Error(`nothing was read from ${path}`);
  console.log(
    JSON.stringify({
      seconds,
      firstSeconds,
      cpuSeconds: (user + system) / 1e6,
      peakBytes: process.resourceUsage().maxRSS * 1024,
    }),
  );
  // A file that is still open must not keep the process.
  process.exit(0);
}

async function parsePerLine(path: string): Promise<number> {
  let lines = 0;
  for await (const line of createInterface({ input: createReadStream(path, { highWaterMark: 1 << 20 }) }))
    if (JSON.parse(line) !== null) lines++;
  return lines;
}

async function writeLargeJson(path: string, bytes: number): Promise<void> {
  const store = new Store(epochNs(ORIGIN));
  const parser = new ExpositionParser();
  const encoder = new TextEncoder();
  const source = vllmExpositions({ engines: 8, moving: 1, seed: 2 });
  for (let i = 0; i < 200; i++) {
    const time = epochNs(ORIGIN + BigInt(i) * 1_000_000_000n);
    store.append({
      endpointUrl: URL,
      time,
      latency: durationNs(1),
      requestSent: time,
      outcome: { kind: "samples", batch: parser.parse(encoder.encode(source.next().value), "text") },
    });
  }
  const statistics = complete(
    runStatistics(new Run({ ...METADATA, sliceDurationSeconds: 1 }, store), { unitOf: familyUnit }),
  );
  const once = [...writeJson(statistics, { version: "0" })].join("").length;
  // The same families under other names until the size is reached.
  const copies = Array.from({ length: Math.ceil(bytes / once) }, (_, c) =>
    statistics.families.map((family) => ({ ...family, name: `${family.name}_${c}` })),
  ).flat();
  const file = await open(path, "w");
  try {
    for (const piece of writeJson({ ...statistics, families: copies }, { version: "0" })) await file.appendFile(piece);
  } finally {
    await file.close();
  }
}

async function duckdb(sql: string): Promise<number> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).currentRowCount;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function report(what: string, seconds: number, bytes?: number, cost?: Measured): void {
  const rate = bytes === undefined ? "" : `  ${(bytes / 1e6 / seconds).toFixed(0).padStart(5)} MB/s`;
  const told =
    cost === undefined ? "" : `  CPU ${cost.cpuSeconds.toFixed(2).padStart(5)} s  peak ${megabytes(cost.peakBytes)}`;
  console.log(`  ${what.padEnd(44)} ${seconds.toFixed(2).padStart(7)} s${rate.padEnd(12)}${told}`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
