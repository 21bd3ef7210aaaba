import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RowGroupLimits } from "../../../src/core/artifacts/parquet/row-groups.js";
import { familyUnit } from "../../../src/core/catalog/index.js";
import { complete, recordedWindow, runStatistics } from "../../../src/core/stats/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { ParquetArtifact } from "../../../src/files/open/index.js";
import { inspectParquet } from "../../../src/files/parquet/file.js";
import { loadParquetWasm } from "../../../src/files/parquet/wasm.js";
import { writeParquet } from "../../../src/files/parquet/write.js";
import { query } from "../../support/duckdb.js";
import { ORIGIN, RunBuilder, SECOND } from "../../support/run-builder.js";

let directory: string;
let files = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-metrics-parquet-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function write(
  { run }: RunBuilder,
  options: { limits?: RowGroupLimits; signal?: AbortSignal } = {},
): Promise<string> {
  const path = join(directory, `${files++}.parquet`);
  const about = {
    window: recordedWindow(run),
    sliceDurationSeconds: 5,
    exporter: { version: "1.2.3" },
    exportTime: ORIGIN,
    hostname: "host",
  };
  await writeParquet(path, run, about, options);
  return path;
}

/** Two metrics of 300 and 600 rows, a gauge and a histogram of two bounds, and one without any sample of its label. */
function built(): RunBuilder {
  const builder = new RunBuilder();
  for (let i = 0; i < 300; i++) {
    builder.scrape(i, [
      { name: "gauge_bytes", labels: { model: 'mödel "x"' }, value: i / 3 },
      { name: "latency_seconds", buckets: { "0.1": i, "+Inf": 2 * i }, sum: i / 2, count: 2 * i },
    ]);
  }
  return builder.window(0, 299);
}

it("a series that restarted is read as it was scraped, whatever its rows clamp", async () => {
  const builder = new RunBuilder().window(2.5, 19);
  for (let i = 0; i < 20; i++) {
    const n = i < 8 ? 100 + 3 * i : 2 * (i - 8);
    const bounds = i < 14 ? { "0.5": n, "1": 2 * n, "+Inf": 3 * n } : { "0.5": n, "2": 2 * n, "+Inf": 3 * n };
    builder.scrape(i, [
      { name: "jobs", type: "counter", value: n },
      { name: "took_seconds", buckets: bounds, sum: n / 4, count: 3 * n },
    ]);
  }
  const artifact = await ParquetArtifact.open(await write(builder));
  const read = await artifact.loadAll();
  await artifact.close();
  const samplesOf = ({ store }: Run, from: bigint) =>
    [...store.seriesKeys()].map(({ id, family }) => {
      const samples = store.read(id);
      const parts =
        samples.kind === "scalar"
          ? [{ times: samples.times, cells: [samples.values] }]
          : samples.segments.map(({ times, sums, counts, buckets }) => ({ times, cells: [sums, counts, ...buckets] }));
      return parts.map(({ times, cells }) => [
        family.name,
        [...times].flatMap((time, row) =>
          store.origin + BigInt(time) < from ? [] : [[store.origin + BigInt(time), ...cells.map((own) => own[row])]],
        ),
      ]);
    });
  // The reference is the last scrape before the window.
  const reference = ORIGIN + BigInt(2 * SECOND);
  expect(samplesOf(read, reference)).toEqual(samplesOf(builder.run, reference));
});

describe("a series that appears late", () => {
  /** The counter counts 3 before its first scrape, which is the fourth of its endpoint. */
  const late = () => {
    const builder = new RunBuilder().window(0, 9);
    for (let i = 0; i < 10; i++)
      builder.scrape(i, [
        { name: "early", value: 1 },
        ...(i < 3 ? [] : [{ name: "late", type: "counter" as const, value: i }]),
      ]);
    return builder;
  };
  const resultOf = (run: Run | undefined) => {
    const families = run === undefined ? [] : complete(runStatistics(run, { unitOf: familyUnit })).families;
    const [series] = families.find(({ name }) => name === "late")?.series ?? [];
    return series?.kind === "counter" ? { total: series.stats.total, born: series.born } : undefined;
  };
  const opened = async (path: string) => {
    const artifact = await ParquetArtifact.open(path);
    try {
      return { all: resultOf(await artifact.loadAll()), alone: resultOf(await artifact.loadFamily("late")) };
    } finally {
      await artifact.close();
    }
  };

  it("was born then, in the whole file and in its family alone", async () => {
    const builder = late();
    const expected = { total: 9, born: ORIGIN + BigInt(3 * SECOND) };
    expect(resultOf(builder.run)).toEqual(expected);
    expect(await opened(await write(builder))).toEqual({ all: expected, alone: expected });
  });

  it("of a file that does not tell births counts from its first sample", async () => {
    const path = await write(late());
    const older = (await readFile(path, "latin1")).replace("server_metrics.born", "server_metrics.xxxx");
    await writeFile(path, older, "latin1");
    const expected = { total: 6, born: undefined };
    expect(await opened(path)).toEqual({ all: expected, alone: expected });
  });
});

