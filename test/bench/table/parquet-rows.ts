import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ParquetArtifact } from "../../../src/files/open/index.js";
import { loadParquetWasm } from "../../../src/files/parquet/wasm.js";
import { linesOf, scaleRun, type RunScale } from "../../support/scale-run.js";
import type { BenchRow, Task } from "./frame.js";
import { inputFile, temporaryFolder, writeRun } from "./inputs.js";

/** 113 series in 491 lines an endpoint: 455 rows a scrape of it. */
const FIVE: RunScale = { endpoints: 5, scalars: 95, histograms: 18, bounds: 20, scrapes: 500 };
const FAMILY = "app:latency_9_seconds";

function ofScale(scale: number): RunScale {
  return { ...FIVE, scrapes: Math.round(FIVE.scrapes * scale) };
}

/** One row per bound of each histogram sample. */
export function rowsOf({ endpoints, scalars, histograms, bounds, scrapes }: RunScale): number {
  return endpoints * scrapes * (scalars + histograms * bounds);
}

const work = (scale: number) => {
  const run = ofScale(scale);
  return `${(rowsOf(run) / 1e6).toFixed(2)} M rows: ${run.endpoints} endpoints × ${linesOf(run)} lines × ${run.scrapes} scrapes`;
};

const written = (scale: number) =>
  inputFile(`five-${scale}.parquet`, async (path) => {
    await writeRun(path, scaleRun(ofScale(scale)));
  });

/** What DuckDB does with a file, with one thread, as ours. */
export const duckdb =
  (sql: (path: string) => string) =>
  (write: (scale: number) => Promise<string>): Task =>
  async (scale) => {
    const path = await write(scale);
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    return async () => (await connection.runAndReadAll(sql(path))).currentRowCount;
  };

const read =
  (load: (artifact: ParquetArtifact) => Promise<unknown>): Task =>
  async (scale) => {
    const path = await written(scale);
    return async () => {
      const artifact = await ParquetArtifact.open(path);
      await load(artifact);
      await artifact.close();
    };
  };

export const PARQUET_ROWS: readonly BenchRow[] = [
  {
    name: "Parquet written",
    work,
    goal: { seconds: 0.8 * 1.14 },
    quick: 0.3,
    growth: [0.1, 1, 10],
    keeps: 1.4,
    ours: async (scale) => {
      const run = scaleRun(ofScale(scale));
      const path = join(await temporaryFolder(), "run.parquet");
      return () => writeRun(path, run);
    },
    anchor: {
      name: "parquet-wasm, the same table from Arrow",
      task: async (scale) => {
        const wasm = await loadParquetWasm();
        const table = wasm.readParquet(await readFile(await written(scale)));
        const ipc = table.intoIPCStream();
        return () => {
          const properties = new wasm.WriterPropertiesBuilder().setCompression(wasm.Compression.SNAPPY).build();
          return wasm.writeParquet(wasm.Table.fromIPCStream(ipc), properties);
        };
      },
    },
  },
  {
    name: "Parquet opened whole",
    work,
    inputs: written,
    goal: { seconds: 0.25 },
    scale: 0.44,
    quick: 0.44,
    growth: [0.1, 1, 10],
    keeps: 1,
    cold: true,
    ours: read((artifact) => artifact.loadAll()),
    anchor: {
      name: "DuckDB, all rows into a table",
      task: duckdb((path) => `create or replace table t as from '${path}'`)(written),
    },
  },
  {
    name: "Parquet, one family of it opened",
    work,
    inputs: written,
    goal: { seconds: 0.06 },
    scale: 0.44,
    quick: 0.44,
    growth: [0.1, 1, 10],
    keeps: 0.08,
    cold: true,
    ours: read((artifact) => artifact.loadFamily(FAMILY)),
    anchor: {
      name: "DuckDB, the same rows",
      task: duckdb(
        (path) =>
          `select timestamp_ns, bucket_le, bucket_count, sum, count from '${path}' where metric_name = '${FAMILY}'`,
      )(written),
    },
  },
];
