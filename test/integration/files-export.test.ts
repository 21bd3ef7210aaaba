import { spawnSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.js";
import { epochNs } from "../../src/core/model/index.js";
import { complete, runStatistics } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { writeFiles } from "../../src/files/atomic.js";
import { writePieces } from "../../src/files/export/output-file.js";
import { csvRowCount, csvSeries, type ExportOptions } from "../../src/core/artifacts/index.js";
import { exportArtifacts, PartialExport, recoverJournal } from "../../src/files/index.js";
import { ownerText, thisOwner } from "../../src/files/owner.js";
import { inspectParquet } from "../../src/files/parquet/file.js";
import { verifyFile } from "../../src/files/export/verify.js";
import { csvRecords } from "../support/compare-csv.js";
import { parquetMetadata } from "../support/compare-parquet.js";
import { query } from "../support/duckdb.js";
import { ORIGIN, RunBuilder, SECOND, type TestSample } from "../support/run-builder.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "export-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ALL = ["json", "csv", "jsonl", "parquet"] as const;

function smallRun(seconds = 30): Run {
  const builder = new RunBuilder(5);
  for (let i = 0; i < seconds; i++) {
    const samples: TestSample[] = [
      {
        name: "g",
        value: i === 12 ? NaN : i / 3,
        labels: { text: 'comma, "quote"\nand = ; newline', le: "label of a reserved kind", value: "reserved" },
      },
      { name: "c_total_bytes", type: "counter", value: i < 20 ? i * 7 : i - 20 },
      { name: "h_seconds", buckets: { "0.5": i, "1.0": 2 * i, "+Inf": 3 * i }, sum: i * 1.7, count: 3 * i },
      { name: "late", value: i },
      { name: "server_info", labels: { version: "1.2" }, value: 1 },
    ];
    builder.scrape(i, samples.slice(0, i < 15 ? 3 : 5));
  }
  return builder.window(3, seconds - 2).run;
}

const options = (more: Partial<ExportOptions> = {}): ExportOptions => ({
  directory: folder,
  formats: ALL,
  verify: true,
  ...more,
});
const read = (name: string) => readFile(join(folder, name), "utf8");

describe("an export", () => {
  it("names its files, says their sizes, and leaves nothing else", async () => {
    const plain = await exportArtifacts(smallRun(), options());
    expect((await readdir(folder)).sort()).toEqual(ALL.map((format) => `server_metrics_export.${format}`).sort());
    for (const { path, bytes } of plain) expect((await readFile(path)).length).toBe(bytes);
    await exportArtifacts(smallRun(), options({ prefix: "run 7.json", formats: ["csv"] }));
    expect(await readdir(folder)).toContain("run 7_server_metrics.csv");
  });

  it("makes the folder when there is none", async () => {
    const [file] = await exportArtifacts(smallRun(), options({ directory: join(folder, "a", "b"), formats: ["json"] }));
    expect(file?.path).toBe(join(folder, "a", "b", "server_metrics_export.json"));
  });

  it("writes the same JSONL again from what it wrote", async () => {
    await exportArtifacts(smallRun(), options({ formats: ["jsonl", "json"] }));
    const [jsonl, json] = [await read("server_metrics_export.jsonl"), await read("server_metrics_export.json")];
    const { run } = await recoverJournal(join(folder, "server_metrics_export.jsonl"));
    await exportArtifacts(run, options({ formats: ["jsonl", "json"] }));
    expect(await read("server_metrics_export.jsonl")).toBe(jsonl);
    expect(await read("server_metrics_export.json")).toBe(json);
  });

  it("gives CSV that reads by RFC 4180, in sections of equally wide rows", async () => {
    await exportArtifacts(smallRun(), options({ formats: ["csv"] }));
    const records = csvRecords((await read("server_metrics_export.csv")).replace(/^(#[^\n]*\n)+/, ""));
    let width = 0;
    for (const cells of records) {
      if (cells.length === 1) width = 0;
      else if (width === 0) width = cells.length;
      else expect(cells).toHaveLength(width);
    }
    expect(records.flat()).toContain('comma, "quote"\nand = ; newline');
    expect(records.filter((cells) => cells[0] === "Endpoint")).toHaveLength(4);
  });

  it("gives Parquet that DuckDB reads with the capture's own numbers", async () => {
    await exportArtifacts(smallRun(), options({ formats: ["parquet"] }));
    const path = join(folder, "server_metrics_export.parquet");
    const counts = await query(
      `select metric_name, count(*)::int as n, max(value) as top, max(bucket_count) as bucket from '${path}' group by 1 order by 1`,
    );
    // From second 3 to the last update at 29; the gap has no row, and a histogram one row a bound.
    expect(counts.map((row) => Object.values(row))).toEqual([
      ["c_total_bytes", 27, 17 * 7, null],
      ["g", 26, 29 / 3, null],
      ["h_seconds", 27 * 3, null, 27 * 3],
      ["late", 15, 29, null],
      ["server_info", 15, 1, null],
    ]);
    const metadata = await parquetMetadata(path);
    expect(metadata.get("aiperf.label_columns")).toBe('["le","text","label_value","version"]');
    expect(metadata.get("server_metrics.reference_timestamps_ns")).toBe(
      `{"http://a:1/metrics":${ORIGIN + 2n * BigInt(SECOND)}}`,
    );
    expect(JSON.parse(metadata.get("server_metrics.resets") ?? "")).toMatchObject([
      { metric_name: "c_total_bytes", resets: 1 },
    ]);
  });

  it("keeps to a window that was chosen, exactly", async () => {
    const at = (second: number) => String(ORIGIN + BigInt(second * SECOND));
    await exportArtifacts(
      smallRun(),
      options({ formats: ["json", "parquet"], startNs: at(5), endNs: at(10), sliceDurationSeconds: 1 }),
    );
    const { metrics } = JSON.parse(await read("server_metrics_export.json")) as {
      metrics: Record<string, { series: { stats: object }[] }>;
    };
    expect(metrics["c_total_bytes"]?.series[0]?.stats).toMatchObject({ total: 42 });
    const [row] = await query(
      `select max(timestamp_ns) - min(timestamp_ns) as span from '${join(folder, "server_metrics_export.parquet")}'`,
    );
    expect(row?.["span"]).toBe(5n * BigInt(SECOND));
  });
});

describe("an export that fails", () => {
  async function refused(promise: Promise<unknown>): Promise<UserError> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof UserError)) throw new Error(`expected a UserError, got ${String(error)}`);
    return error;
  }

  it("writes the other formats when the name of one is taken by a folder, and says which", async () => {
    await mkdir(join(folder, "server_metrics_export.json"));
    const error = await refused(exportArtifacts(smallRun(), options()));
    expect(error.code).toBe("export-failed");
    expect(error.message).toMatch(/server_metrics_export\.json cannot be written: it is a folder/);
    if (!(error instanceof PartialExport)) throw new Error("the other formats should have been written");
    expect(error.failures.map(({ format }) => format)).toEqual(["json"]);
    expect(error.files.map(({ path }) => basename(path))).toEqual(
      ["csv", "jsonl", "parquet"].map((format) => `server_metrics_export.${format}`),
    );
    expect((await readdir(folder)).sort()).toEqual(ALL.map((format) => `server_metrics_export.${format}`).sort());
  });

  it("reads a JSON back that is longer than any string", async () => {
    // Sparse, so that it takes no room: what V8 limits is the text, not the file.
    const path = join(folder, "server_metrics_export.json");
    const run = smallRun();
    await exportArtifacts(run, options({ formats: ["json"] }));
    const text = await readFile(path, "utf8");
    await writeFile(path, "{");
    await truncate(path, 600 * 1024 ** 2);
    const expected = { run, series: run.store.seriesCount, csvRows: 0, parquetRows: 0, scrapes: run.store.scrapes };
    await appendFile(path, text.slice(1));
    await verifyFile("json", path, expected);
  });

  it("removes what killed exports have left behind, and nothing that may be another's", async () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const { place } = thisOwner();
    const dead = `.server_metrics_export.json.${pid}-1a-${place}-0badcafe.tmp`;
    const reused = `.server_metrics_export.csv.${process.ppid}-0z-${place}-0badcafe.tmp`;
    const living = `.server_metrics_export.csv.${ownerText(thisOwner())}-0badcafe.tmp`;
    const elsewhere = `.server_metrics_export.csv.${pid}-1a-00000000-0badcafe.tmp`;
    const forgotten = `.run_server_metrics.parquet.${pid}-1a-11111111-0badcafe.tmp`;
    const others = ".notes.tmp";
    for (const name of [dead, reused, living, elsewhere, forgotten, others]) await writeFile(join(folder, name), "x");
    await utimes(join(folder, forgotten), 1, 1);
    await utimes(join(folder, others), 1, 1);
    await exportArtifacts(smallRun(), options({ formats: ["csv"] }));
    expect((await readdir(folder)).sort()).toEqual([living, elsewhere, others, "server_metrics_export.csv"].sort());
  });

  it("removes what killed exports have left of OpenMetrics and of phases", async () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const left = (name: string) => `.${name}.${pid}-1a-${thisOwner().place}-0badcafe.tmp`;
    const phase = join(folder, "phases", "low");
    await mkdir(phase, { recursive: true });
    await writeFile(join(folder, left("server_metrics_export.openmetrics.gz")), "x");
    await writeFile(join(phase, left("server_metrics.json")), "x");
    const run = smallRun();
    const end = epochNs(run.store.origin + BigInt(run.newest));
    run.putPhase({ name: "low", kind: "profiling", start: run.store.origin, end });
    await exportArtifacts(run, options({ formats: ["json"] }));
    expect(await readdir(phase)).toEqual(["server_metrics.json"]);
    expect((await readdir(folder)).sort()).toEqual(["phase_manifest.json", "phases", "server_metrics_export.json"]);
  });

  it("says that the folder's path goes through a file", async () => {
    await writeFile(join(folder, "file"), "");
    const error = await refused(exportArtifacts(smallRun(), options({ directory: join(folder, "file", "sub") })));
    expect(error.message).toMatch(/a part of its path is a file/);
    expect(error.code).toBe("export-failed");
  });

  it("says that the disk is full, leaves nothing of that file on it, and writes the others", async () => {
    const path = join(folder, "server_metrics_export.json");
    const full = {
      path,
      temporary: join(folder, ".full.tmp"),
      write: () =>
        Promise.reject(
          Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" }),
        ),
    };
    const fine = {
      path: join(folder, "first.csv"),
      temporary: join(folder, ".first.tmp"),
      write: (temporary: string) => writePieces(temporary, ["a,b\r\n"]),
    };
    expect(await writeFiles([full, fine])).toMatchObject([
      {
        kind: "failed",
        error: {
          code: "export-failed",
          message: `${path} cannot be written: the disk is full.`,
          remedy: expect.stringMatching(/Free some space/) as string,
        },
      },
      { kind: "written" },
    ]);
    expect(await readdir(folder)).toEqual(["first.csv"]);
  });

  it("does not take a file for written that does not read back", async () => {
    const run = smallRun();
    const { families } = complete(runStatistics(run, { unitOf: () => undefined }));
    await exportArtifacts(run, options());
    const { rows: parquetRows } = await inspectParquet(join(folder, "server_metrics_export.parquet"));
    const csvRows = csvRowCount(
      families.map((family) => ({
        ...family,
        series: family.series.map((series) => csvSeries(family, series, false)),
      })),
    );
    const expected = { run, series: run.store.seriesCount, csvRows, parquetRows, scrapes: run.store.scrapes };
    for (const format of ALL) {
      const path = join(folder, `server_metrics_export.${format}`);
      await verifyFile(format, path, expected);
      const bytes = await readFile(path);
      await writeFile(path, bytes.subarray(0, bytes.length - 40));
      const error = await refused(verifyFile(format, path, expected));
      expect(error.message).toContain(`the written ${format} file cannot be read back`);
    }
  });

  it("keeps the files of an earlier export when it is cancelled, and leaves nothing of its own", async () => {
    await exportArtifacts(smallRun(10), options());
    const before = await Promise.all(ALL.map((format) => readFile(join(folder, `server_metrics_export.${format}`))));
    for (const stage of ["Computing statistics", "csv", "jsonl", "parquet"]) {
      const abort = new AbortController();
      const onProgress = (message: string) => {
        if (message.includes(stage)) abort.abort(new Error("the user gave up"));
      };
      const big = smallRun(stage === "Computing statistics" ? 3000 : 40);
      await expect(
        exportArtifacts(big, options({ sliceDurationSeconds: 0.05 }), { signal: abort.signal, onProgress }),
      ).rejects.toThrow("the user gave up");
    }
    expect((await readdir(folder)).sort()).toEqual(ALL.map((format) => `server_metrics_export.${format}`).sort());
    const after = await Promise.all(ALL.map((format) => readFile(join(folder, `server_metrics_export.${format}`))));
    expect(after.map((bytes, i) => bytes.equals(before[i] ?? Buffer.alloc(0)))).toEqual([true, true, true, true]);
  });

  it("writes what was captured when it was asked for, while the capture goes on, alike in every format", async () => {
    const going = new RunBuilder(5);
    let i = 0;
    const scrape = () =>
      going.scrape(i++, [
        { name: "g", labels: { part: String(i % 3) }, value: i },
        { name: `family_${i}`, value: i },
      ]);
    for (let n = 0; n < 100; n++) scrape();
    const ticking = setInterval(scrape, 1);
    const files = await exportArtifacts(going.run, options()).finally(() => clearInterval(ticking));
    expect(files).toHaveLength(4);
    expect(going.run.store.scrapes).toBeGreaterThan(100);
    const json = JSON.parse(await read("server_metrics_export.json")) as { metrics: Record<string, unknown> };
    const parquet = await query(
      `SELECT count(DISTINCT metric_name) AS n, count(*) AS rows FROM '${join(folder, "server_metrics_export.parquet")}'`,
    );
    expect(Number(parquet[0]?.["n"])).toBe(Object.keys(json.metrics).length);
    expect(Number(parquet[0]?.["rows"])).toBe(200);
    expect(
      (await read("server_metrics_export.jsonl"))
        .trimEnd()
        .split("\n")
        .filter((line) => line.includes('"g"')),
    ).toHaveLength(100);
  });

  it("refuses a window that ends before it starts", async () => {
    const error = await refused(exportArtifacts(smallRun(), options({ startNs: "20", endNs: "10" })));
    expect(error.message).toMatch(/ends \(10\) before it starts \(20\)/);
    expect(await readdir(folder)).toEqual([]);
  });
});
