import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RowGroupLimits } from "../../../src/core/artifacts/parquet-groups.js";
import { recordedWindow } from "../../../src/core/stats/index.js";
import { inspectParquet } from "../../../src/files/parquet/inspect.js";
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
  options: { limits?: RowGroupLimits; signal?: AbortSignal; onProgress?: (share: number) => void } = {},
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
    expect((await inspectParquet(many)).rowGroups.length).toBeGreaterThan(10);
    expect(await query(`select * from '${many}'`)).toEqual(await query(`select * from '${one}'`));
    // Only the groups whose statistics allow it are read.
    const groups = await query(
      `select row_group_id, stats_min_value as low, stats_max_value as high from parquet_metadata('${many}') where path_in_schema = 'metric_name'`,
    );
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
    const { metadata } = await inspectParquet(path);
    const { tableFromIPC, Type } = await import("apache-arrow");
    const schema = tableFromIPC(Buffer.from(metadata.get("ARROW:schema") ?? "", "base64")).schema;
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
    expect(await inspectParquet(path)).toMatchObject({ rows: 0, rowGroups: [] });
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

describe("writing", () => {
  it("stops when it is aborted", async () => {
    const abort = new AbortController();
    const writing = write(built(), {
      limits: { shared: 1, single: 64 },
      signal: abort.signal,
      onProgress: () => abort.abort(new Error("enough")),
    });
    await expect(writing).rejects.toThrow("enough");
  });

  it("tells how far it is", async () => {
    const shares: number[] = [];
    await write(built(), { limits: { shared: 1, single: 64 }, onProgress: (share) => shares.push(share) });
    expect(shares.length).toBeGreaterThan(10);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
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

  it("says what is wrong with a file that is no Parquet file", async () => {
    const cut = await write(built());
    await truncate(cut, 2000);
    await expect(inspectParquet(cut)).rejects.toThrow(`${cut} cannot be read as Parquet: it does not end in PAR1`);
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