describe("a written file, read by DuckDB", () => {
  it("holds the rows, in order, with units, labels and nulls", async () => {
    const path = await write(built());
    const rows = await query(`select * from '${path}'`);
    expect(rows).toHaveLength(900);
    expect(rows[1]).toEqual({
      endpoint_url: "http://a:1/metrics",
      metric_name: "gauge_bytes",
      metric_type: "gauge",
      unit: "bytes",
      description: "",
      timestamp_ns: ORIGIN + BigInt(SECOND),
      model: 'mödel "x"',
      value: 1 / 3,
      sum: null,
      count: null,
      bucket_le: null,
      bucket_count: null,
    });
    expect(rows.at(-1)).toMatchObject({
      unit: "seconds",
      model: null,
      value: null,
      sum: 149.5,
      count: 598,
      bucket_le: "+Inf",
      bucket_count: 598,
    });
    expect(rows.at(-2)).toMatchObject({ sum: 149.5, count: 598, bucket_le: "0.1", bucket_count: 299 });
  });

  it("is the same in many row groups as in one, statistics of the groups included", async () => {
    const [one, many] = [await write(built()), await write(built(), { limits: { shared: 10, single: 64 } })];
    expect(await query(`select * from '${many}'`)).toEqual(await query(`select * from '${one}'`));
    // Only the groups whose statistics allow it are read.
    const groups = await query(
      `select row_group_id, stats_min_value as low, stats_max_value as high from parquet_metadata('${many}') where path_in_schema = 'metric_name'`,
    );
    expect(groups.length).toBeGreaterThan(10);
    expect(groups.every(({ low, high }) => low === high)).toBe(true);
    expect(
      await query(
        `select count(*)::int as n, max(bucket_count) as top from '${many}' where metric_name = 'latency_seconds'`,
      ),
    ).toEqual([{ n: 600, top: 598 }]);
  });

  it("has the metadata that were asked for, in one order whatever the run", async () => {
    const path = await write(built());
    const entries = await query(
      `select key::varchar as key, value::varchar as value from parquet_kv_metadata('${path}')`,
    );
    const metadata = new Map(entries.map(({ key, value }) => [key, value]));
    expect(metadata.get("aiperf.exporter")).toBe("server-metrics 1.2.3");
    expect(metadata.get("aiperf.time_filter_end_ns")).toBe(String(ORIGIN + 299n * BigInt(SECOND)));
    expect(metadata.get("aiperf.label_columns")).toBe("[\\x22model\\x22]");
    expect(await readFile(await write(built()))).toEqual(await readFile(path));
  });

  it("has plain strings, which Arrow readers do not take for categories", async () => {
    const path = await write(built());
    const { tableFromIPC, Type } = await import("apache-arrow");
    const wasm = await loadParquetWasm();
    const { schema } = tableFromIPC(wasm.readParquet(await readFile(path)).intoIPCStream());
    expect(schema.fields.map(({ typeId }) => typeId)).toEqual([
      Type.Utf8,
      Type.Utf8,
      Type.Utf8,
      Type.Utf8,
      Type.Utf8,
      Type.Int,
      Type.Utf8,
      Type.Float,
      Type.Float,
      Type.Float,
      Type.Utf8,
      Type.Float,
    ]);
  });

  it("of a run without samples has its columns and no rows", async () => {
    const path = await write(new RunBuilder().window(0, 1));
    expect(await query(`select * from '${path}'`)).toEqual([]);
    expect(await inspectParquet(path)).toMatchObject({ rows: 0 });
    expect((await query(`describe from '${path}'`)).map((column) => column["column_name"])).toContain("bucket_count");
  });

  it("leaves out a label that carries a reserved column's name", async () => {
    const path = await write(
      new RunBuilder().scrape(0, [{ name: "g", labels: { value: "text", kept: "yes" }, value: 7 }]).window(0, 0),
    );
    expect(await query(`select value, kept from '${path}'`)).toEqual([{ value: 7, kept: "yes" }]);
  });

  it("reads together with a run of other labels", async () => {
    const first = await write(new RunBuilder().scrape(0, [{ name: "g", labels: { a: "1" }, value: 1 }]).window(0, 0));
    const second = await write(new RunBuilder().scrape(0, [{ name: "g", labels: { b: "2" }, value: 2 }]).window(0, 0));
    expect(
      await query(
        `select a, b, value from read_parquet(['${first}', '${second}'], union_by_name = true) order by value`,
      ),
    ).toEqual([
      { a: "1", b: null, value: 1 },
      { a: null, b: "2", value: 2 },
    ]);
  });
});

/** Cells of every sort over several pages: nulls in between, −0, numbers that all differ, and that all repeat. */
function mixed(): RunBuilder {
  const builder = new RunBuilder();
  for (let i = 0; i < 2400; i++) {
    builder.scrape(i / 3, [
      { name: "all_differ", value: Math.sin(i) * 2 ** (i % 60) },
      { name: "zeros", labels: { ünusual: "ä😀\u{e000}" }, value: i % 3 === 0 ? -0 : 0 },
      ...(i % 4 === 1 ? [] : [{ name: "steps", type: "counter" as const, value: i >> 4 }]),
      {
        name: "latency_seconds",
        labels: { engine: String(i % 2) },
        buckets: Object.fromEntries(BOUNDS.map((bound, b) => [bound, (i * b) >> 3])),
        count: (i * 9) >> 3,
        ...(i % 4 < 2 ? { sum: i / 7 } : {}),
      },
    ]);
  }
  return builder.window(0, 800);
}

const BOUNDS = ["0.001", "0.01", "0.1", "0.5", "1", "2.5", "5", "10", "60", "+Inf"];

describe("a written file, read by three programs", () => {
  it("has the same values for each, cell by cell", async () => {
    const path = await write(mixed(), { limits: { shared: 8000, single: 20_000 } });
    const duck = await query(`select * from '${path}'`);
    const { tableFromIPC } = await import("apache-arrow");
    const wasm = await loadParquetWasm();
    const table = tableFromIPC(wasm.readParquet(await readFile(path)).intoIPCStream());
    const { parquetReadObjects, asyncBufferFromFile } = await import("hyparquet");
    const objects = await parquetReadObjects({ file: await asyncBufferFromFile(path) });
    expect(duck.length).toBeGreaterThan(30_000);
    expect([table.numRows, objects.length]).toEqual([duck.length, duck.length]);
    const textOf = (cells: Iterable<unknown>) =>
      Array.from(cells, (cell = null) =>
        Object.is(cell, -0) ? "-0" : `${cell as string | number | bigint | null | undefined}`,
      ).join("\t");
    const columns = Object.keys(duck[0] ?? {});
    let differences = 0;
    duck.forEach((row, i) => {
      const expected = textOf(Object.values(row));
      if (textOf(columns.map((name) => table.getChild(name)?.get(i) as unknown)) !== expected) differences++;
      if (textOf(columns.map((name) => objects[i]?.[name] as unknown)) !== expected) differences++;
    });
    expect(differences).toBe(0);
    expect(await query(`select count(*)::int as n from '${path}' where value = 0 and 1 / value < 0`)).toEqual([
      { n: 800 },
    ]);
  });

  it("tells of each row group the least and the greatest value of its columns", async () => {
    const path = await write(mixed(), { limits: { shared: 8000, single: 20_000 } });
    const bytes = await readFile(path);
    const { parquetMetadata } = await import("hyparquet");
    const { row_groups: groups } = parquetMetadata(bytes);
    for (const name of ["timestamp_ns", "value", "bucket_count", "metric_name", "ünusual"]) {
      const values = (await query(`select ${name} as cell from '${path}'`)).map(({ cell }) => cell);
      let row = 0;
      for (const { columns, num_rows: rows } of groups) {
        const of = columns.map(({ meta_data }) => meta_data).find((chunk) => chunk?.path_in_schema[0] === name);
        const cells = values.slice(row, row + Number(rows)).filter((cell) => cell !== null);
        const sorted = [...cells].sort((a = 0, b = 0) => (a < b ? -1 : a > b ? 1 : 0));
        const { min_value: low, max_value: high, null_count: nulls } = of?.statistics ?? {};
        expect(Number(nulls)).toBe(Number(rows) - cells.length);
        expect([low, high].map(String)).toEqual([sorted[0], sorted.at(-1)].map(String));
        row += Number(rows);
      }
      expect(row).toBe(values.length);
    }
  });
});

describe("writing", () => {
  it("stops when it is aborted", async () => {
    const abort = new AbortController();
    const writing = write(built(), {
      limits: { shared: 1, single: 64 },
      signal: abort.signal,
    });
    abort.abort(new Error("enough"));
    await expect(writing).rejects.toThrow("enough");
  });
});

describe("inspection", () => {
  it("tells rows, columns and metadata from the footer", async () => {
    const inspected = await inspectParquet(await write(built()));
    expect(inspected.rows).toBe(900);
    expect(inspected.columns).toEqual([
      "endpoint_url",
      "metric_name",
      "metric_type",
      "unit",
      "description",
      "timestamp_ns",
      "model",
      "value",
      "sum",
      "count",
      "bucket_le",
      "bucket_count",
    ]);
    expect(inspected.metadata.get("aiperf.label_columns")).toBe('["model"]');
  });

  it("says what is wrong with a file that is not a Parquet file", async () => {
    const cut = await write(built());
    await truncate(cut, 2000);
    await expect(inspectParquet(cut)).rejects.toThrow(
      `${cut} cannot be read as Parquet: its last four bytes (from byte 1996) should be PAR1`,
    );
    const short = join(directory, "short.parquet");
    await writeFile(short, "PAR1");
    await expect(inspectParquet(short)).rejects.toThrow("too few");
    const wrong = join(directory, "wrong.parquet");
    await writeFile(
      wrong,
      Buffer.concat([Buffer.from("PAR1"), Buffer.from([1, 2, 3, 4, 0xff, 0xff, 0, 0]), Buffer.from("PAR1")]),
    );
    await expect(inspectParquet(wrong)).rejects.toThrow("larger than the file");
  });
});
